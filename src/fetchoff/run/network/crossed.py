"""What a link did while a section was measured over it, batch by batch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from fetchoff.model.course import Course
from fetchoff.model.experiment import Experiment
from fetchoff.model.lateness import spoilt
from fetchoff.model.link import Emulated, together
from fetchoff.model.observation import Batch


class Crossed:
    """Adds up what the emulator has counted."""

    def __init__(self, course: Course, experiment: Experiment) -> None:
        self._course = course
        self._experiment = experiment
        self._batches: list[Batch] = []

    def note(self, batch: Batch) -> None:
        """Take note of a batch that was measured."""
        if batch.emulated is not None:
            self._batches.append(batch)

    def in_all(self) -> Emulated:
        """During all batches together."""
        return together([b.emulated for b in self._batches if b.emulated is not None])

    def troubles(self) -> Iterator[str]:
        """One sentence for each reason why batches do not count.

        They are judged by what batches of this round took. The analysis judges them by those of all
        rounds, so it may leave out one more or less.
        """
        client_of = {entrant.key: entrant.client for entrant in self._experiment.entrants}
        whys = spoilt(self._batches, client_of, self._course.link, self._experiment.at_stake)
        for why, many in Counter(filter(None, whys)).items():
            of = len(self._batches)
            yield f"{self._course.id}: {many} of {of} batches do not count: {why}"
