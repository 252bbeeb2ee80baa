"""Clients whose processes fall into modes: docs/analysis.md#modes."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp

import numpy as np

from fetchoff.analysis.series import Series
from fetchoff.model.analysis import RankingRow
from fetchoff.model.experiment import Role
from fetchoff.model.finding import Clock, Finding, ModesMissed, TwoModes
from fetchoff.stats import modes_of

ONE_IN = 5
"""A reader is told how likely it is that a mode which one process in so many has was missed."""


def modes_in(series: Series, column: int, margin: float) -> TwoModes | None:
    """What a client's modes cost, and how many processes are in each; None if it has no modes.

    By CPU time, or by wall time if only that has modes.
    """
    shown = [i for i, entrant in enumerate(series.entrants) if entrant.role is not Role.CONTROL]
    for clock in (Clock.CPU, Clock.WALL):
        logs = series.logs(clock)
        found = modes_of(logs[:, shown], shown.index(column), apart=margin)
        if found:
            cheap, dear = found
            return TwoModes(
                clock=clock,
                cheap_share=cheap.share,
                cheap_us=exp(cheap.centre) / 1e3,
                dear_share=dear.share,
                dear_us=exp(dear.centre) / 1e3,
                processes=int(np.isfinite(logs[:, column]).sum()),
            )
    return None


def missed_by(standings: Sequence[RankingRow]) -> Finding | None:
    """What this run would have missed, where there are clients with modes; None: there are none.

    Of those that take part in fewer rounds than others, more is missed.
    """
    having = [s for s in standings if any(isinstance(f.evidence, TwoModes) for f in s.findings)]
    if not having:
        return None
    rounds = min(s.rounds for s in having)
    missed = (1 - 1 / ONE_IN) ** rounds
    names = tuple(s.client for s in having)
    return Finding(ModesMissed(len(having), rounds, ONE_IN, missed), names)
