"""Whether the second of a pair keeps the limit that was set: docs/analysis.md#limits."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Protocol

from fetchoff.analysis.stopping import rule_of
from fetchoff.model.analysis import RankingRow
from fetchoff.model.estimate import LimitAnswer
from fetchoff.model.experiment import Experiment
from fetchoff.model.finding import Clock, Finding, Limit
from fetchoff.model.limit import Kept
from fetchoff.model.observation import NO_CLIENT_LEFT, Ended, Record
from fetchoff.model.spent import Spent
from fetchoff.stats import rounds_to_tell, within_limit

STEP_S = 10  # budgets are advised in round figures


def kept(
    experiment: Experiment, workload: str, baseline: str, standings: Sequence[RankingRow]
) -> tuple[Kept, ...]:
    """What became of the limit on a course, in wall and CPU time; nothing if there is none."""
    most = min((s.rounds for s in standings if s.client == baseline), default=0)
    others = (standing for standing in standings if standing.client != baseline)
    return tuple(one for s in others for one in _of(experiment, workload, baseline, s, most))


def _of(
    experiment: Experiment, workload: str, baseline: str, standing: RankingRow, most: int
) -> Iterator[Kept]:
    """`most`: rounds of the baseline, of which the two cannot have more in common."""
    limit, rounds = experiment.limit, min(standing.rounds, most)
    for clock, relative in ((Clock.WALL, standing.wall), (Clock.CPU, standing.cpu)):
        if limit is None or relative is None:
            continue
        answer, enough = within_limit(relative.ratio, limit), None
        apart = clock is Clock.WALL and standing.has_wall_withheld
        if apart:
            answer = LimitAnswer.UNCLEAR  # and no budget would change that
        elif answer is LimitAnswer.UNCLEAR:
            enough = rounds_to_tell(relative.ratio, rounds, limit, rule_of(experiment))
        key = (standing.client, baseline, workload, clock)
        yield Kept(*key, relative.ratio, answer, rounds, enough, apart)


def finding_of(experiment: Experiment, found: Sequence[Kept]) -> Finding | None:
    """What became of the limit, by both clocks; None: there was no limit, or nothing to judge.

    A gate judges its limit over all courses together, and says so itself.
    """
    if experiment.limit is None or experiment.jointly or not found:
        return None
    answers = {one.clock: one.answer for one in found}
    evidence = Limit(experiment.limit, answers.get(Clock.WALL), answers.get(Clock.CPU))
    return Finding(evidence, tuple(dict.fromkeys(one.client for one in found)))


class Untold(Protocol):
    """Something that was not told after so many `rounds`, and would probably be after `enough`."""

    @property
    def rounds(self) -> int: ...

    @property
    def enough(self) -> int | None: ...


def budget_to_tell(records: Sequence[Record], unclear: Sequence[Untold]) -> int | None:
    """Seconds of measuring after which all of it would probably be told; None: no budget would.

    A round is taken to last as long as it did.
    """
    if has_given_up(records):
        return None
    shares = [one.enough / max(1, one.rounds) if one.enough else math.inf for one in unclear]
    most = max(shares, default=0.0)
    if not math.isfinite(most):
        return None
    return STEP_S * math.ceil(Spent(records).seconds * most / STEP_S)


def has_given_up(records: Sequence[Record]) -> bool:
    """Whether a run ended because a client failed too often: that does not depend on the budget."""
    ended = next((r for r in reversed(records) if isinstance(r, Ended)), None)
    return ended is not None and ended.reason == NO_CLIENT_LEFT
