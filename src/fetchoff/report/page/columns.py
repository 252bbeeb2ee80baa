"""The columns of a workload's ranking in report.html: headings, and a cell for each client."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from fetchoff.model.analysis import (
    ClientCard,
    Costs,
    InFlight,
    RankingRow,
    Relative,
    Throughput,
    WorkloadResult,
)
from fetchoff.model.experiment import Role
from fetchoff.report.metrics.groups import (
    costs_of,
    groups_of,
    has_in_flight,
    has_parser,
    is_bulk,
    shows_read_size,
)
from fetchoff.report.wording.figures import (
    MISSING,
    as_sure,
    decimals_for,
    decimals_for_rates,
    interval,
    number,
    percent,
    ratio,
    size,
)


@dataclass(frozen=True)
class Cell:
    """A table cell: what is read, what it is sorted by, and what stands small beside it."""

    text: str
    key: float | str
    beside: str = ""
    style: str = ""


@dataclass(frozen=True)
class Heading:
    """A column's heading. `about`: its explanation's anchor; `first`: the order of one click."""

    text: str
    unit: str
    about: str
    numeric: bool = True
    first: str = "ascending"


@dataclass(frozen=True)
class Column:
    """A heading, and a cell for each client that was measured, in their order."""

    heading: Heading
    cells: tuple[Cell, ...]


def columns_of(result: WorkloadResult, cards: Mapping[str, ClientCard]) -> tuple[Column, ...]:
    """All columns that say something of this workload."""
    measured = groups_of(result).measured
    return (
        *_relative(result, measured),
        *(_in_flight(measured) if has_in_flight(measured) else ()),
        *_times(measured),
        *((_parsers(measured, cards),) if has_parser(measured) else ()),
        *(_of_bulk(measured) if is_bulk(measured) else ()),
        *_memory(result, measured),
        *_on_the_wire(measured),
        _column("code", "lines", "adapter-lines", _lines(measured, cards)),
    )


def _relative(result: WorkloadResult, measured: Sequence[RankingRow]) -> Iterator[Column]:
    def ratios(text: str, of: Callable[[RankingRow], Relative | None]) -> Column:
        heading = Heading(text, "× baseline", "ratios-and-intervals")
        return Column(heading, tuple(_ratio_cell(s, of(s), result.baseline) for s in measured))

    yield ratios("wall", lambda standing: standing.wall)
    yield ratios("CPU", lambda standing: standing.cpu)
    if not result.withheld:
        verdicts = tuple(_verdict_cell(standing, result) for standing in measured)
        yield Column(Heading("verdict", "wall", "verdicts", numeric=False), verdicts)


def _times(measured: Sequence[RankingRow]) -> Iterator[Column]:
    costs = [costs_of(standing) for standing in measured]
    decimals = min(decimals_for(one.wall_us.point for one in costs), 1)

    def microseconds(text: str, about: str, of: Callable[[Costs], float]) -> Column:
        cells = tuple(Cell(number(of(one), decimals), _key(of(one))) for one in costs)
        return Column(Heading(text, "µs", about), cells)

    def split(text: str, of: Callable[[Costs], float]) -> Column:
        sure = [as_sure(of(one), one.split_within_us, decimals) for one in costs]
        keys = [_key(of(one)) for one in costs]
        cells = tuple(Cell(text, key) for text, key in zip(sure, keys, strict=True))
        return Column(Heading(text, "µs", "user-and-system-time"), cells)

    yield microseconds("wall", "wall-and-cpu-time", lambda one: one.wall_us.point)
    yield microseconds("CPU", "wall-and-cpu-time", lambda one: one.cpu_us.point)
    yield split("user", lambda one: one.user_us)
    yield split("system", lambda one: one.system_us)
    shares = [one.cpu_per_wall for one in costs]
    yield _column("CPU", "÷ wall", "wall-and-cpu-time", shares, most=2)
    rates = [one.per_second for one in costs]
    most = decimals_for_rates(rates)
    yield _column("rate", "per s", "wall-and-cpu-time", rates, most=most, first="descending")


def _parsers(measured: Sequence[RankingRow], cards: Mapping[str, ClientCard]) -> Column:
    """The time in the parser with its name beside it; the name alone where it cannot be told."""
    times = [costs_of(standing).parser_us for standing in measured]
    names = [card.json_parser if card else "" for card in map(cards.get, _clients(measured))]
    decimals = min(decimals_for(times), 1)
    cells = tuple(
        Cell(name or MISSING, math.inf)
        if time is None
        else Cell(number(time, decimals), time, name)
        for time, name in zip(times, names, strict=True)
    )
    return Column(Heading("parser", "µs", "json-documents"), cells)


def _of_bulk(measured: Sequence[RankingRow]) -> Iterator[Column]:
    def figures(of: Callable[[Throughput], float]) -> list[float | None]:
        moved = (costs_of(standing).throughput for standing in measured)
        return [of(one) if one else None for one in moved]

    rates = figures(lambda one: one.mb_per_second.point)
    yield _column("moved", "MB per s", "throughput", rates, most=1, first="descending")
    costs = figures(lambda one: one.cpu_s_per_gb.point)
    yield _column("CPU", "s per GB", "throughput", costs, most=2)
    shares = [costs_of(standing).origin_cpu_per_wall for standing in measured]
    cells = tuple(Cell(percent(share), _key(share)) for share in shares)
    yield Column(Heading("origin", "CPU ÷ wall", "throughput"), cells)


def _in_flight(measured: Sequence[RankingRow]) -> Iterator[Column]:
    """Estimates; the unit says how much the link could hold, or how many were asked for."""
    found = [standing.in_flight or InFlight() for standing in measured]
    sizes = [_in_kb(one.bytes) for one in found]
    if any(size is not None for size in sizes):
        unit = f"kB{_out_of([_in_kb(one.of_bytes) for one in found])}"
        yield _column("in flight", unit, "links", sizes, first="descending")
    many = [one.exchanges for one in found]
    if any(count is not None for count in many):
        unit = f"{_out_of([one.of_exchanges for one in found])} asked".strip()
        yield _column("in flight", unit, "links", many, most=1, first="descending")


def _out_of(wholes: Sequence[float | None]) -> str:
    """` of 1,088`, which is the same for all clients of a course; nothing where it is unknown."""
    whole = next((one for one in wholes if one is not None), None)
    return "" if whole is None else f" of {number(whole)}"


def _in_kb(count: float | None) -> float | None:
    return None if count is None else count / 1e3


def _memory(result: WorkloadResult, measured: Sequence[RankingRow]) -> Iterator[Column]:
    about = "memory-and-start-up"
    peaks = [costs_of(standing).peak_mb for standing in measured]
    yield _column("peak", "MB", about, peaks, most=1)
    if shows_read_size(result):
        cell = Cell(size(result.read_size), _key(result.read_size))
        yield Column(Heading("read", "at a time", about), (cell,) * len(measured))
    yield _column("start", "ms", about, [costs_of(s).start_up_ms for s in measured])
    firsts = [costs_of(s).first_us / 1e3 for s in measured]
    if any(map(math.isfinite, firsts)):
        yield _column("first", "ms", "regimes", firsts, most=1)
    colds = [costs_of(s).among_others_us for s in measured]
    if any(map(math.isfinite, colds)):
        yield _column("CPU cold", "µs", "regimes", colds, most=1)


def _on_the_wire(measured: Sequence[RankingRow]) -> Iterator[Column]:
    wires = [standing.wire for standing in measured]
    connections = [wire.connections if wire else None for wire in wires]
    yield _column("conn.", "new", "on-the-wire", connections)
    segments = [wire.segments_per_exchange if wire else None for wire in wires]
    yield _column("segm.", "an exch.", "on-the-wire", segments, most=1)


def _clients(measured: Sequence[RankingRow]) -> list[str]:
    return [standing.client for standing in measured]


def _lines(measured: Sequence[RankingRow], cards: Mapping[str, ClientCard]) -> list[float | None]:
    found = map(cards.get, _clients(measured))
    return [card.adapter_lines if card else None for card in found]


def _column(
    text: str,
    unit: str,
    about: str,
    values: Sequence[float | None],
    *,
    most: int = 0,
    first: str = "ascending",
) -> Column:
    """Figures of one unit, with as many decimals for all as the smallest needs, up to `most`."""
    decimals = min(decimals_for(values), most)
    cells = tuple(Cell(number(value, decimals), _key(value)) for value in values)
    return Column(Heading(text, unit, about, first=first), cells)


def _ratio_cell(standing: RankingRow, found: Relative | None, baseline: str) -> Cell:
    if found is None:
        return Cell(MISSING, math.inf)
    beside = "" if standing.client == baseline else interval(found.ratio)
    return Cell(ratio(found.ratio.point), _key(found.ratio.point), beside)


def _verdict_cell(standing: RankingRow, result: WorkloadResult) -> Cell:
    if standing.client == result.baseline:
        return Cell("baseline", "0", style="plain")
    if standing.role is Role.FLOOR:
        return Cell("floor", "z", style="plain")
    if standing.wall is None:
        return Cell(MISSING, "y", style="plain")
    found = standing.wall.verdict.value
    return Cell(found, found, style=found)


def _key(value: float | None) -> float:
    return value if value is not None and math.isfinite(value) else math.inf
