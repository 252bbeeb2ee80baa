"""The terminal's ranking: renderables that fit themselves to the width they are given.

Columns go in the order of `DROPPED_FIRST` until the table fits, and the caption names them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from rich import box
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.table import Table
from rich.text import Text

from fetchoff.model.analysis import (
    Analysis,
    CheckOutcome,
    ClientCard,
    RankingRow,
    Relative,
    SelfCheck,
    WorkloadResult,
)
from fetchoff.model.estimate import Verdict
from fetchoff.model.experiment import Role
from fetchoff.report.metrics.groups import (
    Groups,
    costs_of,
    groups_of,
    has_in_flight,
    has_parser,
    is_bulk,
    reason_of,
    shows_read_size,
    tally,
)
from fetchoff.report.wording import over_link, sentences
from fetchoff.report.wording.figures import (
    MISSING,
    as_sure,
    count,
    decimals_for,
    decimals_for_rates,
    interval,
    number,
    percent,
    ratio,
    seconds,
    size,
    tier,
)

Cell = str | Text
VERDICT_STYLES = {
    Verdict.FASTER: "green",
    Verdict.SLOWER: "red",
    Verdict.EQUIVALENT: "cyan",
    Verdict.UNDECIDED: "yellow",
}
RULED = box.Box("    \n    \n ── \n    \n ── \n    \n    \n    \n")
GAP = 2
"""Between columns: one cell of padding, one of the box's divider."""

DROPPED_FIRST = (
    "adapter lines",
    "connections",
    "segments",
    "CPU ÷ wall",
    "read size",
    "peak MB",
    "parser",
    "user + system µs",
    "CPU interval",
    "req/s",
    "CPU ratio",
    "origin's share",
    "verdict",
    "parser µs",
    "CPU s/GB",
    "in flight",
    "CPU µs",
    "MB/s",
    "interval",
)


@dataclass(frozen=True)
class Column:
    """One column: what `DROPPED_FIRST` calls it, its heading, and a cell for each standing."""

    name: str
    heading: str
    cells: tuple[Cell, ...]
    numeric: bool = True


class Ranking:
    """The ranking of one workload, as wide as fits."""

    def __init__(self, result: WorkloadResult, cards: Mapping[str, ClientCard]) -> None:
        self._groups = groups_of(result)
        self._result = result
        self._columns = _columns(result, self._groups, cards)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        kept = list(self._columns)
        dropped: list[str] = []
        waiting = [name for name in DROPPED_FIRST if any(c.name == name for c in kept)]
        while waiting and _width(kept) > options.max_width:
            dropped.append(waiting.pop(0))
            kept = [column for column in kept if column.name != dropped[-1]]
        yield self._table(kept)
        if dropped:
            yield Text(f"not shown at this width: {', '.join(dropped)}", style="dim")

    def _table(self, columns: list[Column]) -> Table:
        table = Table(box=RULED, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)
        for column in columns:
            table.add_column(
                column.heading,
                justify="right" if column.numeric else "left",
                no_wrap=True,
                overflow="ellipsis",
                style="dim" if column.name in ("interval", "CPU interval") else "",
            )
        last_ranked = len(self._groups.ranked) - 1
        for row, standing in enumerate(self._groups.measured):
            table.add_row(
                *(column.cells[row] for column in columns),
                style="bold" if standing.client == self._result.baseline else "",
                end_section=row == last_ranked and bool(self._groups.floors),
            )
        return table


def _width(columns: Sequence[Column]) -> int:
    """How wide a table of these columns is; asking rich for it took most of the time."""
    widest = (max(map(cell_len, (c.heading, *map(str, c.cells)))) for c in columns)
    return sum(widest) + GAP * (len(columns) - 1)


def whole(analysis: Analysis) -> Group:
    """Everything the terminal shows of a run."""
    parts: list[RenderableType] = []
    for result in analysis.results:
        parts += [workload(result, analysis), Text()]
    parts += [*map(_bullet, analysis.notes), footer(analysis)]
    return Group(*parts)


def workload(result: WorkloadResult, analysis: Analysis) -> Group:
    """One workload: heading, verdict, ranking, what was left out, self-checks, notes."""
    cards = {card.client: card for card in analysis.cards}
    parts: list[RenderableType] = [heading(result)]
    if result.link:
        parts.append(Text(over_link.line(result.link), style="dim"))
    parts.append(sentence(result, analysis.margin))
    if result.withheld:
        parts += [_plain(f"hint: {line}", "yellow") for line in sentences.advice(result)]
        parts.append(Text("The figures below are listed by name and rank nothing.", style="yellow"))
    if groups_of(result).measured:
        parts.append(Ranking(result, cards))
    notes = sentences.remarks(result) + result.notes
    parts += [left_out(result), checks(result.checks), *map(_bullet, notes)]
    return Group(*parts)


