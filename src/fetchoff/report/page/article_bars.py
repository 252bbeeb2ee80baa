"""The bar charts of an article that compares implementations site by site: a view model.

One chart a figure: a row for each implementation, a column of bars for each site, one axis for all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from fetchoff.model.analysis import Analysis, Costs
from fetchoff.report.article.sites import Site, sites_of
from fetchoff.report.metrics.groups import costs_of, groups_of
from fetchoff.report.wording.figures import MISSING, decimals_for, number

FIGURES: tuple[tuple[str, str, Callable[[Costs], float]], ...] = (
    ("Clock time", "milliseconds", lambda costs: costs.wall_us.point / 1e3),
    ("CPU time", "milliseconds", lambda costs: costs.cpu_us.point / 1e3),
    ("CPU time by clock time", "percent", lambda costs: costs.cpu_per_wall * 100),
)


@dataclass(frozen=True)
class SiteHeading:
    """A site, and how far away it is; "" over loopback."""

    site: str
    round_trip: str


@dataclass(frozen=True)
class Bar:
    """`length`: in percent of the longest of its chart. None: there is no figure."""

    length: float | None
    text: str


@dataclass(frozen=True)
class BarRow:
    """One implementation: a bar for each site."""

    client: str
    bars: tuple[Bar, ...]


@dataclass(frozen=True)
class BarChart:
    """One figure of all implementations at all sites."""

    title: str
    unit: str
    headings: tuple[SiteHeading, ...]
    rows: tuple[BarRow, ...]


def bar_charts(analysis: Analysis, workload: str) -> tuple[str, tuple[BarChart, ...]]:
    """What the workload is, and its charts; clients stand in the order of the suite in all."""
    sites = sites_of(analysis, workload)
    measured = [
        {standing.client: costs_of(standing) for standing in groups_of(site.result).ranked}
        for site in sites
    ]
    clients = [card.client for card in analysis.cards if any(card.client in at for at in measured)]
    about = sites[0].result.about if sites else ""
    if not clients:
        return about, ()
    return about, tuple(
        BarChart(title, unit, tuple(map(_heading, sites)), _rows(clients, measured, of))
        for title, unit, of in FIGURES
    )


def _heading(site: Site) -> SiteHeading:
    return SiteHeading(site.name, f"{site.round_trip_ms:g} ms" if site.result.link else "")


def _rows(
    clients: Sequence[str],
    measured: Sequence[Mapping[str, Costs]],
    of: Callable[[Costs], float],
) -> tuple[BarRow, ...]:
    values = [[of(at[client]) if client in at else None for client in clients] for at in measured]
    longest = max(value for column in values for value in column if value is not None)
    columns = [_column(column, longest) for column in values]
    return tuple(
        BarRow(client, tuple(column[place] for column in columns))
        for place, client in enumerate(clients)
    )


def _column(values: Sequence[float | None], longest: float) -> list[Bar]:
    """The bars of a site, their figures with as many decimals as the smallest needs."""
    decimals = decimals_for(values)
    return [
        Bar(None, MISSING) if value is None else Bar(100 * value / longest, number(value, decimals))
        for value in values
    ]
