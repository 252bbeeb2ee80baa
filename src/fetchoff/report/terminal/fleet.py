"""What the terminal shows of a run of several hosts."""

from __future__ import annotations

from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.table import Table
from rich.text import Text

from fetchoff.model.analysis import Analysis, Relative
from fetchoff.model.experiment import Role
from fetchoff.model.explanation import Explanation
from fetchoff.model.fleet import FleetAnalysis, FleetResult, FleetRow
from fetchoff.report.terminal import diagnosis
from fetchoff.report.terminal import per_day as per_day_table
from fetchoff.report.terminal.ranking import VERDICT_STYLES
from fetchoff.report.wording import fleet as wording
from fetchoff.report.wording.figures import MISSING, count, interval, ratio, tier

MOST_COLUMNS = 6
"""Of hosts, side by side; the files have all of them."""

WITH_CPU = 110
"""Columns of a terminal from which CPU time on hosts in general fits beside wall time."""


def whole(analysis: FleetAnalysis) -> Group:
    """Every workload over all hosts, then the hosts."""
    parts: list[RenderableType] = []
    for result in analysis.results:
        parts += [_workload(analysis, result), Text()]
    parts += [_hosts(analysis), *map(_note, analysis.notes)]
    return Group(*parts, Text(), Text(wording.footer(analysis), style="dim"))


def explained(host: str, each: Explanation) -> Group:
    """What a host has explained."""
    where = Text(f"on {host}", style="dim")
    return Group(Text(), where, diagnosis.whole(each.diagnosis, each.faults))


def per_day(host: str, own: Analysis, exchanges_a_day: float) -> Group:
    """What differences are worth at so many exchanges a day, on a host."""
    return Group(Text(f"on {host}", style="bold"), per_day_table.whole(own, exchanges_a_day))


def _workload(analysis: FleetAnalysis, result: FleetResult) -> Group:
    about = f"  {result.about} · {count(len(result.hosts), 'host')}"
    parts: list[RenderableType] = [
        Text.assemble((result.workload, "bold underline"), (about, "dim")),
        Text(wording.summary(analysis, result)),
    ]
    if result.rows:
        parts += [_Over(result), Text(), _matrix(result)]
    said = (*wording.without_figures(result), *wording.left_out(result))
    parts += [Text(line, style="yellow") for line in said]
    if why := wording.in_general(analysis, result):
        parts.append(Text(why, style="dim"))
    return Group(*parts)


@dataclass(frozen=True)
class _Over:
    """Hosts in general, and in words what they say one by one; CPU time where there is room."""

    result: FleetResult

    def __rich_console__(self, _: Console, options: ConsoleOptions) -> RenderResult:
        yield _over(self.result, has_cpu=options.max_width >= WITH_CPU)


def _over(result: FleetResult, *, has_cpu: bool) -> Table:
    table = _table("tier", "client")
    for heading in ("wall ×", "interval"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    if has_cpu:
        table.add_column("CPU ×", justify="right", no_wrap=True)
    table.add_column("on each host", overflow="fold")
    table.add_column("hosts differ", no_wrap=True)
    for row in result.rows:
        is_baseline = row.client == result.baseline
        over = row.wall.over
        table.add_row(
            tier(row.tiers),
            _client(row, result.baseline),
            ratio(over.ratio.point) if over else MISSING,
            "" if is_baseline else interval(over.ratio if over else None),
            "" if is_baseline or over is None else _verdict(over),
            *([ratio(row.cpu.over.ratio.point) if row.cpu.over else MISSING] if has_cpu else []),
            "" if is_baseline else wording.on_each(row.wall, result.hosts, row.missing),
            wording.differ(row.wall.differ),
        )
    return table


def _matrix(result: FleetResult) -> Table:
    """Client × host: wall and CPU time relative to the baseline there."""
    shown = result.hosts[:MOST_COLUMNS]
    more = len(result.hosts) - len(shown)
    table = _table("wall × · CPU ×")
    for host in shown:
        table.add_column(host, justify="right", no_wrap=True)
    if more:
        table.add_column(f"and {more} more", style="dim")
    for row in filter(lambda row: row.is_measured, result.rows):
        cells = [_cell(row, place) for place in range(len(shown))]
        table.add_row(_client(row, result.baseline), *cells, *([""] if more else []))
    return table


def _cell(row: FleetRow, place: int) -> Text:
    wall, cpu = row.wall.on_each[place], row.cpu.on_each[place]
    if wall is None:
        return Text(MISSING)
    style = VERDICT_STYLES[wall.verdict] if row.role is Role.RANKED else ""
    cost = ratio(cpu.ratio.point) if cpu is not None else MISSING
    return Text.assemble((ratio(wall.ratio.point), style), (f" · {cost}", "dim"))


def _hosts(analysis: FleetAnalysis) -> Table:
    table = _table("host")
    table.add_column("rounds", justify="right")
    for heading in ("processor", "kernel"):
        table.add_column(heading, overflow="fold")
    table.add_column("", overflow="fold", style="yellow")
    for one in analysis.hosts:
        facts = one.host.environment
        said = "; ".join(filter(None, (wording.standing(one), *one.host.notes)))
        table.add_row(
            one.host.id,
            str(one.rounds),
            facts.get("processor", ""),
            facts.get("kernel", ""),
            Text(said),
        )
    return table


def _table(*first: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    for heading in first:
        table.add_column(heading, no_wrap=True)
    return table


def _client(row: FleetRow, baseline: str) -> Text:
    mark = " ◂ baseline" if row.client == baseline else ""
    mark = mark or ("  floor" if row.role is Role.FLOOR else "")
    return Text.assemble(row.client, (mark, "dim"))


def _verdict(relative: Relative) -> Text:
    return Text(relative.word, style=VERDICT_STYLES[relative.verdict])


def _note(note: str) -> Text:
    return Text.assemble(("note: ", "cyan"), note)
