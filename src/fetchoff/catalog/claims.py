"""Published comparisons: articles in catalog/claims/, reported claims in catalog/reported/.

A file's name is its id. Articles are measured by the suites of the same names; what measures a
reported claim follows from the sides that it compares.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from fetchoff.catalog import workloads
from fetchoff.catalog.files import find, names
from fetchoff.catalog.toml import Document, read
from fetchoff.catalog.workloads import Suite
from fetchoff.model.claim import (
    LEVEL_WITH,
    AmountClaim,
    Article,
    Claim,
    EqualClaim,
    Figure,
    FindingClaim,
    Measure,
    OrderClaim,
    PublishedCell,
    PublishedColumn,
    PublishedRow,
    PublishedTable,
    RatioClaim,
    Report,
    Side,
    SpreadClaim,
    UnmeasurableClaim,
    measured_sides,
)
from fetchoff.model.errors import UnknownName
from fetchoff.model.origin import BUILT_IN

_Side = tuple[str, str]


REPORTED = "reported"
"""The name of all reported claims together."""


class _Stated(Document):
    id: str = ""
    text: str
    cause: str = ""


class _Unmeasurable(_Stated):
    kind: Literal["unmeasurable"]
    measure: Measure
    needs: str

    def statement(self) -> UnmeasurableClaim:
        return UnmeasurableClaim(self.measure, self.needs)


class _Value(_Stated):
    """A figure, or a bound of one."""

    measure: Measure
    of: _Side
    at_least: bool = False
    at_most: bool = False

    @model_validator(mode="after")
    def _one_bound_at_most(self) -> Self:
        if self.at_least and self.at_most:
            raise ValueError("a claim has at_least or at_most, not both")
        return self


class _Amount(_Value):
    kind: Literal["amount"]
    published: float = Field(gt=0)

    def statement(self) -> AmountClaim:
        return AmountClaim(
            self.measure,
            Side(*self.of),
            self.published,
            at_least=self.at_least,
            at_most=self.at_most,
        )


class _Finding(_Stated):
    kind: Literal["finding"]
    of: _Side
    fault: str
    absent: bool = False

    def statement(self) -> FindingClaim:
        return FindingClaim(Side(*self.of), self.fault, is_absent=self.absent)


class _Ratio(_Value):
    kind: Literal["ratio"]
    to: _Side
    published: float = Field(gt=1)

    @model_validator(mode="after")
    def _a_difference(self) -> _Ratio:
        if self.published <= 1 + LEVEL_WITH and not (self.at_least or self.at_most):
            raise ValueError(f"a ratio within {LEVEL_WITH:.0%} of 1 needs kind = 'equal'")
        return self

    def statement(self) -> RatioClaim:
        of, to = Side(*self.of), Side(*self.to)
        return RatioClaim(
            self.measure, of, to, self.published, at_least=self.at_least, at_most=self.at_most
        )


class _Equal(_Stated):
    kind: Literal["equal"]
    measure: Measure
    of: _Side
    to: _Side
    margin: float = Field(gt=0, lt=1)

    def statement(self) -> EqualClaim:
        return EqualClaim(self.measure, Side(*self.of), Side(*self.to), self.margin)


class _Order(_Stated):
    kind: Literal["order"]
    measure: Measure
    sides: tuple[_Side, ...] = Field(min_length=2)

    def statement(self) -> OrderClaim:
        return OrderClaim(self.measure, tuple(Side(*side) for side in self.sides))


class _Spread(_Stated):
    kind: Literal["spread"]
    measure: Measure
    sides: tuple[_Side, ...] = Field(min_length=2)
    at_least: float = Field(default=0, ge=0)
    at_most: float = Field(default=0, ge=0)

    @model_validator(mode="after")
    def _one_bound(self) -> _Spread:
        if (self.at_least > 0) == (self.at_most > 0):
            raise ValueError("a spread has either at_least or at_most")
        return self

    def statement(self) -> SpreadClaim:
        sides = tuple(Side(*side) for side in self.sides)
        return SpreadClaim(self.measure, sides, self.at_least, self.at_most)


_Claim = Annotated[
    _Ratio | _Equal | _Order | _Spread | _Amount | _Finding | _Unmeasurable,
    Field(discriminator="kind"),
]


class _Column(Document):
    heading: str
    here: str = ""
    figure: Figure | None = None
    client: str = ""
    workload: str = ""


class _Row(Document):
    label: str
    client: str = ""
    workload: str = ""
    published: tuple[float, ...] = ()


class _Table(Document):
    title: str
    n: int = Field(default=0, ge=0)
    figure: Figure | None = None
    workload: str = ""
    columns: tuple[Figure | _Column, ...] = Field(min_length=1)
    rows: tuple[_Row, ...] = Field(min_length=1)

    @property
    def full_columns(self) -> tuple[_Column, ...]:
        """The columns; a column that is only the name of a figure is expanded."""
        return tuple(
            _Column(heading=str(column), figure=column) if isinstance(column, Figure) else column
            for column in self.columns
        )

    @model_validator(mode="after")
    def _every_cell_is_told(self) -> _Table:
        for column in self.full_columns:
            if not (column.figure or self.figure):
                raise ValueError(f"column '{column.heading}' has no figure")
            for row in self.rows:
                if not (row.client or column.client):
                    raise ValueError(f"'{row.label}' has no client")
                if not (row.workload or column.workload or self.workload):
                    raise ValueError(f"'{row.label}' has no workload")
        return self

    @model_validator(mode="after")
    def _figures_fit(self) -> _Table:
        figures = [column.figure or self.figure for column in self.full_columns]
        if not self.n and set(figures) - {Figure.MBPS, Figure.RELATIVE}:
            raise ValueError(
                "a table of seconds needs n, the number of exchanges that they are for"
            )
        before = figures[: figures.index(Figure.RATE)] if Figure.RATE in figures else None
        if before is not None and not {Figure.WALL, Figure.REAL} & set(before):
            raise ValueError("a rate needs a wall or real column before it")
        told = sum(figure is not Figure.RATE for figure in figures)
        for row in self.rows:
            if row.published and len(row.published) != told:
                raise ValueError(
                    f"'{row.label}' has {len(row.published)} figures instead of {told}"
                )
        return self


class _Source(Document):
    """Where a comparison was reported, and how it is measured again."""

    source: str = Field(pattern="^https://")
    stated: str
    versions: str
    unstated: str = ""
    here: str = ""
    workloads: tuple[str, ...] = ()
    baseline: str = ""
    budget_s: float = Field(default=60.0, gt=0)
    blocks: int = Field(default=4, ge=2, le=100)
    blocks_over_links: int = Field(default=1, ge=1, le=100)

    def to_model(self) -> Report:
        return Report(self.source, self.stated, self.versions, self.unstated, self.here)


class _Article(Document):
    schema_: int = Field(alias="schema", ge=1, le=1)
    title: str
    year: int = 0
    report: _Source | None = None
    claim: tuple[_Claim, ...] = Field(min_length=1)
    table: tuple[_Table, ...] = ()
    per_implementation: str = ""


def article(name: str) -> Article:
    """The article or the reported claim of this id; UnknownName if there is none."""
    document = _document(name)
    return Article(
        id=name,
        title=document.title,
        year=document.year,
        claims=tuple(Claim(c.id or name, c.text, c.statement(), c.cause) for c in document.claim),
        tables=tuple(_table(table) for table in document.table),
        per_implementation=document.per_implementation,
        report=document.report.to_model() if document.report else None,
    )


def suite(name: str, *, full: bool = False) -> Suite:
    """What measures an article or a reported claim; `full`: an article at its published sizes."""
    source = _document(name).report
    if source is None:
        return workloads.suite(name, full=full)
    found = article(name)
    sides = list(_sides(found))
    return Suite(
        id=name,
        about=found.title,
        origin=BUILT_IN,
        workloads=tuple(dict.fromkeys((*(side.workload for side in sides), *source.workloads))),
        clients=tuple(dict.fromkeys(side.client for side in (*sides, *_recorded(found)))),
        without=(),
        if_ready=(),
        baseline=source.baseline or (sides[-1].client if sides else ""),
        budget_s=source.budget_s,
        blocks=source.blocks,
        blocks_over_links=source.blocks_over_links,
    )


def articles() -> list[str]:
    """The ids of the articles that ship, the oldest first."""
    return sorted(names("claims"), key=lambda name: (name.split("-")[-1], name))


def reported() -> list[str]:
    """The ids of the reported claims that ship."""
    return names("reported")


def spelt_out(wanted: Sequence[str]) -> list[str]:
    """The ids that are wanted, each once; `reported` stands for all reported claims."""
    each = (reported() if name == REPORTED else [name] for name in wanted)
    return list(dict.fromkeys(name for group in each for name in group))


def _document(name: str) -> _Article:
    if name in articles():
        return read(find("article", "claims", name), _Article)
    if name in reported():
        return read(find("reported claim", "reported", name), _Article)
    raise UnknownName("article", name, [*articles(), *reported(), REPORTED])


def _sides(found: Article) -> Iterator[Side]:
    """What is measured for its claims and its tables."""
    for claim in found.claims:
        yield from measured_sides(claim.statement)
    for table in found.tables:
        yield from (cell.side for row in table.rows for cell in row.cells)


def _recorded(found: Article) -> Iterator[Side]:
    yield from (claim.of for claim in found.findings)


def _table(table: _Table) -> PublishedTable:
    columns = tuple(
        PublishedColumn(column.heading, column.here or column.client)
        for column in table.full_columns
    )
    rows = tuple(PublishedRow(r.label, r.client, tuple(_cells(table, r))) for r in table.rows)
    return PublishedTable(table.title, table.n, columns, rows)


def _cells(table: _Table, row: _Row) -> Iterator[PublishedCell]:
    """A row's cells. A rate is not given in the file: it is n ÷ the seconds of wall time."""
    told = iter(row.published)
    seconds = math.nan
    for column in table.full_columns:
        figure = column.figure or table.figure
        assert figure is not None  # validated
        side = Side(row.client or column.client, row.workload or column.workload or table.workload)
        published = table.n / seconds if figure is Figure.RATE else next(told, math.nan)
        if figure in (Figure.WALL, Figure.REAL):
            seconds = published
        yield PublishedCell(side, figure, published)
