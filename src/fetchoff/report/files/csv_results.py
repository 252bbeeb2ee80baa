"""results.csv: one row a client, workload and link, raw numbers, units in the column names."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Iterator
from typing import TextIO

from fetchoff.model.analysis import Analysis, ClientCard, RankingRow, WorkloadResult
from fetchoff.model.course import parts_of
from fetchoff.model.estimate import Estimate
from fetchoff.report.metrics.groups import groups_of
from fetchoff.report.metrics.metric import Entry, Form, Metric, Surface, Topic
from fetchoff.report.metrics.registry import metrics_of
from fetchoff.report.wording import findings

Cell = str | int | float | None
ESTIMATE = {"": "point", "_low": "low", "_high": "high"}
"""The columns of an estimate: what is appended to the metric's key, and what stands there."""
FORMULA = ("=", "+", "-", "@", "\t", "\n")
"""Spreadsheets take a cell that begins so for a formula."""


def text(analysis: Analysis) -> str:
    """The whole file: rows in the order of the ranking, a heading first."""
    return table(rows(analysis))


def table(cells: Iterable[dict[str, Cell]]) -> str:
    """Rows of the same columns, a heading first; nothing where there is none."""
    target = io.StringIO()
    whole = Table(target)
    for row in cells:
        whole.add(row)
    return target.getvalue()


class Table:
    """Rows of the same columns, written one after the other."""

    def __init__(self, target: TextIO) -> None:
        self._target = target
        self._writer: csv.DictWriter[str] | None = None

    def add(self, row: dict[str, Cell]) -> None:
        """A row; before the first, the heading."""
        if self._writer is None:
            self._writer = csv.DictWriter(self._target, list(row), lineterminator="\n")
            self._writer.writeheader()
        self._writer.writerow({name: _text(cell) for name, cell in row.items()})


def rows(analysis: Analysis) -> Iterator[dict[str, Cell]]:
    """A row for each client and course."""
    cards = {card.client: card for card in analysis.cards}
    for result in analysis.results:
        groups = groups_of(result)
        for standing in groups.ranked + groups.floors + groups.left_out:
            yield _row(analysis, result, standing, cards.get(standing.client))


def _row(
    analysis: Analysis,
    result: WorkloadResult,
    standing: RankingRow,
    card: ClientCard | None,
) -> dict[str, Cell]:
    workload, link = parts_of(result.workload)
    entry = Entry(standing, result, card)
    metrics = metrics_of(Surface.CSV)
    return {
        "run": analysis.run_id,
        "workload": workload,
        "link": link,
        "placement": result.placement,
        "origin": analysis.origin,
        "client": standing.client,
        "version": card.version if card else None,
        "runtime": card.runtime if card else None,
        "engine": card.engine if card else None,
        "role": standing.role.value,
        "outcome": standing.outcome.value,
        "message": findings.message(standing),
        "withheld": findings.withheld(result.withheld),
        "rounds": standing.rounds,
        **_figures(entry, (m for m in metrics if m.topic is Topic.TIER)),
        "baseline": result.baseline,
        "level": analysis.level,
        **_figures(entry, (m for m in metrics if m.topic is not Topic.TIER)),
        "notes": "; ".join(findings.notes(standing)),
    }


def _figures(entry: Entry, metrics: Iterable[Metric]) -> dict[str, Cell]:
    return {name: cell for m in metrics for name, cell in _columns(m, entry).items()}


def _columns(metric: Metric, entry: Entry) -> dict[str, Cell]:
    """The columns of a metric: three of an estimate, two of tiers, one of everything else."""
    value = metric.value(entry)
    match metric.form:
        case Form.ESTIMATE | Form.RATIO:
            estimate = value.two_ended if isinstance(value, Estimate) else None
            return {
                metric.key + ending: getattr(estimate, attribute, None)
                for ending, attribute in ESTIMATE.items()
            }
        case Form.TIERS:
            best, worst = value if isinstance(value, tuple) else (None, None)
            return {f"{metric.key}_best": best, f"{metric.key}_worst": worst}
        case Form.NUMBER | Form.TEXT:
            return {metric.key: value if isinstance(value, str | int | float) else None}


def _text(cell: Cell) -> str:
    if cell is None or (isinstance(cell, float) and not math.isfinite(cell)):
        return ""
    if isinstance(cell, str):
        return literal(cell)
    return repr(cell) if isinstance(cell, float) else str(cell)


def literal(text: str) -> str:
    """What a spreadsheet shows as this text, also where it would compute it: texts are adapters'.

    As OWASP advises: https://owasp.org/www-community/attacks/CSV_Injection. Lines end alike: the
    writer does not quote a carriage return, and no reader takes it unquoted.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return f"'{text}" if text.startswith(FORMULA) else text