def heading(result: WorkloadResult) -> Text:
    """`get-small · GET of 16 bytes · shared-core · 7 rounds`.

    Over a link cores are shared as docs/analysis.md#placement says, whatever the workload asks.
    """
    placement = "" if result.link else f" · {result.placement}"
    about = f"  {result.about}{placement} · {count(result.rounds, 'round')}"
    return Text.assemble((sentences.title(result), "bold underline"), (about, "dim"))


def sentence(result: WorkloadResult, margin: float) -> Text:
    """The verdict in plain words, coloured only where it is withheld."""
    said = " ".join((sentences.verdict(result, margin), sentences.least_cpu(result))).strip()
    return _plain(said, "bold red" if result.withheld else "")


def left_out(result: WorkloadResult) -> RenderableType:
    """The clients without figures, each with its outcome and its reason."""
    missing = groups_of(result).left_out
    if not missing:
        return Group()
    table = Table(box=None, padding=(0, 1), pad_edge=False, show_header=False)
    table.add_column(style="dim", no_wrap=True)
    table.add_column(style="yellow", no_wrap=True)
    table.add_column(overflow="fold")
    for standing in missing:
        table.add_row(standing.client, standing.outcome.value, Text(reason_of(standing)))
    return table


def checks(found: tuple[SelfCheck, ...]) -> Group:
    """One line of counts, one for each check that failed, one for each kind that could not tell."""
    failed = [check for check in found if check.outcome is CheckOutcome.FAILED]
    unclear = [check for check in found if check.outcome is CheckOutcome.INCONCLUSIVE]
    style = "red" if failed else "yellow" if unclear else "green"
    lines = [Text.assemble(("self-checks: ", "dim"), (tally(found), style))]
    lines += [Text(f"  failed: {check.kind}: {check.text}") for check in failed]
    if len(unclear) == len(found) > 1:
        return Group(*lines, Text("  too few rounds, or too much noise, for any of them", "dim"))
    for kind in dict.fromkeys(check.kind for check in unclear):
        asked = dict.fromkeys(c.client for c in unclear if c.kind == kind and c.client)
        of_whom = f": {', '.join(asked)}" if asked else ""
        lines.append(Text(f"  inconclusive: {kind}{of_whom}", style="dim"))
    return Group(*lines)


def footer(analysis: Analysis) -> Text:
    """How sure all this is."""
    said = (
        f"ratios are to the baseline, below 1 is faster; {percent(analysis.level)} intervals, "
        f"verdicts at α = {analysis.alpha:g}, margin ±{percent(analysis.margin)}; "
        f"{seconds(analysis.seconds)} of measuring, ended: {analysis.ended_reason}; "
        f"{f'origin {analysis.origin}; ' if analysis.origin else ''}seed {analysis.seed}"
    )
    return Text(said, style="dim")


def _plain(sentence: str, style: str) -> Text:
    return Text(sentence.replace("`", ""), style=style)


def _bullet(note: str) -> Text:
    return Text.assemble(("note: ", "cyan"), note.replace("`", ""))


