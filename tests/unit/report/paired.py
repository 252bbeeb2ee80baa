"""Pairs of made-up rankings, from made-up rounds about the costs that the rankings show."""

from __future__ import annotations

import numpy as np

from fetchoff.model.analysis import WorkloadResult
from fetchoff.model.experiment import Role
from fetchoff.model.pairwise import Pairwise
from fetchoff.report.metrics.groups import costs_of
from fetchoff.stats import pairwise

ROUNDS = 14
COMPILED = ("javascript/", "java/")
"""Clients of these take part in every third round, as those with compilers do."""


def pairs_of(found: WorkloadResult, rounds: int = ROUNDS) -> dict[str, Pairwise]:
    """All pairs of a workload's ranked clients, by clock."""
    rows = [s for s in found.standings if s.role is Role.RANKED and s.costs is not None]
    names = [row.client for row in rows]
    noise = np.random.default_rng(len(found.workload))
    drawn = {}
    for clock in ("wall", "cpu"):
        costs_us = [getattr(costs_of(row), f"{clock}_us").point for row in rows]
        y = np.log(costs_us) + noise.normal(0, 0.01, (rounds, len(rows)))
        seldom = [place for place, name in enumerate(names) if name.startswith(COMPILED)]
        y[1::3, seldom] = y[2::3, seldom] = np.nan
        drawn[clock] = pairwise(y, names, final=True)
    return drawn
