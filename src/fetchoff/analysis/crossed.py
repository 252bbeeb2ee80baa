"""Which batches over a link count: docs/analysis.md#links."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from fetchoff.model.experiment import Experiment
from fetchoff.model.lateness import TOO_FEW_LEFT, spoilt
from fetchoff.model.observation import Batch, Sample

ENOUGH = 0.5  # of a client's batches in a round: else what it did in that round does not count


@dataclass(frozen=True)
class LeftOut:
    """A batch over a link that does not count, and why."""

    batch: Batch
    why: str

    @property
    def is_spoilt(self) -> bool:
        """Whether the link is to blame for this batch itself, not for others of its round."""
        return self.why != TOO_FEW_LEFT


@dataclass(frozen=True)
class Sifted:
    """The batches that count, those that do not, and what nothing is left of.

    `processes_lost`: samples with a process that has no batch in them any more.
    """

    counting: tuple[Batch, ...]
    left_out: tuple[LeftOut, ...] = ()
    processes_lost: frozenset[tuple[Sample, str]] = frozenset()
    samples_lost: frozenset[Sample] = frozenset()


def sift(experiment: Experiment, workload: str, batches: Sequence[Batch]) -> Sifted:
    """A late packet costs its batch; a client that lost too many of them loses its round.

    As rounds are added, what a client's batches usually take moves a little, and batches whose
    packets were about as late as is tolerated may come or go. That favours nobody: at every look,
    all batches of a client are held against the same.
    """
    course = experiment.course(workload)
    client_of = {entrant.key: entrant.client for entrant in experiment.entrants}
    whys = spoilt(batches, client_of, course.link, experiment.at_stake)
    if not any(whys):
        return Sifted(tuple(batches))
    judged = list(zip(batches, whys, strict=True))
    unspoilt = [batch for batch, why in judged if not why]
    left = Counter((b.sample, b.entrant) for b in unspoilt)
    least = ENOUGH * experiment.blocks_of(course)
    counting = [b for b in unspoilt if left[b.sample, b.entrant] >= least]
    too_few = [b for b in unspoilt if left[b.sample, b.entrant] < least]
    process_of = {entrant.key: entrant.process for entrant in experiment.entrants}
    before, after = (
        {(batch.sample, process_of[batch.entrant]) for batch in some}
        for some in (batches, counting)
    )
    return Sifted(
        tuple(counting),
        (
            *(LeftOut(batch, why) for batch, why in judged if why),
            *(LeftOut(batch, TOO_FEW_LEFT) for batch in too_few),
        ),
        frozenset(before - after),
        frozenset({sample for sample, _ in before} - {sample for sample, _ in after}),
    )
