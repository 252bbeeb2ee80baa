"""Answers of the origin's control channel."""

from __future__ import annotations

import contextlib
import hashlib
import json
from dataclasses import asdict, astuple
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fetchoff.model.behaviour import Behaviour, Continue
from fetchoff.model.observation import Seen
from fetchoff.model.workload import Protocol, Settings
from fetchoff.protocol.content import PERIOD, content
from fetchoff.protocol.fields import Garbled
from fetchoff.protocol.origin import (
    SEND_BUFFER_BYTES,
    Turn,
    Turns,
    gained,
    give_turns,
    hold,
    open_ledger,
    read_authority,
    read_counters,
    read_turns,
    release,
)

COUNTERS: dict[str, Any] = {
    "ledger": 1,
    "requests": 5,
    "connections": 1,
    "bytes_in": 100,
    "bytes_out": 200,
    "segments_in": 6,
    "statuses": {"200": 5},
    "bad_requests": 0,
    "open": 1,
    "max_in_flight": 1,
    "absolute_form": 0,
    "handshakes_resumed": 0,
    "alpn": {"h2": 1},
    "streams": 5,
}
counts = st.integers(0, 2**60)
seen = st.builds(Seen, counts, counts, counts, counts, counts)


def test_as_read() -> None:
    counters = read_counters(COUNTERS)
    assert counters.seen == Seen(5, 1, 100, 200, 6)
    assert counters.statuses == {"200": 5}
    assert counters.alpn == {"h2": 1}
    assert counters.raw == {key: value for key, value in COUNTERS.items() if key != "ledger"}


@pytest.mark.parametrize("key", [key for key in COUNTERS if key != "ledger"])
@pytest.mark.parametrize("value", [None, -1, 0.5, "5", []])
def test_garbled(key: str, value: object) -> None:
    with pytest.raises(Garbled):
        read_counters({**COUNTERS, key: value})


@pytest.mark.parametrize(
    "settings",
    [Settings(), Settings(tls=True, protocol=Protocol.H2), Settings(tls=True, tickets=False)],
)
def test_a_listener_for_the_settings(settings: Settings) -> None:
    asked = json.loads(json.dumps(open_ledger(settings)))
    assert asked == {
        "op": "open",
        "protocol": settings.protocol.value,
        "tls": settings.tls,
        "tickets": settings.tickets,
        "keep_alive": True,
        "behaviour": {},
    }


def test_only_what_is_toggled_is_told() -> None:
    toggled = Behaviour(quick_ack=True, keep_alive=False, continues=Continue.NEVER)
    asked = json.loads(json.dumps(open_ledger(Settings(behaviour=toggled))))
    assert asked["behaviour"] == {"quick_ack": True, "continues": "never"}
    assert asked["keep_alive"] is False


def test_an_authority_is_a_certificate() -> None:
    pem = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
    assert read_authority({"authority": pem}) == pem
    for authority in (None, "", 5, "AAAA"):
        with pytest.raises(Garbled):
            read_authority({"authority": authority})


def test_refused() -> None:
    with pytest.raises(Garbled, match="no such ledger"):
        read_counters({"error": "no such ledger"})


@given(seen)
def test_nothing_gained(reading: Seen) -> None:
    assert gained(reading, reading) == Seen()


@given(seen)
def test_all_gained(reading: Seen) -> None:
    assert gained(Seen(), reading) == reading


@given(st.integers(0, 3 * PERIOD))
def test_content_repeats_one_block(size: int) -> None:
    found = content(size)
    assert len(found) == size
    assert found[PERIOD:] == found[: max(0, size - PERIOD)]


def test_content_begins_as_the_page_says() -> None:
    begin = hashlib.sha256(b"fetchoff 0").digest() + hashlib.sha256(b"fetchoff 1").digest()
    assert content(64) == begin


def test_connections_that_are_measured_in_turns_have_a_send_buffer_of_one_size() -> None:
    plain = open_ledger(Settings())
    assert open_ledger(Settings(), in_turns=True) == {**plain, "send_buffer": SEND_BUFFER_BYTES}


