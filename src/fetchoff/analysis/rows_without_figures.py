"""Rows of clients that have no figures on a workload, and why."""

from __future__ import annotations

from collections.abc import Sequence

from fetchoff.analysis.series import Series
from fetchoff.model.analysis import RankingRow
from fetchoff.model.experiment import Entrant
from fetchoff.model.finding import AnsweredWrong, Finding, NotMeasured
from fetchoff.model.observation import Invocation, Outcome


def not_measured(entrant: Entrant, series: Series, failed: Sequence[Invocation]) -> RankingRow:
    """How its last process ended badly, if one did; else what became of what was measured.

    `failed`: processes of its client that broke down, also those of controls.
    """
    own = [i for i in series.invocations if i.process == entrant.process]
    well = any(i.outcome is Outcome.OK for i in own)
    bad = [i for i in own if i.outcome is not Outcome.OK]
    spoilt = _spoilt(entrant, series)
    ended = bad or ([] if well or spoilt else failed)
    if ended:
        return _row(entrant, ended[-1].outcome, NotMeasured(ended[-1].message))
    if spoilt:
        return _row(entrant, Outcome.INVALID, NotMeasured(reasons=spoilt))
    given = any(turns.entrant == entrant.key for turns in series.given_turns)
    return _row(entrant, Outcome.UNAVAILABLE, NotMeasured(disturbed=well and given))


def answered_wrong(entrant: Entrant, wrong: Sequence[Invocation]) -> RankingRow:
    """In which rounds, and what was wrong the last time."""
    rounds = tuple(sorted({i.round for i in wrong}))
    return _row(entrant, wrong[-1].outcome, AnsweredWrong(rounds, wrong[-1].message))


def _spoilt(entrant: Entrant, series: Series) -> tuple[str, ...]:
    """What a link did to batches of it that do not count: each reason once, the latest first."""
    own = [one for one in series.left_out if one.batch.entrant == entrant.key and one.is_spoilt]
    return tuple(dict.fromkeys(one.why for one in reversed(own)))


def _row(entrant: Entrant, outcome: Outcome, why: NotMeasured | AnsweredWrong) -> RankingRow:
    return RankingRow(entrant.key, entrant.role, outcome, 0, Finding(why, (entrant.key,)))
