"""Rules of TLS, HTTP/2 and content on events made by hand: both sides of their thresholds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from fetchoff.app.courses import courses
from fetchoff.diagnosis.rule import Evidence
from fetchoff.diagnosis.rules.registry import rule
from fetchoff.model.cause import Cause
from fetchoff.model.course import Course
from fetchoff.model.recording import (
    Accepted,
    Answered,
    Blocked,
    Content,
    Event,
    Frame,
    FrameKind,
    Handshaken,
    Head,
    Memory,
    Read,
    Recording,
    Side,
    TcpState,
    Written,
)
from fetchoff.report.wording import causes as wording

MS = 1_000_000
END = 1
WORKLOADS = Path(__file__).parent / "workloads"


def course(workload: str, link: str = "") -> Course:
    path = WORKLOADS / f"{workload}.toml"
    (found,) = courses([str(path) if path.exists() else workload], [link] if link else [])
    return found


def recording(on: Course, events: Sequence[Event], wall_ms: float, cpu_ms: float = 1) -> Recording:
    asked = sum(isinstance(event, Head) for event in events) or 1
    end_ns = round(wall_ms * MS)
    return Recording("test/client", on, asked, 0, end_ns, round(cpu_ms * MS), events=tuple(events))


def found(fault: str, made: Recording) -> Cause | None:
    return rule(fault).find(Evidence(made))


def at(ms: float) -> int:
    return round(ms * MS)


def frame(
    ms: float, sender: Side, kind: FrameKind, stream: int, size: int, flags: int = 0, value: int = 0
) -> Frame:
    return Frame(at(ms), 1, 0, sender, kind, stream, size, flags, value, ())


def head(ms: float, stream: int = 0, method: str = "GET", cpu_ms: float = 0) -> list[Event]:
    asked = Head(at(ms), 1, at(cpu_ms), stream, method, "/bytes/9", "HTTP", (("host", "a"),))
    first: list[Event] = [Read(at(ms), 1, at(cpu_ms), 100)]
    if stream:
        first.append(frame(ms, Side.CLIENT, FrameKind.HEADERS, stream, 80))
    return [*first, asked]


def answer(ms: float, size: int, stream: int = 0, cpu_ms: float = 0) -> list[Event]:
    status = Answered(at(ms), 1, at(cpu_ms), stream, 200)
    return [status, Written(at(ms), 1, at(cpu_ms), size)]


ACCEPTED = Accepted(0, 1, 0, 4000)  # the kernel's account of it begins with nothing


def tcp(ms: float, *, busy: int = 0, limited: int = 0, again: int = 0) -> TcpState:
    return TcpState(at(ms), 1, 0, busy, limited, 0, 90_000, 0, 0, 0, 0, again, 0)


# No session is resumed


def handshakes(full: int, resumed: int) -> list[Event]:
    events: list[Event] = []
    for number in range(full + resumed):
        ms, is_resumed = 10.0 * number, number >= full
        took_ms = 1 if is_resumed else 3
        events.append(Accepted(at(ms), number, 0, 1000 + number))
        events.append(Handshaken(at(ms + took_ms), number, 0, is_resumed, "1.3", "h2"))
        events += [replace(event, connection=number) for event in head(ms + 4)]
        events += [replace(event, connection=number) for event in answer(ms + 5, 100)]
    return events


@pytest.mark.parametrize(
    ("full", "resumed", "workload", "is_named"),
    [
        (8, 0, "handshake", True),
        (8, 0, "handshake-full", False),  # the origin gives no tickets
        (3, 0, "handshake", False),  # too few to tell
        (6, 4, "handshake", True),
        (3, 7, "handshake", False),
    ],
)
def test_full_handshakes(full: int, resumed: int, workload: str, *, is_named: bool) -> None:
    made = recording(course(workload), handshakes(full, resumed), 100)
    assert (found("no-resumption", made) is not None) is is_named


def test_a_full_handshake_is_compared_with_resumed_ones() -> None:
    on = course("handshake")
    mixed = found("no-resumption", recording(on, handshakes(6, 4), 100))
    assert mixed is not None
    assert mixed.saves_us == pytest.approx(6 * 2000 / 10)
    alone = found("no-resumption", recording(on, handshakes(8, 0), 100))
    assert alone is not None
    assert alone.saves_us is None


@pytest.mark.parametrize("has_clock", [True, False])
def test_work_in_a_handshake_is_not_predicted(*, has_clock: bool) -> None:
    """The client's clock runs on as long as the handshakes last, or nobody reads it."""
    events = [
        replace(event, cpu_ns=event.at_ns if has_clock else None) for event in handshakes(6, 4)
    ]
    made = found("no-resumption", recording(course("handshake"), events, 100))
    assert made is not None
    assert made.saves_us is None


