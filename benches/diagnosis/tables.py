"""The tables of the bench of diagnoses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import median
from typing import Any

from rich.table import Table
from tools.findings_page import errors_of, trial_of

Row = dict[str, Any]
GOAL = 0.1


def of_clean(rows: Sequence[Row]) -> Table:
    """How many runs of clean clients had no finding."""
    table = Table("client", "runs", "findings", "failed", title="clean clients")
    for client in sorted({row["client"] for row in rows}):
        mine = [row for row in rows if row["client"] == client]
        found = Counter(fault for row in mine for fault in _faults(row))
        told = ", ".join(f"{fault} {count}" for fault, count in sorted(found.items()))
        broken = sum("diagnosis" not in row for row in mine)
        table.add_row(client, str(len(mine)), told or "none", str(broken))
    runs = [row for row in rows if "diagnosis" in row]
    clean = sum(not _faults(row) for row in runs)
    table.caption = f"{clean} of {len(runs)} runs without a finding"
    return table


def of_survey(rows: Sequence[Row]) -> Table:
    """What was found, and what became of it; the caption compares predictions with trials.

    As in docs/findings.md, which has the same table, trials of too few rounds tell nothing.
    """
    table = Table("client", "course", "finding", "exchange", "saves", "saved", "trial")
    for row, cause in causes(rows):
        tried = trial_of(cause)
        predicted = cause["saves_us"]
        table.add_row(
            row["client"],
            row["course"],
            cause["fault"],
            f"{cause['exchange_us']:,.0f}",
            f"{predicted:,.0f}" if predicted is not None else "",
            f"{tried['saved_us']['point']:,.0f}" if tried else "",
            tried["trial"] if tried else "",
        )
    told = [row for row in rows if "diagnosis" in row]
    caption = f"{len(told)} of {len(rows)} recorded; "
    caption += f"{sum(bool(_faults(row)) for row in told)} with a finding"
    if errors := errors_of(cause for _, cause in causes(rows)):
        caption += f"; error of {len(errors)} predictions: median {median(errors):.1%}"
    table.caption = caption
    return table


def of_pairs(rows: Sequence[Row]) -> Table:
    """How much of each difference is unexplained."""
    table = Table("pair", "course", "a µs", "b µs", "unexplained")
    for row in rows:
        told = [row["client"] + " : " + row["other"], row["course"]]
        if "unexplained" not in row:
            table.add_row(*told, "", "", row.get("failed") or row.get("unsupported"))
            continue
        table.add_row(
            *told, f"{row['a_us']:,.1f}", f"{row['b_us']:,.1f}", f"{row['unexplained']:.0%}"
        )
    shares = [row["unexplained"] for row in rows if "unexplained" in row]
    if shares:
        within = sum(share <= GOAL for share in shares)
        table.caption = f"{within} of {len(shares)} within 10 %; median {median(shares):.0%}"
    return table


def causes(rows: Sequence[Row]) -> Iterator[tuple[Row, Row]]:
    """Each cause with its row."""
    for row in rows:
        for cause in row.get("diagnosis", {}).get("causes", ()):
            yield row, cause


def _faults(row: Row) -> list[str]:
    return [cause["fault"] for cause in row.get("diagnosis", {}).get("causes", ())]
