"""Whether the second of a pair keeps the limit that was set: docs/analysis.md#limits."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fetchoff.analysis.stopping import rule_of
from fetchoff.model.analysis import RankingRow
from fetchoff.model.estimate import Estimate, LimitAnswer
from fetchoff.model.experiment import Experiment
from fetchoff.stats import rounds_to_tell, within_limit

STEP_S = 10  # budgets are advised in round figures
WORDS = {
    LimitAnswer.WITHIN: "shown",
    LimitAnswer.BEYOND: "exceeded",
    LimitAnswer.UNCLEAR: "cannot tell",
}


@dataclass(frozen=True)
class Kept:
    """A client on a course, by one clock. `enough`: rounds that would tell what is unclear; None:
    no more than there were, or no number that a run may have."""

    client: str
    baseline: str
    workload: str
    metric: str
    ratio: Estimate
    answer: LimitAnswer
    rounds: int
    enough: int | None = None

    def __str__(self) -> str:
        found = f"{self.ratio.point:.3f} ({self.ratio.low:.3f}–{self.ratio.high:.3f})"
        of = f"the {self.metric} time of {self.baseline} on {self.workload}"
        return f"{self.client} takes {found} times {of}"


def kept(
    experiment: Experiment, workload: str, baseline: str, standings: Sequence[RankingRow]
) -> tuple[Kept, ...]:
    """What became of the limit on a course, in wall and CPU time; nothing if there is none."""
    others = (standing for standing in standings if standing.client != baseline)
    return tuple(one for s in others for one in _of(experiment, workload, baseline, s))


def _of(
    experiment: Experiment, workload: str, baseline: str, standing: RankingRow
) -> Iterator[Kept]:
    limit, rounds = experiment.limit, standing.rounds
    for metric, relative in (("wall", standing.wall), ("CPU", standing.cpu)):
        if limit is None or relative is None:
            continue
        answer, enough = within_limit(relative.ratio, limit), None
        if answer is LimitAnswer.UNCLEAR:
            enough = rounds_to_tell(relative.ratio, rounds, limit, rule_of(experiment))
        key = (standing.client, baseline, workload, metric)
        yield Kept(*key, relative.ratio, answer, rounds, enough)


def note_of(experiment: Experiment, found: Sequence[Kept]) -> str:
    """What a report says of it; "": there was no limit."""
    if experiment.limit is None or not found:
        return ""
    told = "; ".join(f"{WORDS[one.answer]} in {one.metric} time" for one in found)
    return f"at most {100 * experiment.limit:g} % more time was allowed: {told}"


def budget_to_tell(experiment: Experiment, unclear: Sequence[Kept]) -> int | None:
    """Seconds of measuring after which all of it would probably be told; None: no budget would.

    A round is taken to last as long as it did.
    """
    shares = [one.enough / max(1, one.rounds) if one.enough else math.inf for one in unclear]
    most = max(shares, default=0.0)
    if not math.isfinite(most):
        return None
    return STEP_S * math.ceil(experiment.budget_s * most / STEP_S)