# Windows


def windowed(gap_ms: float, *, is_blocked: bool = False, burst_bytes: int = 50_000) -> list[Event]:
    """An answer in ten bursts, each after a pause and a WINDOW_UPDATE."""
    events = [*head(0, 1), *answer(0, 0, 1)]
    ms = 1.0
    for number in range(10):
        last = END if number == 9 else 0
        events.append(frame(ms, Side.ORIGIN, FrameKind.DATA, 1, burst_bytes, last))
        if is_blocked:
            events.append(Blocked(at(ms), 1, 0))
        ms += gap_ms
        events.append(Read(at(ms), 1, 0, 13))
        events.append(frame(ms, Side.CLIENT, FrameKind.WINDOW_UPDATE, 1, 4, 0, burst_bytes))
    return events


@pytest.mark.parametrize(
    ("gap_ms", "link", "is_blocked", "is_named"),
    [
        (90, "transatlantic", False, True),
        (90, "transatlantic", True, False),  # TCP held it back
        (30, "transatlantic", False, False),  # the path was busy meanwhile
        (90, "", False, False),  # there is no path
    ],
)
def test_a_window_of_frames(gap_ms: float, link: str, *, is_blocked: bool, is_named: bool) -> None:
    events = windowed(gap_ms, is_blocked=is_blocked)
    made = recording(course("half-megabyte-h2", link), events, 11 * gap_ms)
    cause = found("small-window", made)
    assert (cause is not None) is is_named
    if cause is not None:
        assert cause.saves_us == pytest.approx(9 * (90e3 - 50_000 * 8 / 100))


@pytest.mark.parametrize(
    ("burst_bytes", "is_named"),
    [
        (50_000, True),
        (1_050_000, True),  # 6 ms of 90
        (1_110_000, False),  # 1.2 ms of 90: less than anybody would notice
        (1_125_000, False),  # 100 Mbit/s for as long as content stands still
        (2_000_000, False),
    ],
)
@pytest.mark.parametrize("at_once", [1, 4])
def test_a_window_that_keeps_the_path_busy(
    burst_bytes: int, at_once: int, *, is_named: bool
) -> None:
    """A wider window would carry nothing sooner, though content stands still for 90 ms."""
    on = course("half-megabyte-h2", "transatlantic")
    settings = replace(on.workload.settings, concurrency=at_once)
    on = replace(on, workload=replace(on.workload, settings=settings))
    made = recording(on, windowed(90, burst_bytes=burst_bytes), 990)
    assert (found("small-window", made) is not None) is is_named


@pytest.mark.parametrize(
    ("limited_us", "cpu_ms", "size", "is_named"),
    [
        (800_000, 10, 500_000, True),
        (100_000, 10, 500_000, False),
        (800_000, 900, 500_000, False),
        (800_000, 10, 9_900_000, False),  # which the path carries for 792 ms
    ],
)
def test_a_window_of_tcp(limited_us: int, cpu_ms: float, size: int, *, is_named: bool) -> None:
    last = tcp(999, busy=900_000, limited=limited_us)
    for first in (tcp(0), ACCEPTED):
        events = [first, *head(1), *answer(2, size), last]
        made = recording(course("half-megabyte-http1", "transatlantic"), events, 1000, cpu_ms)
        assert (found("small-window", made) is not None) is is_named


@pytest.mark.parametrize(("updates", "is_named"), [(100, True), (40, False), (4, False)])
def test_small_steps_of_a_window(updates: int, *, is_named: bool) -> None:
    content = [frame(n, Side.ORIGIN, FrameKind.DATA, 1, 16_000) for n in range(31)]
    opened = [frame(n, Side.CLIENT, FrameKind.WINDOW_UPDATE, 1, 4) for n in range(updates)]
    events = [*head(0, 1), *answer(0, 0, 1), *content, *opened]
    made = recording(course("half-megabyte-h2"), events, 100)
    assert (found("chatty-window", made) is not None) is is_named


# Pieces of a request


