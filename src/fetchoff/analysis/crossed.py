"""Which batches over a link count: docs/analysis.md#links."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from fetchoff.model.experiment import Experiment
from fetchoff.model.lateness import spoilt
from fetchoff.model.observation import Batch, Sample

ENOUGH = 0.5  # of a client's batches in a round: else what it did in that round does not count


@dataclass(frozen=True)
class Sifted:
    """The batches that count, those that a link has spoilt, and what nothing is left of.

    `processes_lost`: samples with a process that has no batch in them any more.
    """

    counting: tuple[Batch, ...]
    spoilt: tuple[Batch, ...] = ()
    processes_lost: frozenset[tuple[Sample, str]] = frozenset()
    samples_lost: frozenset[Sample] = frozenset()


def sift(experiment: Experiment, workload: str, batches: Sequence[Batch]) -> Sifted:
    """A late packet costs its batch; a client that lost too many of them loses its round."""
    course = experiment.course(workload)
    out = {b.slot for b in batches if spoilt(b, course.link, experiment.at_stake)}
    if not out:
        return Sifted(tuple(batches))
    left = Counter((b.sample, b.entrant) for b in batches if b.slot not in out)
    least = ENOUGH * experiment.blocks_of(course)
    counting = [b for b in batches if b.slot not in out and left[b.sample, b.entrant] >= least]
    process_of = {entrant.key: entrant.process for entrant in experiment.entrants}
    before, after = (
        {(batch.sample, process_of[batch.entrant]) for batch in some}
        for some in (batches, counting)
    )
    return Sifted(
        tuple(counting),
        tuple(b for b in batches if b.slot in out),
        frozenset(before - after),
        frozenset({sample for sample, _ in before} - {sample for sample, _ in after}),
    )
