"""The terminal's table of what differences are worth at N exchanges a day."""

from __future__ import annotations

import math

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from fetchoff.model.analysis import Analysis, WorkloadResult
from fetchoff.model.estimate import Estimate
from fetchoff.report.metrics.at_scale import DAYS_A_YEAR, Saving, days_a_day, scale_of
from fetchoff.report.wording.figures import MISSING, three_digits
from fetchoff.report.wording.sentences import title


def whole(analysis: Analysis, exchanges_a_day: float) -> Group:
    """A table for each workload whose ranking may be believed."""
    parts: list[RenderableType] = []
    for result in analysis.results:
        if rows := _savings(result):
            parts += [_table(result, rows, exchanges_a_day), Text()]
    return Group(*parts)


def _savings(result: WorkloadResult) -> list[Saving]:
    """Each client instead of the baseline; the ends, unless one of them is the baseline."""
    scale = scale_of(result)
    if scale is None:
        return []
    return [*scale.savings, *([scale.ends] if scale.first else [])]


def _table(result: WorkloadResult, savings: list[Saving], exchanges_a_day: float) -> Table:
    table = Table(
        title=f"{title(result)} at {exchanges_a_day:,.0f} exchanges a day: days saved",
        title_justify="left",
        title_style="bold",
        box=None,
        pad_edge=False,
        header_style="bold",
        padding=(0, 2, 0, 0),
    )
    table.add_column("client", overflow="fold")
    table.add_column("instead of", overflow="fold", style="dim")
    for heading in ("CPU a day", "CPU a year", "interval", "waiting a day", "waiting a year"):
        table.add_column(heading, justify="right", style="dim" if heading == "interval" else "")
    for saving in savings:
        cpu = days_a_day(saving.cpu_us.point, exchanges_a_day)
        wall = days_a_day(saving.wall_us.point, exchanges_a_day)
        table.add_row(
            saving.client,
            saving.instead_of,
            three_digits(cpu),
            three_digits(cpu * DAYS_A_YEAR),
            _interval(saving.cpu_us, exchanges_a_day),
            three_digits(wall),
            three_digits(wall * DAYS_A_YEAR),
        )
    return table


def _interval(saved_us: Estimate, exchanges_a_day: float) -> str:
    if not (math.isfinite(saved_us.low) and math.isfinite(saved_us.high)):
        return MISSING
    ends = (days_a_day(end, exchanges_a_day) * DAYS_A_YEAR for end in (saved_us.low, saved_us.high))
    return " to ".join(map(three_digits, ends))