@pytest.mark.parametrize(
    ("gap_ms", "awaited", "is_named"), [(40, False, True), (10, False, False), (40, True, False)]
)
def test_headers_and_data(gap_ms: float, *, awaited: bool, is_named: bool) -> None:
    events: list[Event] = []
    for number in range(10):
        ms, stream = 100.0 * number, 2 * number + 1
        events += head(ms, stream, "POST")
        if awaited:
            events.append(frame(ms + 1, Side.ORIGIN, FrameKind.SETTINGS, 0, 6))
        events += [Read(at(ms + gap_ms), 1, 0, 60)]
        events += [frame(ms + gap_ms, Side.CLIENT, FrameKind.DATA, stream, 40, END)]
        events += answer(ms + gap_ms, 60, stream)
    made = recording(course("small-post-h2"), events, 1000)
    assert (found("wait-for-ack-h2", made) is not None) is is_named
    assert found("wait-for-ack", made) is None


@pytest.mark.parametrize(("step", "is_named"), [(1000, True), (10_000, False)])
def test_frames_of_an_upload(step: int, *, is_named: bool) -> None:
    sent = [frame(1, Side.CLIENT, FrameKind.DATA, 1, step) for _ in range(200_000 // step)]
    events = [*head(0, 1, "PUT"), *sent, Content(at(2), 1, 0, 1, 200_000), *answer(3, 60, 1)]
    made = recording(course("upload-h2"), events, 10)
    assert (found("small-frames", made) is not None) is is_named


@pytest.mark.parametrize(("record", "is_named"), [(1000, True), (16_384, False)])
def test_records_of_an_upload(record: int, *, is_named: bool) -> None:
    wire = 200_000 + 22 * (200_000 // record)
    events = [*head(0, 0, "PUT"), Read(at(1), 1, 0, wire), Content(at(2), 1, 0, 0, 200_000)]
    made = recording(course("upload-tls"), [*events, *answer(3, 60)], 10)
    assert (found("small-frames", made) is not None) is is_named


# Streams


@pytest.mark.parametrize(
    ("failed", "code", "is_named"), [(5, 7, True), (0, 7, False), (5, 2, False)]
)
def test_refused_streams(failed: int, code: int, *, is_named: bool) -> None:
    events = [*head(0, 1), *answer(1, 60, 1)]
    events += [frame(2, Side.ORIGIN, FrameKind.RST_STREAM, 3, 4, 0, code)]
    made = replace(recording(course("small-gets-h2"), events, 10), failed=failed, iterations=50)
    assert (found("refused-stream", made) is not None) is is_named


def streams(turnaround_ms: float, again: int, first: Event) -> list[Event]:
    """Twenty streams at a time, ten times: each next request follows so long after an answer."""
    events: list[Event] = [first]
    for turn in range(10):
        ms = 1 + turn * turnaround_ms
        for number in range(20):
            stream = 2 * (20 * turn + number) + 1
            events += [*head(ms, stream), *answer(ms, 100, stream)]
            events += [frame(ms, Side.ORIGIN, FrameKind.DATA, stream, 5000, END)]
    return [*events, tcp(10 * turnaround_ms, again=again)]


@pytest.mark.parametrize(
    ("turnaround_ms", "again", "is_named"), [(70, 9, True), (31, 9, False), (70, 0, False)]
)
def test_streams_behind_a_lost_packet(turnaround_ms: float, again: int, *, is_named: bool) -> None:
    for first in (tcp(0), ACCEPTED):
        events = streams(turnaround_ms, again, first)
        made = recording(course("streams-lossy", "lossy-1pct"), events, 10 * turnaround_ms)
        assert (found("head-of-line", made) is not None) is is_named


# Content


@pytest.mark.parametrize(
    ("worked_ms", "workload", "is_named"),
    [(8, "download-to-memory", True), (0.5, "download-to-memory", False), (8, "json-get", False)],
)
def test_work_after_the_last_byte(worked_ms: float, workload: str, *, is_named: bool) -> None:
    events: list[Event] = []
    for number in range(6):
        ms = 10.0 * number
        cpu_ms = number * worked_ms
        events += [*head(ms, cpu_ms=cpu_ms), *answer(ms + 1, 335_000, cpu_ms=cpu_ms)]
    made = recording(course(workload), events, 60)
    assert (found("charset-sniffed", made) is not None) is is_named


@pytest.mark.parametrize(("peak_kb", "is_named"), [(60_000, True), (20_000, False)])
def test_memory_of_an_upload(peak_kb: int, *, is_named: bool) -> None:
    events = [*head(0, 0, "PUT"), Content(at(2), 1, 0, 0, 50_000_000), *answer(3, 60)]
    made = replace(recording(course("large-upload"), events, 10), memory=Memory(10_000, peak_kb))
    assert (found("upload-buffered", made) is not None) is is_named


@pytest.mark.parametrize(
    ("at_once", "said"),
    [
        (1, "51,200,000 bytes, 1 times the content of 51,200,000 bytes"),
        (4, "51,200,000 bytes for each of 4 at once, 1 times the content of 51,200,000 bytes"),
    ],
)
def test_memory_of_several_uploads_is_told_of_each(at_once: int, said: str) -> None:
    on = course("large-upload")
    settings = replace(on.workload.settings, concurrency=at_once)
    on = replace(on, workload=replace(on.workload, settings=settings))
    events = [*head(0, 0, "PUT"), Content(at(2), 1, 0, 0, 51_200_000), *answer(3, 60)]
    grown_kb = at_once * 50_000
    made = replace(recording(on, events, 10), memory=Memory(10_000, 10_000 + grown_kb))
    cause = found("upload-buffered", made)
    assert cause is not None
    told = wording.seen(cause, rule("upload-buffered").fault)
    assert told.endswith(f"memory grew by up to {said}")


@pytest.mark.parametrize(
    ("size", "worked_ms", "memory", "is_named"),
    [
        pytest.param(5_000_000, 0.1, Memory(60_000, 68_000), False, id="a heap that grows"),
        pytest.param(5_000_000, 1.5, Memory(60_000, 68_000), True, id="a small copy"),
        pytest.param(50_000_000, 15, Memory(110_000, 111_000, 60_000), True, id="garbage before"),
        pytest.param(50_000_000, 1, Memory(110_000, 111_000, 60_000), False, id="a heap, warm"),
        pytest.param(50_000_000, 15, Memory(63_000, 65_000, 60_000), False, id="a digest"),
        pytest.param(50_000_000, 15, Memory(110_000, 111_000), False, id="nobody knows"),
    ],
)
def test_memory_of_an_upload_in_a_runtime_with_a_collector(
    size: int, worked_ms: float, memory: Memory, *, is_named: bool
) -> None:
    events: list[Event] = []
    for number in range(6):
        ms, cpu_ms = 50.0 * number, (number + 1) * worked_ms
        events += head(ms, 0, "PUT", cpu_ms=cpu_ms)
        events += [Content(at(ms + 1), 1, at(cpu_ms), 0, size)]
        events += answer(ms + 2, 60, cpu_ms=cpu_ms)
    made = replace(recording(course("large-upload"), events, 300), memory=memory)
    assert (found("upload-buffered", made) is not None) is is_named


@pytest.mark.parametrize(
    ("worked_ms", "every_ms", "is_named"),
    [
        pytest.param(40, 50, True, id="work"),
        pytest.param(40, 100, True, id="work on a busy machine"),
        pytest.param(40, 200, False, id="the wire decides"),
        pytest.param(4, 50, False, id="little work"),
    ],
)
def test_work_before_an_upload(worked_ms: float, every_ms: float, *, is_named: bool) -> None:
    events: list[Event] = []
    for number in range(6):
        ms, cpu_ms = every_ms * number, (number + 1) * worked_ms
        events += head(ms, 0, "PUT", cpu_ms=cpu_ms)
        events += [Content(at(ms + 1), 1, at(cpu_ms), 0, 2_000_000)]
        events += answer(ms + 2, 60, cpu_ms=cpu_ms)
    made = recording(course("upload-tls"), events, 6 * every_ms)
    assert (found("cpu-per-byte", made) is not None) is is_named


@pytest.mark.parametrize(
    ("peak_kb", "sent", "is_named"),
    [(60_000, 500_000, True), (11_000, 500_000, False), (60_000, 40_000_000, False)],
)
def test_memory_of_compressed_content(peak_kb: int, sent: int, *, is_named: bool) -> None:
    made = recording(course("compressed"), [*head(0), *answer(3, sent)], 10)
    made = replace(made, memory=Memory(10_000, peak_kb))
    assert (found("decompression-bomb", made) is not None) is is_named


@pytest.mark.parametrize(
    ("took_ms", "workload", "is_named"),
    [(600, "slow-drip", True), (210, "slow-drip", False), (600, "small-get", False)],
)
def test_a_limit_for_the_whole_exchange(took_ms: float, workload: str, *, is_named: bool) -> None:
    events = [*head(0), *answer(1, 100), Written(at(took_ms), 1, 0, 1)]
    made = recording(course(workload), events, took_ms)
    assert (found("timeout-per-read", made) is not None) is is_named
