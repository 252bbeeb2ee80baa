"""Our figures for the cells of a published table."""

from __future__ import annotations

import math

from fetchoff.model.analysis import Analysis, Costs, RankingRow
from fetchoff.model.claim import Figure, PublishedCell, Side

MICROSECONDS = 1e6


def measured_figure(cell: PublishedCell, n: int, analysis: Analysis) -> float:
    """What was measured of a cell's client and workload, in the cell's unit; NaN: nothing.

    Seconds are those of one exchange times `n`; a rate is `n` over that many seconds of wall time.
    """
    standing = standing_of(cell.side, analysis)
    if standing is None or standing.costs is None:
        return math.nan
    if cell.figure is Figure.RELATIVE:
        return standing.wall.ratio.point if standing.wall else math.nan
    return _figure(cell.figure, standing.costs, n)


def standing_of(side: Side, analysis: Analysis) -> RankingRow | None:
    """How a side of a comparison came out in a run."""
    return next(
        (
            standing
            for result in analysis.results
            if result.workload == side.workload
            for standing in result.standings
            if standing.client == side.client
        ),
        None,
    )


def _figure(figure: Figure, costs: Costs, n: int) -> float:
    match figure:
        case Figure.WALL | Figure.REAL:
            return costs.wall_us.point * n / MICROSECONDS
        case Figure.CPU | Figure.TOTAL:
            return costs.cpu_us.point * n / MICROSECONDS
        case Figure.USR:
            return costs.user_us * n / MICROSECONDS
        case Figure.SYS:
            return costs.system_us * n / MICROSECONDS
        case Figure.RATE:
            return costs.per_second
        case Figure.MBPS if costs.throughput:
            return costs.throughput.mb_per_second.point
    return math.nan
