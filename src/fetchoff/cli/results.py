"""Write and show the results of a run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from fetchoff.app.results import CSV, HTML, JSON, write
from fetchoff.model.errors import StoreError

if TYPE_CHECKING:
    from fetchoff.model.analysis import Analysis


def write_and_show(
    analysis: Analysis,
    folder: Path,
    *,
    quiet: bool,
    as_json: bool,
    per_day: float | None = None,
) -> None:
    """Write the results and show them; if writing fails, show them and raise StoreError."""
    try:
        write(analysis, folder)
    except StoreError:
        show(analysis, folder, quiet=True, as_json=as_json, per_day=per_day)
        raise
    show(analysis, folder, quiet=quiet, as_json=as_json, per_day=per_day)


def show(
    analysis: Analysis,
    folder: Path,
    *,
    quiet: bool,
    as_json: bool,
    per_day: float | None = None,
) -> None:
    """Print the ranking to standard output, and the paths of the files to standard error.

    `per_day`: also show the costs of this many exchanges per day.
    """
    from fetchoff.cli.console import data_console, say

    if as_json:
        from fetchoff.report.files import json_results

        print(json_results.text(analysis))
        return
    from fetchoff.report.terminal import diagnosis, table
    from fetchoff.report.terminal import per_day as per_day_table

    data_console().print(table.whole(analysis))
    for each in analysis.explanations:
        data_console().print()
        data_console().print(diagnosis.whole(each.diagnosis, each.faults))
    if per_day is not None:
        data_console().print(per_day_table.whole(analysis, per_day))
    if not quiet:
        say(f"report: {folder / HTML}   data: {folder / CSV}, {folder / JSON}")
