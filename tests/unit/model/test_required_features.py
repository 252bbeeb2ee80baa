"""A workload to the features that docs/protocol.md names."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from fetchoff.catalog.paths import shipped
from fetchoff.contract.cases import all_cases
from fetchoff.model.workload import (
    Exchange,
    FormBody,
    Protocol,
    Settings,
    Sink,
    TimeoutsMs,
    Workload,
    required_features,
)

GET = Exchange("GET", "/")
PLAIN = Workload("plain", "", (GET,))


def with_(**settings: object) -> Workload:
    return replace(PLAIN, settings=replace(Settings(), **settings))  # type: ignore[arg-type]


def test_plain() -> None:
    assert required_features(PLAIN) == (
        "http/1.1",
        "sink.buffer",
        "method.get",
        "connection.reuse",
    )


@pytest.mark.parametrize(
    ("workload", "feature"),
    [
        (with_(reuse=False), "connection.fresh"),
        (with_(concurrency=2), "concurrency"),
        (with_(sink=Sink.FILE), "sink.file"),
        (with_(read_size=1), "read-size"),
        (with_(cookies=True), "cookies"),
        (with_(tls=True), "tls"),
        (with_(protocol=Protocol.H2, tls=True), "h2"),
        (with_(protocol=Protocol.H2C), "h2c"),
        (with_(proxy=True), "proxy"),
        (with_(decompress=True), "decompression"),
        (with_(redirects=1), "redirects"),
        (with_(timeout_ms=TimeoutsMs(connect=1)), "timeout.connect"),
        (with_(timeout_ms=TimeoutsMs(read=1)), "timeout.read"),
        (with_(timeout_ms=TimeoutsMs(total=1)), "timeout.total"),
        (with_(options=(("tcp_nodelay", False),)), "option.tcp_nodelay"),
        (replace(PLAIN, exchanges=(replace(GET, headers=(("A", "b"),)),)), "headers"),
        (replace(PLAIN, exchanges=(Exchange("PUT", "/"),)), "method.put"),
        (replace(PLAIN, exchanges=(Exchange("POST", "/", FormBody(())),)), "body.form"),
    ],
)
def test_one_more(workload: Workload, feature: str) -> None:
    assert feature in required_features(workload)
    assert feature not in required_features(PLAIN)


@pytest.mark.parametrize(
    "settings",
    [
        {"protocol": Protocol.H2},
        {"protocol": Protocol.H2C, "tls": True},
        {"protocol": Protocol.H2C, "proxy": True},
        {"tls": True, "proxy": True},
    ],
)
def test_settings_that_contradict_each_other(settings: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="needs"):
        with_(**settings)


def test_reuse_as_the_client_can_needs_no_feature() -> None:
    assert not any(f.startswith("connection.") for f in required_features(with_(reuse=None)))


def test_each_feature_once() -> None:
    twice = replace(PLAIN, exchanges=(GET, GET, Exchange("POST", "/", FormBody(()))))
    features = required_features(twice)
    assert len(features) == len(set(features))


def test_every_feature_is_in_the_protocol_page() -> None:
    page = (shipped("docs") / "protocol.md").read_text()
    section = page.split("## Features")[1]
    documented = set(re.findall(r"`([a-z0-9/.-]+)`", section))
    needed = {
        f for case in all_cases() for f in (*required_features(case.workload), *case.features)
    }
    assert needed <= documented
