"""Articles beside our own figures, for the terminal: the tables as published, then the claims."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from fetchoff.model.analysis import Analysis
from fetchoff.model.claim import Article, ClaimVerdict
from fetchoff.model.judgement import Judgement
from fetchoff.report.article.tables import (
    ShownClaim,
    ShownTable,
    doubts,
    shown_claims,
    shown_tables,
    tally,
)
from fetchoff.report.wording.claims import setting

STYLES = {
    ClaimVerdict.HOLDS: "green",
    ClaimVerdict.WEAKER: "",
    ClaimVerdict.STRONGER: "",
    ClaimVerdict.DIRECTION: "",
    ClaimVerdict.GONE: "red",
    ClaimVerdict.UNDECIDED: "yellow",
    ClaimVerdict.UNMEASURED: "dim",
}


def whole(analyses: Sequence[Analysis]) -> Group:
    """All articles: their tables, then one table of all claims. Runs of no article are left out."""
    parts: list[RenderableType] = []
    judgements: list[Judgement] = []
    for analysis in analyses:
        if analysis.reproduction is None:
            continue
        parts += [_heading(analysis.reproduction.article), Text()]
        for table in shown_tables(analysis.reproduction, analysis):
            parts += [published(table), Text()]
        said = [
            Text(f"note: {doubt.replace('`', '')}", style="yellow") for doubt in doubts(analysis)
        ]
        parts += [*said, Text()] if said else []
        judgements += analysis.reproduction.judgements
    counted = f"{tally(judgements)}; all intervals of an article hold together with 95 %"
    return Group(*parts, claims(judgements), Text(counted, style="dim"))


def _heading(article: Article) -> Text:
    """Title and year; of a report, where it is, and what of its set-up is known."""
    year = f"  {article.year}" if article.year else ""
    heading = Text.assemble((article.title, "bold underline"), (year, "dim"))
    if article.report:
        heading.append(f"\n{setting(article.report)}", style="dim")
    return heading


def claims(judgements: Sequence[Judgement]) -> Table:
    """A line a claim: what was published, what came out, and the verdict."""
    table = _table()
    for column in ("claim", "what it says", "published", "measured", "interval", "verdict"):
        numeric = column in ("measured", "interval")
        table.add_column(column, justify="right" if numeric else "left", overflow="fold")
    for claim in shown_claims(judgements):
        table.add_row(
            claim.id, claim.text, claim.published, claim.measured, claim.interval, _verdict(claim)
        )
    return table


def _verdict(claim: ShownClaim) -> Text:
    verdict = Text(claim.verdict.value, style=STYLES[claim.verdict])
    if claim.reason:
        verdict.append(f": {claim.reason}", style="dim")
    return verdict


def published(shown: ShownTable) -> Table:
    """The table in its article's layout, our figures beside the published ones."""
    table = _table()
    table.title, table.title_justify = f"{shown.title}: {shown.about}, published and (here)", "left"
    table.add_column("")
    for column in shown.columns:
        if column.is_published:
            table.add_column(column.heading, justify="right")
        heading = f"({column.here})" if column.is_published else column.heading
        table.add_column(heading, justify="right", style="cyan")
    for row in shown.rows:
        cells: list[RenderableType] = []
        for column, cell in zip(shown.columns, row.cells, strict=True):
            here = Text.assemble(cell.here, (f" {cell.beside}" if cell.beside else "", "dim"))
            cells += ([cell.published] if column.is_published else []) + [here]
        table.add_row(row.label, *cells)
    return table


def _table() -> Table:
    return Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
