"""catalog/claims/*.toml: published comparisons; a file is named as its article and suite are."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, model_validator

from fetchoff.catalog.places import shipped
from fetchoff.catalog.toml import Document, read
from fetchoff.model.claim import (
    Article,
    Claim,
    EqualClaim,
    Measure,
    OrderClaim,
    PublishedRow,
    PublishedTable,
    RatioClaim,
    Side,
    SpreadClaim,
)
from fetchoff.model.errors import UnknownName

_Side = tuple[str, str]


class _Stated(Document):
    id: str
    text: str
    cause: str = ""
    measure: Measure


class _Ratio(_Stated):
    kind: Literal["ratio"]
    of: _Side
    to: _Side
    published: float = Field(gt=1)
    at_least: bool = False

    def statement(self) -> RatioClaim:
        return RatioClaim(
            self.measure, Side(*self.of), Side(*self.to), self.published, self.at_least
        )


class _Equal(_Stated):
    kind: Literal["equal"]
    of: _Side
    to: _Side
    margin: float = Field(gt=0, lt=1)

    def statement(self) -> EqualClaim:
        return EqualClaim(self.measure, Side(*self.of), Side(*self.to), self.margin)


class _Order(_Stated):
    kind: Literal["order"]
    sides: tuple[_Side, ...] = Field(min_length=2)

    def statement(self) -> OrderClaim:
        return OrderClaim(self.measure, tuple(Side(*side) for side in self.sides))


class _Spread(_Stated):
    kind: Literal["spread"]
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


_Claim = Annotated[_Ratio | _Equal | _Order | _Spread, Field(discriminator="kind")]


class _Table(Document):
    title: str
    workload: str
    n: int = Field(gt=0)
    columns: tuple[Literal["wall", "usr", "sys", "cpu", "total", "real"], ...]
    rows: tuple[tuple[str, tuple[float, ...]], ...]

    @model_validator(mode="after")
    def _rows_are_as_long_as_the_columns(self) -> _Table:
        for client, figures in self.rows:
            if len(figures) != len(self.columns):
                raise ValueError(f"{client} has {len(figures)} figures for {self.columns}")
        return self


class _Article(Document):
    schema_: int = Field(alias="schema", ge=1, le=1)
    title: str
    year: int
    claim: tuple[_Claim, ...] = Field(min_length=1)
    table: tuple[_Table, ...] = ()


def article(name: str) -> Article:
    """The article of this id; UnknownName if there is none."""
    path = _folder() / f"{name}.toml"
    if name not in articles():
        raise UnknownName("article", name, articles())
    document = read(path, _Article)
    return Article(
        id=name,
        title=document.title,
        year=document.year,
        claims=tuple(Claim(c.id, c.text, c.statement(), c.cause) for c in document.claim),
        tables=tuple(_table(table) for table in document.table),
    )


def articles() -> list[str]:
    """The ids of the articles that ship, from the oldest on."""
    paths = _folder().glob("*.toml")
    return sorted((path.stem for path in paths), key=lambda name: (name.split("-")[-1], name))


def _table(table: _Table) -> PublishedTable:
    rows = tuple(PublishedRow(client, figures) for client, figures in table.rows)
    return PublishedTable(table.title, table.workload, table.n, table.columns, rows)


def _folder() -> Path:
    return shipped("catalog") / "claims"
