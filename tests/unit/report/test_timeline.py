"""Time lines in the terminal: which line is in which lane, and what is marked."""

from __future__ import annotations

import io

import pytest
from rich.console import Console, RenderableType

from fetchoff.model.cause import Stretch
from fetchoff.model.recording import (
    Accepted,
    Answered,
    Event,
    Excerpt,
    Head,
    Read,
    Segment,
    Side,
    Written,
)
from fetchoff.report.terminal.timeline import (
    DOWN,
    MOST_LINES,
    ORIGIN,
    UP,
    Row,
    rows,
    side_by_side,
    timeline,
)
from fetchoff.report.wording.segments import words

MS = 1_000_000
PORT = 51_000
EVENTS: tuple[Event, ...] = (
    Read(1 * MS, 7, 0, 144),
    Head(1 * MS + 1, 7, 0, 0, "POST", "/form", "HTTP/1.1", ()),
    Read(41 * MS, 7, 90_000, 55),
    Answered(41 * MS + 1, 7, 90_000, 0, 200),
    Written(42 * MS, 7, 90_000, 180),
)


def segment(at_ns: int, sender: Side, size: int = 0, flags: int = 16, window: int = 9) -> Segment:
    return Segment(at_ns, sender, PORT, 0, 0, flags, window, size)


SEGMENTS = (
    segment(1 * MS - 500_000, Side.CLIENT, 144, 24),
    segment(40 * MS, Side.ORIGIN),
    segment(40 * MS + 1000, Side.CLIENT, 55, 24),
    segment(42 * MS + 10, Side.ORIGIN, 180, 24),
)
PLACE = Stretch(7, 1 * MS, 41 * MS)


def told(part: Excerpt) -> list[tuple[str, str, bool]]:
    return [(row.lane, row.what, row.is_marked) for row in rows(part, [PLACE])]


def drawn(what: RenderableType, width: int = 200) -> str:
    console = Console(file=io.StringIO(), width=width)
    console.print(what)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_without_segments_reads_and_writes_stand_for_them() -> None:
    assert told(Excerpt(EVENTS)) == [
        (UP, "144 bytes", False),
        (ORIGIN, "head: POST /form", True),
        (UP, "55 bytes", True),
        (ORIGIN, "answers 200", False),
        (DOWN, "180 bytes", False),
    ]


def test_segments_are_in_their_lanes_and_reads_at_the_origin() -> None:
    assert told(Excerpt(EVENTS, SEGMENTS, {7: PORT})) == [
        (UP, "144 bytes", False),
        (ORIGIN, "reads 144 bytes", False),
        (ORIGIN, "head: POST /form", True),
        (DOWN, "ACK", True),
        (UP, "55 bytes", True),
        (ORIGIN, "reads 55 bytes", True),
        (ORIGIN, "answers 200", False),
        (ORIGIN, "writes 180 bytes", False),
        (DOWN, "180 bytes", False),
    ]


def test_only_the_connection_of_the_cause_is_marked() -> None:
    other = Excerpt(EVENTS, SEGMENTS, {7: PORT + 1})
    assert (DOWN, "ACK", False) in told(other)
    assert not any(row.is_marked for row in rows(Excerpt(EVENTS), [Stretch(8, 0, 99 * MS)]))


def test_gaps_are_since_the_line_before_and_work_since_the_last_clock() -> None:
    by_what: dict[str, Row] = {
        row.what: row for row in rows(Excerpt(EVENTS, SEGMENTS, {7: PORT}), [])
    }
    first = next(rows(Excerpt(EVENTS, SEGMENTS), []))
    assert (first.since_ms, first.gap_us, first.worked_us) == (0.0, None, None)
    second = by_what["reads 55 bytes"]
    assert second.worked_us == 90.0
    assert second.gap_us == pytest.approx(999.0)
    assert by_what["ACK"].worked_us is None


def test_what_is_drawn_is_bounded() -> None:
    many = tuple(Read(n, 1, None, 5) for n in range(1, 500))
    assert len(list(rows(Excerpt(many), []))) == MOST_LINES
    assert list(rows(Excerpt(()), [])) == []
    assert "origin → client" in drawn(timeline(Excerpt(()), []))


def several(*lengths: int) -> Excerpt:
    """Exchanges of so many lines: of 2 bytes in the first, of 3 in the second, and so on."""
    sizes = [size for size, length in enumerate(lengths, 2) for _ in range(length)]
    begins_ns = tuple(sizes.index(size) for size in dict.fromkeys(sizes))
    events = tuple(Read(at_ns, 1, None, size) for at_ns, size in enumerate(sizes))
    return Excerpt(events, begins_ns=begins_ns)


def test_each_exchange_has_its_lines_and_how_many_are_left_out() -> None:
    """Two of 100 lines each were one of 100 and one of 20."""
    full = drawn(timeline(several(MOST_LINES, MOST_LINES, MOST_LINES), []))
    assert full.count(" bytes") == 3 * MOST_LINES
    assert "left out" not in full
    two = several(100, 100)
    shown = [row.what for row in rows(two, [])]
    assert shown == ["2 bytes"] * MOST_LINES + ["3 bytes"] * MOST_LINES
    left_out = f"80 lines left out, beyond {MOST_LINES} of each exchange"
    assert drawn(timeline(two, [])).splitlines()[-1].strip() == left_out
    both = drawn(side_by_side([("a/one", two, []), ("b/two", Excerpt(EVENTS), [])]))
    assert both.count("left out") == 1


def test_the_gap_after_lines_that_are_left_out_is_that_to_the_last_of_them() -> None:
    second = list(rows(several(100, 100), []))[MOST_LINES]
    assert (second.what, second.gap_us) == ("3 bytes", 0.001)


def test_two_clients_are_beside_each_other_where_there_is_room() -> None:
    parts = [("a/one", Excerpt(EVENTS), [PLACE]), ("b/two", Excerpt(EVENTS, SEGMENTS), [PLACE])]
    wide, narrow = drawn(side_by_side(parts)), drawn(side_by_side(parts), width=60)
    assert any("a/one" in line and "b/two" in line for line in wide.splitlines())
    assert not any("a/one" in line and "b/two" in line for line in narrow.splitlines())
    for said in ("→ 144 bytes", "· head: POST /form", "← 180 bytes", "← ACK"):
        assert said in wide and said in narrow


@pytest.mark.parametrize(
    ("one", "said"),
    [
        (segment(0, Side.CLIENT, 0, 2, 0), "SYN"),
        (segment(0, Side.CLIENT, 149, 25), "149 bytes, FIN"),
        (segment(0, Side.CLIENT), "ACK"),
        (segment(0, Side.CLIENT, window=0), "ACK, window closed"),
        (segment(0, Side.CLIENT, flags=20, window=0), "RST"),
    ],
)
def test_segments_in_words(one: Segment, said: str) -> None:
    assert words(one) == said


def test_a_connection_is_the_origins_event() -> None:
    (row,) = rows(Excerpt((Accepted(0, 3, None, PORT),)), [])
    assert (row.lane, row.what) == (ORIGIN, "connects (connection 3)")
