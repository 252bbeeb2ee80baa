"""Rules about answers that are cut off or come early, on made events: both sides of thresholds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from fetchoff.app.courses import courses
from fetchoff.diagnosis.early import refused_early
from fetchoff.diagnosis.rule import Evidence
from fetchoff.diagnosis.rules import (
    early_answer_lost,
    stale_connection,
    timer_wait,
    truncated_accepted,
)
from fetchoff.model.recording import (
    Accepted,
    Answered,
    Content,
    Cut,
    Event,
    Head,
    Read,
    Recording,
    Segment,
    Side,
    Written,
)
from fetchoff.model.workload import Exchange, Expect, TimeoutsMs

MS = 1_000_000
CUT = Exchange("GET", "/truncate/20", expect=Expect(cut=True))
WHOLE = Exchange("GET", "/bytes/20")
UPLOAD = Exchange("PUT", "/refuse/20", expect=Expect(status=413))
LENGTH = (("content-length", "9"),)


def evidence(
    events: Sequence[Event],
    iterations: int,
    *exchanges: Exchange,
    failed: int = 0,
    lost: int = 0,
    fault: str = "",
    segments: Sequence[Segment] = (),
) -> Evidence:
    (course,) = courses(["small-get"], ())
    settings = replace(course.workload.settings, reuse=None)
    workload = replace(course.workload, exchanges=exchanges, settings=settings)
    ended_ns = events[-1].at_ns + MS
    recording = Recording("c/x", replace(course, workload=workload), iterations, 0, ended_ns, 0)
    told = replace(recording, events=tuple(events), failed=failed, lost=lost, fault=fault)
    return Evidence(replace(told, segments=tuple(segments)))


def cut(at: int, announced: int | None = 20, size: int = 10, *, is_cut: bool = True) -> list[Event]:
    target = "/truncate/20" if is_cut else "/bytes/20"
    end = [Cut(at + 4, 1, 0, 0, size, announced)] if is_cut else []
    return [
        Read(at, 1, 0, 40),
        Head(at + 1, 1, 0, 0, "GET", target, "HTTP/1.1", ()),
        Answered(at + 2, 1, 0, 0, 200),
        Written(at + 3, 1, 0, 100),
        *end,
    ]


def cuts(count: int) -> list[Event]:
    return [event for n in range(count) for event in cut(n * MS)]


@pytest.mark.parametrize(
    ("attempts", "failed", "taken"),
    [
        pytest.param(5, 0, 5, id="all are believed"),
        pytest.param(5, 4, 1, id="one is"),
        pytest.param(5, 5, 0, id="none is"),
        pytest.param(15, 5, 0, id="tried again, and failed"),
        pytest.param(15, 3, 2, id="tried again, and two believed"),
        pytest.param(3, 3, 0, id="the others were never asked for"),
    ],
)
def test_answers_that_are_cut_and_do_not_fail(attempts: int, failed: int, taken: int) -> None:
    found = truncated_accepted.find(evidence(cuts(attempts), 5, CUT, failed=failed))
    assert (found.count if found else 0) == taken
    if found is not None:
        assert (found.of, found.facts[0].value) == (5, "after 10 of 20 bytes")


def test_a_missing_last_chunk_is_named() -> None:
    found = truncated_accepted.find(evidence(cut(0, announced=None, size=20), 1, CUT))
    assert found is not None
    assert found.facts[0].value == "without the last chunk"


def test_whole_answers_do_not_count() -> None:
    mixed = [*cuts(3), *(e for n in range(3, 6) for e in cut(n * MS, is_cut=False))]
    found = truncated_accepted.find(evidence(mixed, 3, CUT, WHOLE))
    assert found is not None
    assert (found.count, found.of) == (3, 3)
    # Which of them failed, nobody can tell: the fewest possible were believed.
    assert truncated_accepted.find(evidence(mixed, 3, CUT, WHOLE, failed=3)) is None
    whole = cut(0, is_cut=False)
    assert truncated_accepted.find(evidence(whole, 1, WHOLE)) is None


@pytest.mark.parametrize("unsure", [{"lost": 1}, {"fault": "exit status 3"}])
def test_it_is_silent_where_not_all_was_seen(unsure: dict[str, int | str]) -> None:
    assert truncated_accepted.find(evidence(cuts(3), 3, CUT, **unsure)) is None  # type: ignore[arg-type]
    told = evidence(uploads(3), 3, UPLOAD, failed=3, **unsure)  # type: ignore[arg-type]
    assert early_answer_lost.find(told) is None


def upload(
    at: int,
    number: int = 1,
    *,
    status: int = 413,
    sent: str = "never",
    fields: tuple[tuple[str, str], ...] = LENGTH,
) -> list[Event]:
    """`sent`: when the content is complete, "before" the answer, "after" it, or "never"."""
    content = Content(at + (2 if sent == "before" else 6), number, 0, 0, 9)
    return [
        Accepted(at - 1, number, 0, 4000 + number),
        Read(at, number, 0, 40),
        Head(at + 1, number, 0, 0, "PUT", "/refuse/20", "HTTP/1.1", fields),
        *([content] if sent == "before" else []),
        Answered(at + 4, number, 0, 0, status),
        Written(at + 5, number, 0, 100),
        *([content] if sent == "after" else []),
    ]


def uploads(count: int, **how: str) -> list[Event]:
    return [event for n in range(count) for event in upload(n * MS, n + 1, **how)]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("events", "failed", "lost"),
    [
        pytest.param(uploads(4), 4, 4, id="all are lost"),
        pytest.param(uploads(4), 1, 1, id="one is"),
        pytest.param(uploads(4), 0, 0, id="all are read"),
        pytest.param(uploads(4, sent="after"), 4, 4, id="sent after the answer"),
        pytest.param(uploads(4, sent="before"), 4, 0, id="sent before the answer"),
        pytest.param(uploads(12), 4, 4, id="tried again"),
    ],
)
def test_early_answers_that_are_lost(events: list[Event], failed: int, lost: int) -> None:
    found = early_answer_lost.find(evidence(events, 4, UPLOAD, failed=failed))
    assert (found.count if found else 0) == lost
    if found is not None:
        assert (found.of, found.facts[0].value) == (4, 413)


def test_another_status_than_expected_is_no_lost_answer() -> None:
    events = [event for n in range(4) for event in upload(n * MS, n + 1, status=503)]
    assert early_answer_lost.find(evidence(events, 4, UPLOAD, failed=4)) is None


def test_failures_of_other_exchanges_are_not_counted() -> None:
    assert early_answer_lost.find(evidence(uploads(4), 4, UPLOAD, WHOLE, failed=4)) is None
    found = early_answer_lost.find(evidence(uploads(4), 4, UPLOAD, WHOLE, failed=6))
    assert found is not None
    assert found.count == 2


@pytest.mark.parametrize(
    ("fields", "is_early"),
    [
        (LENGTH, True),
        ((("transfer-encoding", "chunked"),), True),
        ((("content-length", "0"),), False),
        ((), False),
    ],
)
def test_only_what_has_content_is_refused_early(
    fields: tuple[tuple[str, str], ...], *, is_early: bool
) -> None:
    assert bool(refused_early(evidence(upload(0, fields=fields), 1, UPLOAD))) == is_early


def late(number: int) -> list[Segment]:
    """Data after the origin's FIN has been acknowledged, and the reset that answers it."""
    port = 4000 + number
    return [
        Segment(1, Side.ORIGIN, port, 100, 1, 17, 9, 10),
        Segment(2, Side.CLIENT, port, 1, 111, 16, 9, 1000),
        Segment(3, Side.ORIGIN, port, 111, 1, 4, 0, 0),
    ]


