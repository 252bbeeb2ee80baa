"""What a link did while a section was measured over it, batch by batch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from fetchoff.model.course import Course
from fetchoff.model.lateness import spoilt
from fetchoff.model.link import Emulated, together
from fetchoff.model.observation import Batch


class Crossed:
    """Adds up what the emulator has counted. `at_stake`: the relative difference that matters."""

    def __init__(self, course: Course, at_stake: float) -> None:
        self._course = course
        self._at_stake = at_stake
        self._emulated: list[Emulated] = []
        self._spoilt: Counter[str] = Counter()

    def note(self, batch: Batch) -> None:
        """Take note of a batch that was measured."""
        if batch.emulated is None:
            return
        self._emulated.append(batch.emulated)
        why = spoilt(batch, self._course.link, self._at_stake)
        if why:
            self._spoilt[why] += 1

    def in_all(self) -> Emulated:
        """During all batches together."""
        return together(self._emulated)

    def troubles(self) -> Iterator[str]:
        """One sentence for each reason why batches do not count."""
        for why, many in self._spoilt.items():
            of = len(self._emulated)
            yield f"{self._course.id}: {many} of {of} batches do not count: {why}"
