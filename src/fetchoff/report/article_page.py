"""The section of report.html for an article that was measured again: a view model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from fetchoff.model.analysis import Analysis, Costs
from fetchoff.model.claim import ClaimVerdict
from fetchoff.report import article_charts
from fetchoff.report.article import (
    ShownClaim,
    ShownTable,
    doubts,
    shown_claims,
    shown_tables,
    tally,
)
from fetchoff.report.groups import groups_of
from fetchoff.report.vega import Spec

STYLES = {
    ClaimVerdict.HOLDS: "passed",
    ClaimVerdict.WEAKER: "passed",
    ClaimVerdict.STRONGER: "passed",
    ClaimVerdict.GONE: "",
    ClaimVerdict.UNDECIDED: "inconclusive",
    ClaimVerdict.UNMEASURED: "inconclusive",
}


@dataclass(frozen=True)
class Bars:
    """A chart of one figure by implementation."""

    title: str
    unit: str
    chart: Spec


@dataclass(frozen=True)
class ArticleSection:
    """The article, measured again."""

    title: str
    year: int
    tally: str
    doubts: tuple[str, ...]
    claims: tuple[ShownClaim, ...]
    chart: Spec
    tables: tuple[ShownTable, ...]
    bars_about: str
    bars: tuple[Bars, ...]
    styles: dict[ClaimVerdict, str]


def article_section(analysis: Analysis) -> ArticleSection | None:
    """The section of a run's article; None: it has none."""
    reproduction = analysis.reproduction
    if reproduction is None:
        return None
    article = reproduction.article
    about, bars = _bars(analysis, article.per_implementation)
    return ArticleSection(
        title=article.title,
        year=article.year,
        tally=tally(reproduction.judgements),
        doubts=doubts(analysis),
        claims=shown_claims(reproduction.judgements),
        chart=article_charts.claims(reproduction.judgements),
        tables=shown_tables(reproduction, analysis),
        bars_about=about,
        bars=bars,
        styles=STYLES,
    )


FIGURES: tuple[tuple[str, str, Callable[[Costs], float]], ...] = (
    ("Clock time", "milliseconds", lambda costs: costs.wall_us.point / 1e3),
    ("CPU time", "milliseconds", lambda costs: costs.cpu_us.point / 1e3),
    ("CPU time by clock time", "percent", lambda costs: costs.cpu_per_wall * 100),
)


def _bars(analysis: Analysis, workload: str) -> tuple[str, tuple[Bars, ...]]:
    """What the workload is, and its charts; clients stand in the order of the suite in all."""
    result = next((one for one in analysis.results if one.workload == workload), None)
    if result is None:
        return "", ()
    places = {card.client: place for place, card in enumerate(analysis.cards)}
    measured = sorted(groups_of(result).ranked, key=lambda s: places.get(s.client, len(places)))
    if not measured:
        return result.about, ()
    bars = (
        Bars(title, unit, article_charts.implementations(measured, of))
        for title, unit, of in FIGURES
    )
    return result.about, tuple(bars)
