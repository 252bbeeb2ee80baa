"""Answers of the origin's control channel."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fetchoff.model.observation import Seen
from fetchoff.model.workload import Protocol, Settings
from fetchoff.protocol.content import PERIOD, content
from fetchoff.protocol.fields import Garbled
from fetchoff.protocol.origin import gained, open_ledger, read_authority, read_counters

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
    }


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