def _columns(
    result: WorkloadResult, groups: Groups, cards: Mapping[str, ClientCard]
) -> tuple[Column, ...]:
    rows = groups.measured

    def texts(name: str, heading: str, cell: Callable[[RankingRow], Cell]) -> Column:
        return Column(name, heading, tuple(cell(s) for s in rows), numeric=False)

    def strings(name: str, heading: str, cell: Callable[[RankingRow], str]) -> Column:
        return Column(name, heading, tuple(cell(s) for s in rows))

    def numbers(name: str, heading: str, value: Callable[[RankingRow], float], most: int) -> Column:
        return Column(name, heading, tuple(number(value(s), most) for s in rows))

    times = min(decimals_for(costs_of(s).wall_us.point for s in rows), 1)
    rates = decimals_for_rates([costs_of(s).per_second for s in rows])
    lines = {client: card.adapter_lines for client, card in cards.items()}
    columns = [
        strings("tier", "tier", lambda s: tier(s.tiers)),
        texts("client", "client", lambda s: _client(s, result.baseline)),
        strings("ratio", "wall ×", lambda s: _ratio(s.wall)),
        strings("interval", "interval", lambda s: _interval(s, s.wall, result.baseline)),
        texts("verdict", "verdict", lambda s: _verdict(s, result.baseline)),
        numbers("wall µs", "wall µs", lambda s: costs_of(s).wall_us.point, times),
        strings("CPU ratio", "CPU ×", lambda s: _ratio(s.cpu)),
        strings("CPU interval", "interval", lambda s: _interval(s, s.cpu, result.baseline)),
        numbers("CPU µs", "CPU µs", lambda s: costs_of(s).cpu_us.point, times),
        strings("user + system µs", "user", lambda s: _split(s, costs_of(s).user_us, times)),
        strings("user + system µs", "sys", lambda s: _split(s, costs_of(s).system_us, times)),
        strings("CPU ÷ wall", "CPU÷wall", lambda s: number(costs_of(s).cpu_per_wall, 2)),
        numbers("req/s", "req/s", lambda s: costs_of(s).per_second, rates),
        *(_parsers(rows, cards) if has_parser(rows) else ()),
        *(_of_bulk(rows) if is_bulk(rows) else ()),
        *([strings("in flight", "in flight", _in_flight)] if has_in_flight(rows) else ()),
        numbers("peak MB", "peak MB", lambda s: costs_of(s).peak_mb, 1),
        *([_read_sizes(result, len(rows))] if shows_read_size(result) else ()),
        strings("connections", "conn", lambda s: _wire(s, "connections", 0)),
        strings("segments", "seg", lambda s: _wire(s, "segments_per_exchange", 1)),
        strings("adapter lines", "lines", lambda s: number(lines.get(s.client))),
    ]
    if result.withheld:
        columns = [column for column in columns if column.name != "verdict"]
    return tuple(columns if any(s.tiers for s in rows) else columns[1:])


def _parsers(rows: Sequence[RankingRow], cards: Mapping[str, ClientCard]) -> tuple[Column, ...]:
    """What parsed the documents, and how long it took where that is not the client itself."""
    times = [costs_of(standing).parser_us for standing in rows]
    decimals = min(decimals_for(times), 1)
    found = [cards.get(standing.client) for standing in rows]
    names = tuple(card.json_parser if card else "" for card in found)
    return (
        Column("parser µs", "parser µs", tuple(number(time, decimals) for time in times)),
        Column("parser", "parser", names, numeric=False),
    )


def _of_bulk(rows: Sequence[RankingRow]) -> tuple[Column, ...]:
    """What is told of workloads that move much content."""
    moved = [costs_of(standing).throughput for standing in rows]
    rates = [one.mb_per_second.point if one else None for one in moved]
    decimals = decimals_for_rates(rates)
    costs = [one.cpu_s_per_gb.point if one else None for one in moved]
    shares = [costs_of(standing).origin_cpu_per_wall for standing in rows]
    return (
        Column("MB/s", "MB/s", tuple(number(rate, decimals) for rate in rates)),
        Column("CPU s/GB", "CPU s/GB", tuple(number(cost, 2) for cost in costs)),
        Column("origin's share", "origin", tuple(percent(share) for share in shares)),
    )


def _split(standing: RankingRow, value: float, decimals: int) -> str:
    """User or system time: they are sampled."""
    return as_sure(value, costs_of(standing).split_within_us, decimals)


def _in_flight(standing: RankingRow) -> str:
    found = standing.in_flight
    if found is None:
        return MISSING
    if found.bytes is not None:
        return f"{number(found.bytes / 1e3)} kB"
    return f"{number(found.exchanges, 1)} of {number(found.of_exchanges)}"


def _read_sizes(result: WorkloadResult, rows: int) -> Column:
    return Column("read size", "read", (size(result.read_size),) * rows)


def _client(standing: RankingRow, baseline: str) -> Text:
    if standing.client == baseline:
        return Text.assemble(standing.client, (" ◂ baseline", "dim"))
    if standing.role is Role.FLOOR:
        return Text.assemble(standing.client, ("  floor", "dim"))
    return Text(standing.client)


def _wire(standing: RankingRow, count: str, decimals: int) -> str:
    return number(getattr(standing.wire, count, None), decimals)


def _ratio(relative: Relative | None) -> str:
    return ratio(relative.ratio.point) if relative else MISSING


def _interval(standing: RankingRow, relative: Relative | None, baseline: str) -> str:
    return "" if standing.client == baseline else interval(relative.ratio if relative else None)


def _verdict(standing: RankingRow, baseline: str) -> Cell:
    if standing.role is Role.FLOOR or standing.client == baseline or standing.wall is None:
        return ""
    found = standing.wall.verdict
    return Text(found.value, style=VERDICT_STYLES[found])
