"""What a difference of microseconds is worth at N exchanges a day: docs/analysis.md#at-scale."""

from __future__ import annotations

import math
from dataclasses import dataclass

from fetchoff.model.analysis import RankingRow, Relative, WorkloadResult
from fetchoff.model.estimate import Estimate
from fetchoff.report.metrics.groups import costs_of, groups_of

A_DAY = 1_000_000
"""Exchanges a day that are spoken of where nobody asked for another number."""

SECONDS_A_DAY = 86_400
DAYS_A_YEAR = 365


def days_a_day(microseconds: float, exchanges_a_day: float) -> float:
    """The days of time that so many microseconds an exchange come to, each day.

    days = exchanges x microseconds / 10^6 / 86,400. A result of 2 says that two cores do nothing
    else all day long.
    """
    return exchanges_a_day * microseconds / 1e6 / SECONDS_A_DAY


@dataclass(frozen=True)
class Saving:
    """What `client` takes less than `instead_of`, in microseconds an exchange; negative: more.

    `wall_us` is time in which somebody waits: the client's own CPU time is part of it.
    """

    client: str
    instead_of: str
    cpu_us: Estimate
    wall_us: Estimate


def against_baseline(result: WorkloadResult) -> tuple[Saving, ...]:
    """Every ranked client against the baseline, in the order of the ranking.

    Saved = cost of the baseline x (1 - ratio); the interval is that of the ratio. None where
    nothing is ranked.
    """
    ranked = _ranked(result)
    baseline = next((s for s in ranked if s.client == result.baseline), None)
    if baseline is None:
        return ()
    costs = costs_of(baseline)
    return tuple(
        Saving(
            standing.client,
            result.baseline,
            _saved(costs.cpu_us.point, standing.cpu),
            _saved(costs.wall_us.point, standing.wall),
        )
        for standing in ranked
        if standing is not baseline and standing.cpu is not None and standing.wall is not None
    )


def first_against_last(result: WorkloadResult) -> Saving | None:
    """The two ends of the ranking, by their points: of a pair other than with the baseline there is
    no interval."""
    ranked = _ranked(result)
    if len(ranked) < 2:
        return None
    first, last = ranked[0], ranked[-1]
    return Saving(
        first.client,
        last.client,
        _without_interval(_cpu(last) - _cpu(first)),
        _without_interval(_wall(last) - _wall(first)),
    )


@dataclass(frozen=True)
class Scale:
    """What can be said of a workload: its first client against the baseline, the two ends of the
    ranking, and every client against the baseline. `first` is None where an end says the same."""

    first: Saving | None
    ends: Saving
    savings: tuple[Saving, ...]


def scale_of(result: WorkloadResult) -> Scale | None:
    """All of it; None where nothing can be said."""
    ends, savings = first_against_last(result), against_baseline(result)
    if ends is None:
        return None
    is_end = result.baseline in (ends.client, ends.instead_of)
    return Scale(savings[0] if savings and not is_end else None, ends, savings)


def _ranked(result: WorkloadResult) -> tuple[RankingRow, ...]:
    """Those with a tier, best first; nobody where the ranking is withheld."""
    if result.withheld:
        return ()
    return tuple(standing for standing in groups_of(result).ranked if standing.tiers is not None)


def _saved(cost: float, relative: Relative | None) -> Estimate:
    if relative is None:
        return _without_interval(math.nan)
    ratio = relative.ratio.two_ended
    low, high = (cost * (1 - end) for end in (ratio.high, ratio.low))
    return Estimate(cost * (1 - ratio.point), low, high, ratio.level)


def _without_interval(point: float) -> Estimate:
    return Estimate(point, -math.inf, math.inf, 0.0)


def _cpu(standing: RankingRow) -> float:
    return costs_of(standing).cpu_us.point


def _wall(standing: RankingRow) -> float:
    return costs_of(standing).wall_us.point
