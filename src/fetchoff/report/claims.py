"""Articles beside our own figures, for the terminal: the claims, then the tables as published."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from fetchoff.model.analysis import Analysis, Costs
from fetchoff.model.claim import Article, ClaimVerdict, Judgement, PublishedTable
from fetchoff.report.figures import MISSING, interval, number, ratio

STYLES = {
    ClaimVerdict.HOLDS: "green",
    ClaimVerdict.WEAKER: "green",
    ClaimVerdict.STRONGER: "green",
    ClaimVerdict.GONE: "red",
    ClaimVerdict.UNDECIDED: "yellow",
    ClaimVerdict.UNMEASURED: "dim",
}


@dataclass(frozen=True)
class Reproduction:
    """One article, measured again."""

    article: Article
    judgements: tuple[Judgement, ...]
    analysis: Analysis


def whole(reproductions: Sequence[Reproduction]) -> Group:
    """All articles: their tables, then one table of all claims."""
    parts: list[RenderableType] = []
    for one in reproductions:
        parts += [_heading(one.article), Text()]
        for table in one.article.tables:
            parts += [published(table, one.analysis), Text()]
    return Group(*parts, claims(reproductions), Text(_counts(reproductions), style="dim"))


def _heading(article: Article) -> Text:
    return Text.assemble((article.title, "bold underline"), (f"  {article.year}", "dim"))


def claims(reproductions: Sequence[Reproduction]) -> Table:
    """A line a claim: what was published, what came out, and the verdict."""
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for column in ("claim", "what it says", "published", "measured", "interval", "verdict"):
        numeric = column in ("measured", "interval")
        table.add_column(column, justify="right" if numeric else "left", overflow="fold")
    for one in reproductions:
        for judgement in one.judgements:
            table.add_row(*_row(judgement))
    return table


def _row(judgement: Judgement) -> tuple[RenderableType, ...]:
    found = judgement.measured
    verdict = Text(judgement.verdict.value, style=STYLES[judgement.verdict])
    if judgement.text:
        verdict.append(f": {judgement.text}", style="dim")
    return (
        judgement.claim.id,
        judgement.claim.text,
        judgement.published,
        f"×{ratio(found.point)}" if found else MISSING,
        interval(found),
        verdict,
    )


def _counts(reproductions: Sequence[Reproduction]) -> str:
    verdicts = [j.verdict for one in reproductions for j in one.judgements]
    counted = ((verdict.value, verdicts.count(verdict)) for verdict in ClaimVerdict)
    said = ", ".join(f"{count} {name}" for name, count in counted if count)
    return f"{len(verdicts)} claims: {said}; 95 % intervals over rounds of fresh processes"


def published(table: PublishedTable, analysis: Analysis) -> Table:
    """The table in its article's layout, our figures beside the published ones. Seconds for n."""
    shown = Table(
        title=f"{table.title}: seconds for {table.n} exchanges, published and (here)",
        title_justify="left",
        box=None,
        pad_edge=False,
        header_style="bold",
        padding=(0, 2, 0, 0),
    )
    shown.add_column("client")
    for column in table.columns:
        shown.add_column(column, justify="right")
        shown.add_column("(here)", justify="right", style="cyan")
    costs = _costs(table.workload, analysis)
    for row in table.rows:
        ours = costs.get(row.client)
        cells = []
        for column, figure in zip(table.columns, row.published, strict=True):
            cells += [f"{figure:g}", _here(ours, column, table.n)]
        shown.add_row(row.client, *cells)
    return shown


def _costs(workload: str, analysis: Analysis) -> dict[str, Costs]:
    found = (result for result in analysis.results if result.workload == workload)
    return {s.client: s.costs for result in found for s in result.standings if s.costs is not None}


def _here(costs: Costs | None, column: str, n: int) -> str:
    if costs is None:
        return MISSING
    micros = {
        "wall": costs.wall_us.point,
        "real": costs.wall_us.point,
        "usr": costs.user_us,
        "sys": costs.system_us,
        "cpu": costs.cpu_us.point,
        "total": costs.cpu_us.point,
    }[column]
    return number(micros * n / 1e6, 3)
