"""What is in flight over a link: known truth in, the right number out, and no false alarm."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.analysis.crossing import LINK, WAY, Crossed, Does, calibration

from fetchoff.analysis.in_flight import content_rate, slow_start_s
from fetchoff.model.analysis import InFlight, RankingRow, WorkloadResult
from fetchoff.model.link import LOOPBACK, Bursts, Link, Profile
from fetchoff.model.workload import Protocol, Settings
from fetchoff.report.wording import findings

TRIP_S = 0.0901
TRIED = (calibration(),)
MUCH = 10_000_000
KEPT = Settings()
H2 = Settings(protocol=Protocol.H2, tls=True, concurrency=4)


def only(crossed: Crossed) -> WorkloadResult:
    (result,) = crossed.analysed().results
    return result


def standing(crossed: Crossed, client: str) -> RankingRow:
    return next(s for s in only(crossed).standings if s.client == client)


def in_flight(crossed: Crossed, client: str) -> InFlight:
    found = standing(crossed, client).in_flight
    assert found is not None
    return found


def download(wall_s: float, cpu_s: float = 0.02) -> Does:
    return Does(wall_s, cpu_s, 100, MUCH)


def windowed(window: int, content: int = MUCH) -> Does:
    """A client that has `window` bytes in flight: as many round trips as it takes."""
    return Does(math.ceil(content / window) * TRIP_S, 0.02, 100, content)


def downloads(clients: dict[str, Does], **more: Any) -> Crossed:
    return replace(Crossed(clients, bytes=MUCH, settings=KEPT, tried=TRIED), **more)


@pytest.mark.parametrize(
    ("content", "round_trips"),
    [(16, 1), (14_480, 1), (14_481, 2), (43_440, 2), (43_441, 3), (1_000_000, 7)],
)
def test_slow_start_takes_a_round_trip_for_each_doubling(content: int, round_trips: int) -> None:
    endless = Profile(delay_ms=45)
    assert slow_start_s(content, endless, 1500, 0.09) == pytest.approx(round_trips * 0.09)


def test_slow_start_ends_where_the_link_is_full() -> None:
    """Real downloads over such a link took 639 ms for 1 MB, and 986 ms for 5 MB."""
    assert slow_start_s(1e6, WAY, 1500, 0.09) == pytest.approx(0.639, abs=0.003)
    assert slow_start_s(5e6, WAY, 1500, 0.09) == pytest.approx(0.986, abs=0.01)
    rate = content_rate(WAY, 1500)
    assert rate == pytest.approx(0.9653 * 12.5e6, rel=1e-4)
    one, two = (slow_start_s(content, WAY, 1500, 0.09) for content in (50e6, 100e6))
    assert 50e6 / (two - one) == pytest.approx(rate)


@given(st.floats(1, 1e9), st.floats(1e-4, 1), st.floats(0.1, 1000))
def test_slow_start_is_never_faster_than_the_link(content: float, trip: float, rate: float) -> None:
    way = Profile(rate_mbit_s=rate)
    took = slow_start_s(content, way, 1500, trip)
    sending = content / content_rate(way, 1500)
    assert (trip + sending) * (1 - 1e-9) <= took <= 40 * trip + sending


@pytest.mark.parametrize("window", [16_384, 65_535, 262_144])
def test_a_window_comes_back_as_that_window(window: int) -> None:
    crossed = downloads({"a/wide": download(1.4), "a/narrow": windowed(window)})
    found = in_flight(crossed, "a/narrow")
    assert found.bytes == pytest.approx(window, rel=0.03)
    assert found.of_bytes == pytest.approx(content_rate(WAY, 1500) * TRIP_S)
    assert (found.exchanges, found.of_exchanges) == (None, None)
    assert found.bytes is not None
    (note,) = findings.notes(standing(crossed, "a/narrow"))
    assert f"a window of about {found.bytes / 1e3:.0f} kB" in note
    assert standing(crossed, "a/wide").findings == ()
    assert only(crossed).findings == ()


def test_the_note_says_what_was_reached_and_what_others_reached() -> None:
    crossed = downloads({"a/wide": download(1.4), "a/narrow": windowed(65_535)})
    (note,) = findings.notes(standing(crossed, "a/narrow"))
    held = [in_flight(crossed, client).bytes or 0.0 for client in ("a/narrow", "a/wide")]
    reached, best = (8e-6 * one / TRIP_S for one in held)
    assert f": {reached:.1f} Mbit/s, where {best:.1f} were carried" in note
    assert best == pytest.approx(8e-6 * MUCH / 1.4, rel=0.01)


def test_a_short_download_that_slow_start_explains_is_no_finding() -> None:
    """A fifth of the link's rate, and still all that TCP can do with 1 MB."""
    short = {"a/x": windowed(10**9, 10**6), "a/y": Does(0.64, 0.02, 100, 10**6)}
    crossed = Crossed(short, bytes=10**6, settings=KEPT, tried=TRIED)
    assert standing(crossed, "a/y").findings == ()
    assert only(crossed).findings == ()


