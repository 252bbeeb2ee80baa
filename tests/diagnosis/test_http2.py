"""Faults of TLS and HTTP/2: clients made for a fault each, and clean ones."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.diagnosis.recorded import diagnosis_of, faulty, in_each_language, named

from fetchoff.model.toggle import Toggle

WORKLOADS = Path(__file__).parent / "workloads"
POST_H2, HALF_H2, HALF, UPLOAD_H2, UPLOAD_TLS, LOSSY, SLOW = (
    str(WORKLOADS / f"{name}.toml")
    for name in (
        "small-post-h2",
        "half-megabyte-h2",
        "half-megabyte-http1",
        "upload-h2",
        "upload-tls",
        "streams-lossy",
        "slow-gets-h2",
    )
)


@pytest.mark.parametrize(
    ("language", "name", "clean", "workload", "link", "fault"),
    in_each_language(
        pytest.param("no_resumption", "clean", "handshake", "", "no-resumption", id="resumption"),
        pytest.param("two_writes_h2", "clean_h2", POST_H2, "", "wait-for-ack-h2", id="ack"),
        pytest.param(
            "small_window_h2", "clean_h2", HALF_H2, "transatlantic", "small-window", id="window-h2"
        ),
        pytest.param(
            "small_window", "clean", HALF, "transatlantic", "small-window", id="window-tcp"
        ),
        pytest.param("chatty_window_h2", "clean_h2", HALF_H2, "", "chatty-window", id="chatty"),
        pytest.param("small_frames_h2", "clean_h2", UPLOAD_H2, "", "small-frames", id="frames"),
        pytest.param("small_records", "clean", UPLOAD_TLS, "", "small-frames", id="records"),
    ),
)
def test_it_is_named_where_it_is_and_nowhere_else(
    language: str, name: str, clean: str, workload: str, link: str, fault: str
) -> None:
    assert fault in named(diagnosis_of(faulty(language, name), workload, link, iterations=8))
    assert named(diagnosis_of(faulty(language, clean), workload, link, iterations=8)) == set()


def test_a_window_is_seen_on_connections_that_are_opened_meanwhile() -> None:
    fresh = Toggle("each has a connection of its own", settings={"reuse": False})
    for name, is_faulty in (("small_window", True), ("clean", False)):
        launch = faulty("python", name)
        found = diagnosis_of(launch, HALF, "transatlantic", iterations=8, toggle=fresh)
        assert ("small-window" in named(found)) is is_faulty


def test_a_client_that_ignores_the_limit_of_streams_is_named() -> None:
    few = Toggle("the origin allows 8 streams", behaviour={"streams": 8})
    for name, is_faulty in (("ignores_limit_h2", True), ("clean_h2", False)):
        found = diagnosis_of(faulty("python", name), SLOW, iterations=400, toggle=few)
        assert ("refused-stream" in named(found)) is is_faulty


def test_streams_of_one_connection_wait_for_a_lost_packet_and_those_of_several_do_not() -> None:
    for name, is_one in (("one_connection_h2", True), ("spread_h2", False)):
        found = diagnosis_of(faulty("python", name), LOSSY, "lossy-1pct", iterations=600)
        assert ("head-of-line" in named(found)) is is_one
        assert "connections-beyond-need" not in named(found)  # they are the cure


@pytest.mark.parametrize(
    ("workload", "name"), [(HALF_H2, "small_window_h2"), (HALF, "small_window")]
)
def test_a_wide_window_is_predicted_to_take_what_a_clean_client_takes(
    workload: str, name: str
) -> None:
    found = diagnosis_of(faulty("python", name), workload, "transatlantic", iterations=6)
    (cause,) = (each for each in found.causes if each.fault == "small-window")
    assert cause.saves_us is not None
    left_us = cause.exchange_us - cause.saves_us
    assert 90e3 < left_us < 200e3  # a round trip of 90 ms, and 40 ms at 100 Mbit/s
