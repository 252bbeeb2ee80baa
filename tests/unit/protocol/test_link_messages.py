"""The control channel of the link emulator, as docs/links.md has it."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fetchoff.model.link import Bursts, Profile
from fetchoff.model.recording import Query
from fetchoff.protocol import link as control
from fetchoff.protocol.fields import Garbled
from fetchoff.protocol.link import Asked, Counts, End, Opened

END = {
    "namespace": "/proc/9/fd/5",
    "device": "fetchoff-near",
    "ipv4": "198.18.1.1",
    "ipv6": "2001:2:0:1::1",
    "congestion": "cubic",
}
OPENED = {"link": 3, "backend": "tun", "mtu": 1500, "near": END, "far": {**END, "ipv4": "f"}}
LATENESS = {"packets": 3, "p50_us": 8, "histogram_us": [[8, 2], [1024, 1]]}
DIRECTION = {
    "packets": 10,
    "bytes": 1000,
    "lost": 1,
    "queue_dropped": 2,
    "black_holed": 9,
    "overruns": 3,
    "overflowed": 4,
    "refused": 5,
    "lateness": LATENESS,
}
READ = {
    "link": 3,
    "elapsed_ns": 700,
    "cpu_ns": 60,
    "waited_ns": 5,
    "up": DIRECTION,
    "down": {**DIRECTION, "packets": 100, "lost": 10},
}
NO_TEXT: tuple[object, ...] = (None, -1, 0.5, [], True)
NO_NUMBER: tuple[object, ...] = (*NO_TEXT, "5")

histograms = st.dictionaries(st.integers(0, 10**6), st.integers(1, 10**6), max_size=20)


def as_json(message: object) -> Any:
    return json.loads(json.dumps(message))


def counts(late_up: dict[int, int], late_down: dict[int, int], packets: int = 0) -> Counts:
    return Counts(packets, 0, 0, 0, (late_up, late_down), 0, 0)


def test_asking_for_a_link() -> None:
    assert as_json(control.open_link(1400, "bbr")) == {
        "op": "open",
        "mtu": 1400,
        "congestion": "bbr",
    }
    assert control.read_link(3) == {"op": "read", "link": 3}


@pytest.mark.parametrize(
    ("profile", "asked"),
    [
        (Profile(), {}),
        (Profile(45, 5), {"delay_ms": 45, "jitter_ms": 5}),
        (Profile(rate_mbit_s=10), {"rate_mbit_s": 10}),
        (Profile(rate_mbit_s=1, queue_bytes=9000), {"rate_mbit_s": 1, "queue": {"bytes": 9000}}),
        (Profile(rate_mbit_s=1, queue_packets=7), {"rate_mbit_s": 1, "queue": {"packets": 7}}),
        (Profile(loss=0.01), {"loss": {"independent": 0.01}}),
        (
            Profile(bursts=Bursts(0.1, 0.2, 0.9, 0.3)),
            {"loss": {"bursts": {"begin": 0.1, "end": 0.2, "within": 0.9, "outside": 0.3}}},
        ),
    ],
)
def test_asking_for_a_profile(profile: Profile, asked: dict[str, object]) -> None:
    plain = {"delay_ms": 0, "jitter_ms": 0, "seed": 77}
    shaped = as_json(control.shape(3, profile, Profile(), 77))
    assert shaped == {"op": "set", "link": 3, "up": {**plain, **asked}, "down": plain}
    assert as_json(control.shape(3, Profile(), profile, 77))["down"] == {**plain, **asked}


def test_greeting() -> None:
    greeting: dict[str, object] = {"emulator": "fetchoff-link", "protocol": 2}
    assert control.read_greeting({**greeting, "user_namespace": None}) == ""
    assert control.read_greeting({**greeting, "user_namespace": "/proc/9/fd/3"}) == "/proc/9/fd/3"
    for wrong in ({"protocol": 1}, {"protocol": "2"}, {"user_namespace": 5}):
        with pytest.raises(Garbled):
            control.read_greeting({**greeting, **wrong})
    with pytest.raises(Garbled):
        control.read_greeting({})


def test_opened() -> None:
    near = End("/proc/9/fd/5", "198.18.1.1", "cubic", "2001:2:0:1::1")
    far = End("/proc/9/fd/5", "f", "cubic", "2001:2:0:1::1")
    assert control.read_opened(OPENED) == Opened(3, "tun", near, far)


@pytest.mark.parametrize("value", NO_TEXT)
@pytest.mark.parametrize("key", ["namespace", "ipv4", "congestion"])
def test_an_end_that_is_garbled(key: str, value: object) -> None:
    for end in ("near", "far"):
        with pytest.raises(Garbled):
            control.read_opened({**OPENED, end: {**END, key: value}})


@pytest.mark.parametrize(
    ("key", "value"), [("link", "3"), ("backend", 1), ("near", None), ("far", [END])]
)
def test_an_opening_that_is_garbled(key: str, value: object) -> None:
    with pytest.raises(Garbled):
        control.read_opened({**OPENED, key: value})


def test_counters_of_both_directions_together() -> None:
    late = {8: 2, 1024: 1}
    assert control.read_counts(READ) == Counts(110, 11, 4, 24, (late, late), 60, 700, 10)


@pytest.mark.parametrize("value", NO_NUMBER)
@pytest.mark.parametrize("key", ["up", "down", "cpu_ns", "elapsed_ns"])
def test_a_reading_that_is_garbled(key: str, value: object) -> None:
    with pytest.raises(Garbled):
        control.read_counts({**READ, key: value})


@pytest.mark.parametrize("value", NO_NUMBER)
@pytest.mark.parametrize(
    "key", ["packets", "lost", "queue_dropped", "overruns", "overflowed", "refused", "lateness"]
)
def test_counters_that_are_garbled(key: str, value: object) -> None:
    with pytest.raises(Garbled):
        control.read_counts({**READ, "down": {**DIRECTION, key: value}})


@pytest.mark.parametrize(
    "steps", [None, 5, [5], [[]], [[8]], [[8, 1, 1]], [["8", 1]], [[8, 0.5]], [[8, -1]], {"8": 1}]
)
def test_a_histogram_that_is_garbled(steps: object) -> None:
    with pytest.raises(Garbled):
        control.read_counts({**READ, "up": {**DIRECTION, "lateness": {"histogram_us": steps}}})


def test_between_two_readings() -> None:
    before = Counts(10, 1, 2, 3, ({8: 5}, {}), 100, 1000, 4)
    now = Counts(110, 11, 22, 33, ({8: 5, 16: 1}, {4: 1}), 400, 9000, 44)
    used = now.since(before)
    assert (used.packets, used.lost, used.dropped, used.unasked) == (100, 10, 20, 30)
    assert (used.cpu_ns, used.elapsed_ns, used.packets_up) == (300, 8000, 40)
    assert used.late_p99_us == 16


@pytest.mark.parametrize(
    ("late", "p99"),
    [({}, 0), ({64: 1}, 64), ({8: 99, 500: 1}, 8), ({8: 98, 500: 2}, 500), ({8: 9, 500: 1}, 500)],
)
def test_one_in_a_hundred_may_be_later(late: dict[int, int], p99: int) -> None:
    earlier = {8: 1000, 500: 1000}
    both = {bound: earlier.get(bound, 0) + late.get(bound, 0) for bound in {*earlier, *late}}
    assert counts(both, {}).since(counts(earlier, {})).late_p99_us == p99
    assert counts({}, both).since(counts({}, earlier)).late_p99_us == p99


@given(histograms, histograms)
def test_lateness_of_what_came_on_top(then: dict[int, int], gained: dict[int, int]) -> None:
    now = {bound: then.get(bound, 0) + gained.get(bound, 0) for bound in {*then, *gained}}
    p99 = counts(now, {}).since(counts(then, {})).late_p99_us
    total = sum(gained.values())
    assert p99 in gained or not gained
    assert sum(count for bound, count in gained.items() if bound > p99) <= math.ceil(0.01 * total)
    assert sum(count for bound, count in gained.items() if bound >= p99) >= 0.01 * total


def test_names_are_asked_for_and_their_queries_read() -> None:
    assert control.set_names(3, "origin.test", ["198.18.1.2"], 200, ["::1"]) == {
        "op": "names",
        "link": 3,
        "name": "origin.test",
        "addresses": ["198.18.1.2"],
        "delay_ms": 200,
        "unreachable": ["::1"],
    }
    told = {"at_ns": 5, "answered_ns": 9, "name": "origin.test", "type": "A", "port": 7}
    answer = {"link": 3, "queries": [told], "lost": 1}
    assert control.read_queries(answer) == Asked((Query(5, 9, "origin.test", "A", 7),), 1)
    for wrong in ({"queries": None}, {"queries": [{**told, "at_ns": "x"}]}, {"lost": "x"}):
        with pytest.raises(Garbled):
            control.read_queries({**answer, **wrong})