@pytest.mark.parametrize(
    "more",
    [
        {"settings": replace(KEPT, concurrency=5)},  # five connections of HTTP/1.1
        {"link": replace(LINK, down=replace(WAY, loss=0.01))},
        {"link": replace(LINK, up=replace(WAY, bursts=Bursts(0.01, 0.5)))},
        {"link": replace(LINK, up=Profile(45), down=Profile(45))},  # who knows what it can carry
    ],
)
def test_where_the_cause_may_be_another_nothing_is_said(more: dict[str, Any]) -> None:
    clients = {"a/wide": download(1.4), "a/narrow": windowed(65_535)}
    assert standing(downloads(clients), "a/narrow").findings
    crossed = downloads(clients, **more)
    assert standing(crossed, "a/narrow").findings == ()
    assert in_flight(crossed, "a/narrow").bytes == pytest.approx(65_535, rel=0.03)


def test_a_client_that_is_busy_all_the_time_is_not_held_back_by_a_window() -> None:
    busy = replace(windowed(65_535), cpu_s=8.0)
    crossed = downloads({"a/wide": download(1.4), "a/busy": busy})
    assert standing(crossed, "a/busy").findings == ()


def test_streams_of_one_connection_share_its_window() -> None:
    clients = {"a/wide": download(1.1), "a/narrow": windowed(65_535)}
    assert standing(downloads(clients, settings=H2), "a/narrow").findings


def test_a_new_connection_has_its_handshakes() -> None:
    """200 kB on a new connection with TLS: three round trips for handshakes, four for content."""
    content = 200_000
    clients = {
        "a/x": Does(6.5 * TRIP_S, 0.001, 100, content),
        "a/y": Does(11 * TRIP_S, 0.001, 100, content),
    }
    fresh = Settings(reuse=False, tls=True)
    crossed = Crossed(clients, bytes=content, settings=fresh, tried=TRIED)
    assert standing(crossed, "a/y").findings == ()
    assert standing(replace(crossed, settings=Settings(tls=True)), "a/y").findings


def test_where_nobody_carries_more_nobody_is_blamed() -> None:
    crossed = downloads({"a/x": windowed(65_535), "a/y": windowed(131_070)})
    assert [s.findings for s in only(crossed).standings] == [(), ()]
    (note,) = findings.remarks(only(crossed).findings)
    assert "no client carries half of what TCP could reach here: about 65 to 130 kB" in note


def test_uploads_are_told_by_the_way_up() -> None:
    slow_up = replace(LINK, up=Profile(45, rate_mbit_s=10))
    sending = {"a/x": Does(9.0, 0.02, MUCH, 100), "a/y": Does(40.0, 0.02, MUCH, 100)}
    crossed = Crossed(sending, settings=KEPT, link=slow_up, tried=TRIED)
    assert in_flight(crossed, "a/x").of_bytes == pytest.approx(1.2066e6 * TRIP_S, rel=1e-3)
    assert standing(crossed, "a/x").findings == ()
    assert "held back" in findings.notes(standing(crossed, "a/y"))[0]


