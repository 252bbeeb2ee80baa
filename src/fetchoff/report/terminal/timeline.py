"""A time line of a few exchanges in the terminal, with a lane for each side and each direction.

Each line is an event of the origin or a segment that a tap saw, with its distance from the one
before; beside it stands how long the client worked since the last reading of its CPU clock. What a
cause is about is marked. Where no segments were seen, the origin's reads and writes stand for them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.columns import Columns
from rich.table import Table
from rich.text import Text

from fetchoff.model.cause import Stretch
from fetchoff.model.recording import Event, Excerpt, Read, Segment, Side, Written
from fetchoff.report.wording import segments as of_segments
from fetchoff.report.wording.events import from_client, from_origin
from fetchoff.report.wording.figures import count, microseconds, number

MOST_LINES = 60  # of each exchange; a large answer has thousands of events
MARK = "◂"
UP, ORIGIN, DOWN = "client → origin", "origin", "origin → client"
ARROWS = {UP: "→", ORIGIN: "·", DOWN: "←"}


@dataclass(frozen=True)
class Row:
    """A line. `worked_us`: of the client since its clock was last read, None without a reading."""

    since_ms: float
    gap_us: float | None
    worked_us: float | None
    lane: str
    what: str
    is_marked: bool


def timeline(part: Excerpt, marked: Sequence[Stretch]) -> Table:
    """The exchanges in their order, a column for each lane; below, how many lines are left out
    beyond MOST_LINES of each of them."""
    table = _table(part, "ms", "gap", "client worked")
    for title in (UP, ORIGIN, DOWN, ""):
        table.add_column(title)
    for row in rows(part, marked):
        lanes = (Text(row.what if row.lane == lane else "") for lane in (UP, ORIGIN, DOWN))
        table.add_row(*_times(row), *lanes, _mark(row))
    return table


def side_by_side(parts: Sequence[tuple[str, Excerpt, Sequence[Stretch]]]) -> Columns:
    """Time lines of several clients, one lane each, beside each other where there is room. Each is
    as long as in `timeline`."""
    tables = []
    for client, part, marked in parts:
        table = _table(part, "ms", "gap", "worked")
        table.title, table.title_justify, table.title_style = client, "left", "bold"
        table.add_column("")
        table.add_column("")
        for row in rows(part, marked):
            table.add_row(*_times(row), Text(f"{ARROWS[row.lane]} {row.what}"), _mark(row))
        tables.append(table)
    return Columns(tables, padding=(0, 3))


def _table(part: Excerpt, *numbers: str) -> Table:
    left_out = sum(not is_shown for _, is_shown in _lines(part))
    beyond = f"beyond {MOST_LINES} of each exchange"
    caption = f"{count(left_out, 'line')} left out, {beyond}" if left_out else None
    table = Table(box=None, pad_edge=False, header_style="dim", caption=caption)
    table.caption_justify, table.caption_style = "left", "dim"
    for title in numbers:
        table.add_column(title, justify="right", no_wrap=True)
    return table


def _times(row: Row) -> tuple[Text, Text, Text]:
    gap = "" if row.gap_us is None else microseconds(row.gap_us)
    worked = "" if row.worked_us is None else microseconds(row.worked_us)
    return (
        Text(number(row.since_ms, 3), style="dim"),
        Text(gap, style=_style(row)),
        Text(worked, style="dim"),
    )


def _mark(row: Row) -> Text:
    return Text(MARK if row.is_marked else "", style=_style(row))


def _style(row: Row) -> str:
    return "bold yellow" if row.is_marked else ""


def rows(part: Excerpt, marked: Sequence[Stretch]) -> Iterator[Row]:
    """The lines by time: of each exchange the first ones, at most MOST_LINES."""
    first: Event | Segment | None = None
    before: Event | Segment | None = None
    clock: Event | None = None
    for one, is_shown in _lines(part):
        first = first or one
        if is_shown:
            lane, what = _said(one, has_segments=bool(part.segments))
            yield Row(
                since_ms=(one.at_ns - first.at_ns) / 1e6,
                gap_us=None if before is None else (one.at_ns - before.at_ns) / 1e3,
                worked_us=_worked_us(clock, one),
                lane=lane,
                what=what,
                is_marked=before is not None and _is_marked(before, one, part, marked),
            )
        before = one
        if isinstance(one, Event) and one.cpu_ns is not None:
            clock = one


def _lines(part: Excerpt) -> Iterator[tuple[Event | Segment, bool]]:
    """All that happened, by time, and whether it is among the first lines of its exchange."""
    seen: list[Event | Segment] = sorted((*part.events, *part.segments), key=lambda one: one.at_ns)
    lines: Counter[int] = Counter()
    for one in seen:
        exchange = bisect_right(part.begins_ns[1:], one.at_ns)
        lines[exchange] += 1
        yield one, lines[exchange] <= MOST_LINES


def _said(one: Event | Segment, *, has_segments: bool) -> tuple[str, str]:
    """The lane and the words of a line."""
    if isinstance(one, Segment):
        return (UP if one.sender is Side.CLIENT else DOWN), of_segments.words(one)
    up, down = from_client(one), from_origin(one)
    match one:
        case Read(size=size) if size and has_segments:
            return ORIGIN, f"reads {up}"
        case Written() if has_segments:
            return ORIGIN, f"writes {down}"
        case Read():
            return UP, up
        case Written():
            return DOWN, down
        case _:
            return ORIGIN, up or down


def _worked_us(clock: Event | None, one: Event | Segment) -> float | None:
    if isinstance(one, Segment) or clock is None or clock.cpu_ns is None or one.cpu_ns is None:
        return None
    return (one.cpu_ns - clock.cpu_ns) / 1e3


def _is_marked(
    before: Event | Segment, one: Event | Segment, part: Excerpt, marked: Sequence[Stretch]
) -> bool:
    return any(
        _is_of(one, stretch.connection, part)
        and stretch.begin_ns <= before.at_ns
        and one.at_ns <= stretch.end_ns
        for stretch in marked
    )


def _is_of(one: Event | Segment, connection: int, part: Excerpt) -> bool:
    if isinstance(one, Segment):
        return part.ports.get(connection, one.port) == one.port
    return one.connection == connection
