"""Clients whose processes fall into modes, told in words: docs/analysis.md#modes."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp

import numpy as np

from fetchoff.analysis.series import Series
from fetchoff.model.analysis import RankingRow
from fetchoff.model.experiment import Role
from fetchoff.stats import Mode, modes_of

TOLD = "its processes fall into two modes"
RARE = 0.2
"""The share of processes in a mode that a reader is told may have been missed."""


def note_of(series: Series, column: int, margin: float) -> str:
    """What a client's modes cost, and how many processes are in each; "" if it has none.

    By CPU time, or by wall time if only that has modes.
    """
    shown = [i for i, entrant in enumerate(series.entrants) if entrant.role is not Role.CONTROL]
    for metric, unit in (("cpu", "of CPU time"), ("wall", "of wall time")):
        found = modes_of(series.logs(metric)[:, shown], shown.index(column), apart=margin)
        if found:
            rounds = int(np.isfinite(series.logs(metric)[:, column]).sum())
            cheap, dear = (_said(mode) for mode in found)
            return f"{TOLD}: {cheap}, {dear} {unit} an exchange (of {rounds} processes)"
    return ""


def _said(mode: Mode) -> str:
    cost_us = exp(mode.centre) / 1e3
    return f"{mode.share:.0%} take {cost_us:.{0 if cost_us >= 100 else 1}f} µs"


def note_on_all(standings: Sequence[RankingRow], rounds: int) -> str:
    """What this run would have missed, where there are clients with modes; "": there are none."""
    having = [s.client for s in standings if any(TOLD in note for note in s.notes)]
    if not having:
        return ""
    missed = (1 - RARE) ** rounds
    return (
        f"the processes of {len(having)} client{'s' if len(having) > 1 else ''} fall into modes: "
        f"a mode that 1 process in {1 / RARE:.0f} has stays unseen in {missed:.0%} of runs with "
        f"{rounds} rounds"
    )
