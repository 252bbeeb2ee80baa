"""The ranking in report.html: headings, and a cell for each client."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from fetchoff.model.analysis import ClientCard, WorkloadResult
from fetchoff.model.experiment import Role
from fetchoff.report.metrics import costs, relative, traffic
from fetchoff.report.metrics.metric import Entry, Form, Metric, Surface
from fetchoff.report.metrics.registry import entries_of
from fetchoff.report.wording.columns import Column, columns_of, estimate_of
from fetchoff.report.wording.figures import MISSING, interval, number, significant


@dataclass(frozen=True)
class Cell:
    """A table cell: what is read, what it is sorted by, and what stands small beside it."""

    text: str
    key: float | str
    beside: str = ""
    style: str = ""


@dataclass(frozen=True)
class Heading:
    """A column's heading. `about`: its explanation's anchor; `explanation`: in a sentence or two;
    `first`: the order of one click."""

    text: str
    unit: str
    about: str
    explanation: str
    is_numeric: bool
    first: Literal["ascending", "descending"]


@dataclass(frozen=True)
class PageColumn:
    """A heading, and a cell for each client that was measured, in their order."""

    metric: Metric
    heading: Heading
    cells: tuple[Cell, ...]


def page_columns(result: WorkloadResult, cards: Mapping[str, ClientCard]) -> tuple[PageColumn, ...]:
    """All columns that say something of this workload."""
    columns = columns_of(Surface.PAGE, entries_of(result, cards))
    return tuple(
        PageColumn(
            column.metric,
            _heading(column),
            CELLS.get(column.metric.key, _cells)(column),
        )
        for column in columns
    )


def _heading(column: Column) -> Heading:
    metric = column.metric
    return Heading(
        text=metric.label,
        unit=UNITS[metric.key](column) if metric.key in UNITS else metric.unit,
        about=metric.anchor,
        explanation=metric.explanation,
        is_numeric=metric.form is not Form.TEXT,
        first=metric.first,
    )


def _cells(column: Column) -> tuple[Cell, ...]:
    match column.metric.form:
        case Form.TEXT:
            return tuple(Cell(text or MISSING, text) for text in column.texts)
        case Form.TIERS:
            spans = [entry.standing.tiers for entry in column.entries]
            keys = [sum(span) / 2 if span else math.inf for span in spans]
            return tuple(map(Cell, column.texts, keys))
    keys = [_key(column.metric.figure(entry)) for entry in column.entries]
    beside = [_beside(column.metric, entry) for entry in column.entries]
    return tuple(map(Cell, column.texts, keys, beside))


def _beside(metric: Metric, entry: Entry) -> str:
    """The interval of a ratio, if there is a ratio."""
    if metric.form is not Form.RATIO or entry.is_baseline:
        return ""
    found = estimate_of(metric, entry)
    return interval(found) if found else ""


def _key(value: float | None) -> float:
    rounded = None if value is None else significant(value)
    return math.inf if rounded is None else rounded


def _verdicts(column: Column) -> tuple[Cell, ...]:
    return tuple(map(_verdict, column.entries))


def _verdict(entry: Entry) -> Cell:
    standing = entry.standing
    if entry.is_baseline:
        return Cell("baseline", "0", style="plain")
    if standing.role is Role.FLOOR:
        return Cell("floor", "z", style="plain")
    found = standing.wall.word if standing.wall else ""
    if not found:
        return Cell(MISSING, "y", style="plain")
    return Cell(found, found, style=found)


def _parsers(column: Column) -> tuple[Cell, ...]:
    """The time in the parser with its name beside it; the name alone if the time is not known."""
    cells = []
    for text, entry in zip(column.texts, column.entries, strict=True):
        name, time = str(costs.PARSER.value(entry) or ""), column.metric.figure(entry)
        known = Cell(text, _key(time), name)
        cells.append(Cell(name or MISSING, math.inf) if time is None else known)
    return tuple(cells)


def _kilobytes(column: Column) -> str:
    """`kB of 1,088`: what the link could hold."""
    return f"kB{_out_of(traffic.LINK_HOLDS, column.entries)}"


def _asked(column: Column) -> str:
    """`of 6 asked`: how many were asked for."""
    return f"{_out_of(traffic.CONCURRENCY, column.entries)} asked".strip()


def _out_of(whole: Metric, entries: Sequence[Entry]) -> str:
    """` of 1,088`, which is the same for all clients of a course; nothing where it is unknown."""
    found = next((f for entry in entries if (f := whole.figure(entry)) is not None), None)
    return "" if found is None else f" of {number(found)}"


CELLS: Mapping[str, Callable[[Column], tuple[Cell, ...]]] = {
    relative.WALL_VERDICT.key: _verdicts,
    costs.PARSER_TIME.key: _parsers,
}
"""What the page shows of single metrics other than their text, by their keys."""

UNITS: Mapping[str, Callable[[Column], str]] = {
    traffic.BYTES_IN_FLIGHT.key: _kilobytes,
    traffic.EXCHANGES_IN_FLIGHT.key: _asked,
}
"""Units that depend on the workload, by the keys of their metrics."""
