"""An article beside what was measured again: its tables and claims, for page and terminal alike."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from fetchoff.model.analysis import Analysis
from fetchoff.model.claim import (
    ClaimVerdict,
    Figure,
    PublishedCell,
    PublishedTable,
)
from fetchoff.model.judgement import Judgement, Reproduction
from fetchoff.report.article.published import measured_figure, standing_of
from fetchoff.report.wording import claims, findings
from fetchoff.report.wording.figures import MISSING, interval, number, ratio

UNITS = {
    Figure.RATE: "per s",
    Figure.MBPS: "MB/s",
    Figure.RELATIVE: "× baseline",
}
COUNTED = {
    ClaimVerdict.HOLDS: ("holds", "hold"),
    ClaimVerdict.WEAKER: ("is weaker than published", "are weaker than published"),
    ClaimVerdict.STRONGER: ("is stronger than published", "are stronger than published"),
    ClaimVerdict.DIRECTION: (
        "goes in the same direction, size undecided",
        "go in the same direction, size undecided",
    ),
    ClaimVerdict.GONE: ("does not hold any more", "do not hold any more"),
    ClaimVerdict.UNDECIDED: ("is undecided", "are undecided"),
    ClaimVerdict.UNMEASURED: ("cannot be measured here", "cannot be measured here"),
}


@dataclass(frozen=True)
class ShownColumn:
    """A column of a published table. `is_published`: the article gives figures for it."""

    heading: str
    here: str
    unit: str
    is_published: bool


@dataclass(frozen=True)
class ShownCell:
    """One figure, published and here; `beside`: the interval of ours, where there is one."""

    published: str
    here: str
    beside: str = ""


@dataclass(frozen=True)
class ShownRow:
    """A line of a published table. `client`: ours, or ""."""

    label: str
    client: str
    cells: tuple[ShownCell, ...]


@dataclass(frozen=True)
class ShownTable:
    """A published table in its own layout, with our figures beside."""

    title: str
    about: str
    columns: tuple[ShownColumn, ...]
    rows: tuple[ShownRow, ...]


@dataclass(frozen=True)
class ShownClaim:
    """A claim with its verdict. `number` tells the claims of one id apart, from 1."""

    number: int
    id: str
    text: str
    measure: str
    published: str
    measured: str
    interval: str
    verdict: ClaimVerdict
    reason: str


def shown_claims(judgements: Sequence[Judgement]) -> tuple[ShownClaim, ...]:
    """Every claim, in order."""
    return tuple(
        ShownClaim(
            number=place,
            id=judgement.claim.id,
            text=judgement.claim.text,
            measure=claims.measure(judgement.claim.statement),
            published=claims.published(judgement.claim.statement) or MISSING,
            measured=claims.measured(judgement),
            interval=claims.measured_interval(judgement),
            verdict=judgement.verdict,
            reason=claims.reasons(judgement),
        )
        for place, judgement in enumerate(judgements, start=1)
    )


def tally(judgements: Iterable[Judgement]) -> str:
    """`9 claims: 4 hold · 1 does not hold any more`."""
    verdicts = [judgement.verdict for judgement in judgements]
    counts = [(verdicts.count(verdict), *COUNTED[verdict]) for verdict in ClaimVerdict]
    said = (f"{count} {one if count == 1 else many}" for count, one, many in counts if count)
    return f"{len(verdicts)} claim{'' if len(verdicts) == 1 else 's'}: {' · '.join(said)}"


def doubts(analysis: Analysis) -> tuple[str, ...]:
    """Workloads whose figures must not be believed, and why."""
    return tuple(
        f"`{result.workload}` has no figures to be believed, so no claim about them is judged: "
        f"{findings.reason(result.withheld)}."
        for result in analysis.results
        if result.withheld
    )


def shown_tables(reproduction: Reproduction, analysis: Analysis) -> tuple[ShownTable, ...]:
    """Every table of the article."""
    return tuple(_table(table, analysis) for table in reproduction.article.tables)


def _table(table: PublishedTable, analysis: Analysis) -> ShownTable:
    cells = [
        _column([row.cells[place] for row in table.rows], table.n, analysis)
        for place in range(len(table.columns))
    ]
    columns = tuple(
        ShownColumn(
            heading=column.heading,
            here=column.here or "here",
            unit=UNITS.get(table.rows[0].cells[place].figure, "s"),
            is_published=any(cell.published != MISSING for cell in cells[place]),
        )
        for place, column in enumerate(table.columns)
    )
    rows = tuple(
        ShownRow(row.label, row.client, tuple(column[place] for column in cells))
        for place, row in enumerate(table.rows)
    )
    about = f"seconds for {table.n:,} exchanges" if table.n else columns[0].unit
    return ShownTable(table.title, about, columns, rows)


def _column(cells: Sequence[PublishedCell], n: int, analysis: Analysis) -> list[ShownCell]:
    """The cells of one column, with as many decimals for all as one of them needs."""
    published = [cell.published for cell in cells]
    ours = [measured_figure(cell, n, analysis) for cell in cells]
    stated = max(map(_decimals_stated, published), default=0)
    if all(cell.figure is Figure.RATE for cell in cells):
        stated = min(stated, 1)
    needed = max(stated, _decimals_needed(ours))
    return [
        ShownCell(number(theirs, stated), _here(cell, own, needed), _beside(cell, analysis))
        for cell, theirs, own in zip(cells, published, ours, strict=True)
    ]


def _here(cell: PublishedCell, value: float, decimals: int) -> str:
    return ratio(value) if cell.figure is Figure.RELATIVE else number(value, decimals)


def _beside(cell: PublishedCell, analysis: Analysis) -> str:
    """The interval of a ratio or a throughput; the seconds of an article have none."""
    standing = standing_of(cell.side, analysis)
    if standing is None or standing.costs is None:
        return ""
    if cell.figure is Figure.RELATIVE and standing.wall is not None:
        found = interval(standing.wall.ratio)
        return "" if standing.wall.ratio.low == standing.wall.ratio.high else found
    if cell.figure is Figure.MBPS and standing.costs.throughput is not None:
        rate = standing.costs.throughput.mb_per_second
        if rate.low > 0 and math.isfinite(rate.high):
            return f"{number(rate.low)}–{number(rate.high)}"
    return ""


def _decimals_stated(value: float) -> int:
    """Decimals of a figure as it was printed; none of what was not."""
    return len(f"{value:.4g}".partition(".")[2]) if math.isfinite(value) and value < 1e4 else 0


def _decimals_needed(values: Iterable[float]) -> int:
    """So many that the smallest figure keeps two significant digits, up to four."""
    smallest = min((v for v in values if math.isfinite(v) and v > 0), default=100.0)
    return min(max(1 - math.floor(math.log10(smallest)), 0), 4)