def test_hold_is_asked_for_a_process_or_its_group() -> None:
    asked = {"op": "hold", "ledger": 3, "pid": 77, "requests": 600, "per_iteration": 2}
    assert hold(3, 77, None, 600, 2) == {**asked, "group": None}
    in_group = json.loads(json.dumps(hold(3, 77, Path("/groups/a"), 600, 2)))
    assert in_group == {**asked, "group": "/groups/a"}


def test_turns_are_asked_for_in_an_order() -> None:
    asked = json.loads(json.dumps(give_turns([(2, 12, 8), (1, 18, 16)], 5)))
    assert asked == {"op": "turns", "order": [[2, 12, 8], [1, 18, 16]], "patience_ms": 5}


def test_release_is_asked_for_a_ledger() -> None:
    assert release(4) == {"op": "release", "ledger": 4}


turns_given = st.builds(Turn, *[counts] * 12)
answers = st.builds(
    Turns,
    st.lists(turns_given, max_size=5).map(tuple),
    st.lists(counts, max_size=3).map(tuple),
    st.lists(counts, max_size=3).map(tuple),
    counts,
    counts,
)


def told(turns: Turns) -> dict[str, Any]:
    """As the origin says it."""
    document = {**asdict(turns), "turns": [list(astuple(turn)) for turn in turns.turns]}
    spoken: dict[str, Any] = json.loads(json.dumps(document))
    return spoken


def test_a_turn_s_numbers_are_in_the_order_of_the_page() -> None:
    turn = Turn(
        ledger=1,
        exchanges=2,
        wall_ns=3,
        cpu_ns=4,
        origin_ns=5,
        others_ns=6,
        lead_exchanges=7,
        lead_wall_ns=8,
        lead_cpu_ns=9,
        first_cpu_ns=10,
        held_cpu_ns=11,
        probe_ps=12,
    )
    answer = {
        "turns": [list(range(1, 13))],
        "lost": [2],
        "exhausted": [3],
        "wall_ns": 4,
        "lost_ns": 5,
    }
    assert read_turns(answer) == Turns((turn,), (2,), (3,), 4, 5)


@given(answers)
def test_turns_as_they_were_told(turns: Turns) -> None:
    assert read_turns(told(turns)) == turns


@given(answers, st.sampled_from(["turns", "lost", "exhausted", "wall_ns", "lost_ns"]))
def test_turns_of_which_something_is_missing(turns: Turns, key: str) -> None:
    message = told(turns)
    del message[key]
    with pytest.raises(Garbled):
        read_turns(message)


@pytest.mark.parametrize("key", ["turns", "lost", "exhausted"])
@pytest.mark.parametrize("value", [None, 1, "1", {}, [-1], [0.5], ["1"], [True], [None], [[]]])
def test_turns_that_are_garbled(key: str, value: object) -> None:
    with pytest.raises(Garbled):
        read_turns({**told(Turns((), (), (), 0, 0)), key: value})


@pytest.mark.parametrize("key", ["wall_ns", "lost_ns"])
@pytest.mark.parametrize("value", [None, -1, 0.5, "5", [], True])
def test_times_that_are_garbled(key: str, value: object) -> None:
    with pytest.raises(Garbled):
        read_turns({**told(Turns((), (), (), 0, 0)), key: value})


@given(turns_given, st.integers(0, 20), st.sampled_from([None, -1, 0.5, "5", True, [1]]))
def test_a_row_must_be_whole_and_of_whole_numbers(turn: Turn, length: int, odd: object) -> None:
    message = told(Turns((turn,), (), (), 0, 0))
    row = message["turns"][0]
    if length != len(row):
        with pytest.raises(Garbled):
            read_turns({**message, "turns": [(row * 3)[:length]]})
    with pytest.raises(Garbled):
        read_turns({**message, "turns": [[*row[:-1], odd]]})


@given(
    st.dictionaries(
        st.sampled_from(["turns", "lost", "exhausted", "wall_ns", "lost_ns", "error"]),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
            lambda inner: st.lists(inner, max_size=12),
            max_leaves=15,
        ),
    )
)
def test_anything_is_turns_or_garbled(message: dict[str, Any]) -> None:
    with contextlib.suppress(Garbled):
        found = told(read_turns(message))
        assert found == {key: message[key] for key in found}