def test_the_rest_of_a_refused_upload_is_no_stale_connection() -> None:
    segments = [segment for n in range(4) for segment in late(n + 1)]
    told = evidence(uploads(4), 4, UPLOAD, segments=segments)
    assert stale_connection.find(told) is None
    told = evidence(uploads(4, sent="before"), 4, UPLOAD, segments=segments)
    assert stale_connection.find(told) is not None


def test_waiting_for_the_origin_to_read_is_no_timer() -> None:
    def apart(sent: str) -> Evidence:
        events = [e for n in range(6) for e in upload(20 * n * MS, n + 1, sent=sent)]
        return evidence(events, 6, UPLOAD)

    assert timer_wait.find(apart("before")) is not None
    assert timer_wait.find(apart("never")) is None


def test_giving_up_at_the_limit_is_no_timer() -> None:
    """The last byte came 20 ms before the client's own limit of 200 ms."""

    def given(limit_ms: int | None) -> Evidence:
        events = [
            event
            for n in range(6)
            for event in (
                Read(n * 200 * MS, n + 1, n * MS, 40),
                Head(n * 200 * MS + 1, n + 1, n * MS, 0, "GET", "/bytes/20", "HTTP/1.1", ()),
                Answered(n * 200 * MS + 2, n + 1, n * MS, 0, 200),
                Written(n * 200 * MS + 180 * MS, n + 1, n * MS, 100),
            )
        ]
        found = evidence(events, 6, WHOLE)
        workload = found.wire.course.workload
        settings = replace(workload.settings, timeout_ms=TimeoutsMs(total=limit_ms))
        course = replace(found.wire.course, workload=replace(workload, settings=settings))
        return Evidence(replace(found.wire, course=course))

    assert timer_wait.find(given(None)) is not None
    assert timer_wait.find(given(200)) is None
    assert timer_wait.find(given(1000)) is not None