SIX = Settings(concurrency=6)


def gets(pool: int, cpu_s: float = 0.0002, settings: Settings = SIX, **more: Any) -> Crossed:
    """100 exchanges of a client that lets `pool` of them be in flight."""
    wall_s = math.ceil(100 / pool) * TRIP_S / 100 + cpu_s
    made = Crossed({"a/x": Does(wall_s, cpu_s)}, settings=settings, exchanges=100, tried=TRIED)
    return replace(made, **more)


@pytest.mark.parametrize("pool", [1, 2, 3, 4])
def test_a_pool_that_is_too_small_is_found(pool: int) -> None:
    crossed = gets(pool)
    found = in_flight(crossed, "a/x")
    assert found.exchanges == pytest.approx(pool, rel=0.06)
    assert (found.of_exchanges, found.bytes) == (6, None)
    (note,) = findings.notes(standing(crossed, "a/x"))
    assert note.startswith(
        f"about {found.exchanges:.1f} of 6 were in flight: its pool or its queue"
    )


@pytest.mark.parametrize(
    ("segments", "said"),
    [
        (0.01, ": its queue holds it back"),
        (0.03, ": its queue holds it back, or Nagle's algorithm the later ones of its 3 segments"),
        (0.10, "Nagle's algorithm the later ones of its 10 segments"),
        (0.13, "requests in 13 segments, more than the 10 packets that TCP begins with"),
    ],
)
def test_on_one_connection_segments_tell_what_may_hold_back(segments: float, said: str) -> None:
    settings = Settings(protocol=Protocol.H2, tls=True, concurrency=100)
    clients = {"a/x": Does(2 * TRIP_S / 100 + 0.0001, 0.0001, segments=segments)}
    crossed = Crossed(clients, settings=settings, exchanges=100, tried=TRIED)
    (note,) = findings.notes(standing(crossed, "a/x"))
    assert note.endswith(said)


@pytest.mark.parametrize("pool", [5, 6])
def test_a_pool_that_is_large_enough_is_no_finding(pool: int) -> None:
    assert standing(gets(pool), "a/x").findings == ()


def test_a_last_round_trip_that_is_not_full_is_no_finding() -> None:
    """Seven exchanges, six at a time, take two round trips: 3.5 in flight are all there can be."""
    clients = {"a/x": Does(2 * TRIP_S / 7 + 0.0002, 0.0002)}
    crossed = Crossed(clients, settings=SIX, exchanges=7, tried=TRIED)
    assert in_flight(crossed, "a/x").exchanges == pytest.approx(3.5, rel=0.02)
    assert standing(crossed, "a/x").findings == ()


@pytest.mark.parametrize(
    "crossed",
    [
        gets(6, cpu_s=0.012),  # busy for as long as it waits
        gets(2, settings=replace(SIX, reuse=False)),
        gets(2, link=replace(LINK, down=replace(WAY, loss=0.02))),
        gets(2, link=Link("near", "", Profile(1), Profile(1)), tried=()),
        gets(5, link=replace(LINK, up=Profile(45, rate_mbit_s=0.01), down=WAY)),
    ],
)
def test_where_something_else_may_hold_it_back_nothing_is_said(crossed: Crossed) -> None:
    assert standing(crossed, "a/x").findings == ()
    assert in_flight(crossed, "a/x").of_exchanges == 6


def test_one_small_exchange_at_a_time_has_nothing_to_tell() -> None:
    assert standing(gets(1, settings=KEPT), "a/x").in_flight is None


def test_over_loopback_nothing_is_in_flight() -> None:
    assert standing(gets(2, link=LOOPBACK), "a/x").in_flight is None
