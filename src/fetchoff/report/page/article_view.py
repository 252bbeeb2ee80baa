"""The section of report.html for an article that was measured again: a view model."""

from __future__ import annotations

from dataclasses import dataclass

from fetchoff.model.analysis import Analysis
from fetchoff.model.claim import ClaimVerdict, Report
from fetchoff.report.article.tables import (
    ShownClaim,
    ShownTable,
    doubts,
    shown_claims,
    shown_tables,
    tally,
)
from fetchoff.report.page import article_charts
from fetchoff.report.page.article_bars import BarChart, bar_charts
from fetchoff.report.page.vega import Spec

STYLES = {
    ClaimVerdict.HOLDS: "passed",
    ClaimVerdict.WEAKER: "partly",
    ClaimVerdict.STRONGER: "partly",
    ClaimVerdict.DIRECTION: "partly",
    ClaimVerdict.GONE: "",
    ClaimVerdict.UNDECIDED: "inconclusive",
    ClaimVerdict.UNMEASURED: "inconclusive",
}


@dataclass(frozen=True)
class ArticleSection:
    """The article, measured again."""

    title: str
    year: int
    report: Report | None
    tally: str
    doubts: tuple[str, ...]
    claims: tuple[ShownClaim, ...]
    chart: Spec
    tables: tuple[ShownTable, ...]
    bars_about: str
    bars: tuple[BarChart, ...]
    styles: dict[ClaimVerdict, str]


def article_section(analysis: Analysis) -> ArticleSection | None:
    """The section of a run's article; None: it has none."""
    reproduction = analysis.reproduction
    if reproduction is None:
        return None
    article = reproduction.article
    about, bars = bar_charts(analysis, article.per_implementation)
    return ArticleSection(
        title=article.title,
        year=article.year,
        report=article.report,
        tally=tally(reproduction.judgements),
        doubts=doubts(analysis),
        claims=shown_claims(reproduction.judgements),
        chart=article_charts.claims(reproduction.judgements),
        tables=shown_tables(reproduction, analysis),
        bars_about=about,
        bars=bars,
        styles=STYLES,
    )
