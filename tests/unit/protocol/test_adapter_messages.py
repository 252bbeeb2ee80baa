"""Answers of adapters: read as what they say, or refused as garbled, and never anything else."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fetchoff.catalog.paths import shipped
from fetchoff.contract.cases import all_cases
from fetchoff.model.allocations import Allocated
from fetchoff.model.workload import Exchange, Protocol, RawBody, Settings, Workload
from fetchoff.protocol import adapter
from fetchoff.protocol.adapter import Done, Prepared, Spool, prepare
from fetchoff.protocol.fields import LONGEST_TEXT, Garbled, Message, parse, printable

HELLO = {
    "protocol": 1,
    "client": "x",
    "version": "1",
    "runtime": "r",
    "engine": "",
    "features": ["http/1.1"],
}
DONE = {
    "done": 2,
    "failed": 0,
    "bytes": 32,
    "wall_ns": 5,
    "error": None,
    "sha256": ["00"],
    "busy_ns": 7,
    "children": {"user_ns": 1, "system_ns": 2, "peak_kb": 3},
    "parse_ns": 4,
}

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
readers = st.sampled_from([adapter.read_description, adapter.read_prepared, adapter.read_done])
objects = st.fixed_dictionaries(
    {},
    optional=dict.fromkeys({*HELLO, *DONE, "ready", "unsupported", "error", "surprise"}, anything),
)


@given(objects, readers)
def test_whatever_it_says(message: dict[str, Any], read: Callable[[Message], object]) -> None:
    try:
        read(message)
    except Garbled as garbled:
        str(garbled).encode()


@given(st.sampled_from([(HELLO, adapter.read_description), (DONE, adapter.read_done)]), st.data())
def test_one_field_garbled(
    pair: tuple[dict[str, Any], Callable[[Message], object]], data: st.DataObject
) -> None:
    good, read = pair
    key = data.draw(st.sampled_from(sorted(good)))
    try:
        read({**good, key: data.draw(anything)})
    except Garbled as garbled:
        str(garbled).encode()


@given(st.binary())
def test_any_line(line: bytes) -> None:
    try:
        assert isinstance(parse(line), dict)
    except Garbled as garbled:
        str(garbled).encode()


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"null",
        b"[]",
        b'"text"',
        b"{",
        b"\xff",
        b"[" * 100_000,
        b'{"n":' + b"9" * 5000 + b"}",
    ],
    ids=["empty", "null", "list", "text", "cut", "not-utf-8", "deep", "huge-number"],
)
def test_lines_that_are_no_messages(line: bytes) -> None:
    with pytest.raises(Garbled):
        parse(line)


@pytest.mark.parametrize("key", ["protocol", "version", "runtime", "engine", "features"])
def test_hello_needs(key: str) -> None:
    with pytest.raises(Garbled, match=key):
        adapter.read_description({k: v for k, v in HELLO.items() if k != key})


@pytest.mark.parametrize("key", ["done", "failed", "bytes", "wall_ns", "parse_ns"])
@pytest.mark.parametrize("value", [None, -1, 1.0, True, "1"])
def test_counts_are_whole_numbers(key: str, value: object) -> None:
    with pytest.raises(Garbled, match=key):
        adapter.read_done({**DONE, key: value})


def test_other_protocol_version() -> None:
    with pytest.raises(Garbled, match="speaks protocol 2, not 1"):
        adapter.read_description({**HELLO, "protocol": 2})


def test_done_as_read() -> None:
    assert adapter.read_done(DONE) == Done(2, 0, 32, 5, "", ("00",), 7, (1, 2), 3, 4)
    least = {key: DONE[key] for key in ("done", "failed", "bytes", "wall_ns")}
    assert adapter.read_done(least) == Done(2, 0, 32, 5)


@pytest.mark.parametrize(
    ("told", "allocated"),
    [
        ({"calls": 5, "bytes": 200}, Allocated(5, 200)),
        ({"calls": 5}, Allocated(5, None)),
        ({}, Allocated(None, None)),
    ],
)
def test_a_runtime_tells_what_it_counts(told: object, allocated: Allocated) -> None:
    assert adapter.run(7, allocations=True) == {"op": "run", "n": 7, "allocations": True}
    assert adapter.read_done({**DONE, "allocations": told}).allocated == allocated


@pytest.mark.parametrize("told", [5, None, {"calls": -1}, {"bytes": "many"}])
def test_garbled_allocations(told: object) -> None:
    with pytest.raises(Garbled):
        adapter.read_done({**DONE, "allocations": told})


def test_prepared_as_read() -> None:
    assert adapter.read_prepared({"ready": True}).is_ready
    assert adapter.read_prepared({"unsupported": "cookies"}) == Prepared(unsupported="cookies")
    assert adapter.read_prepared({"error": "no"}) == Prepared(error="no")
    for answer in ({}, {"ready": 1}, {"ready": "yes"}, {"ready": False}):
        with pytest.raises(Garbled):
            adapter.read_prepared(answer)


@given(st.text(st.characters(blacklist_categories=())))
def test_words_are_made_harmless(words: str) -> None:
    shown = printable(words)
    shown.encode()
    assert "\x1b" not in shown and "\n" not in shown
    assert len(shown) <= LONGEST_TEXT * len(r"\U00000000")


def test_ordinary_words_stay_as_they_are() -> None:
    assert printable("Grüße, 100 % “fine” …") == "Grüße, 100 % “fine” …"


@pytest.mark.parametrize("case", all_cases(), ids=lambda case: case.name)
def test_requests_keep_to_the_schema(case: Any) -> None:
    schema = json.loads((shipped("docs") / "protocol.schema.json").read_text())
    ca = Path("/spool/ca.pem") if case.workload.settings.tls else None
    spool = Spool(Path("/spool"))
    request = prepare(case.workload, "http://127.0.0.1:1", spool, case.features, tls_ca=ca)
    for message in (
        adapter.HELLO,
        request,
        adapter.run(3, busy_ns=5),
        adapter.run(1, digest=True),
        adapter.FINISH,
    ):
        as_sent = json.loads(json.dumps(message))
        jsonschema.validate(as_sent, {**schema, "$ref": "#/$defs/request"})


def test_paths_are_absolute_wherever_the_spool_is() -> None:
    upload = Exchange("PUT", "/upload", RawBody("text/plain", 5))
    message = json.loads(json.dumps(prepare(Workload("w", "", (upload,)), "", Spool(Path("run")))))
    for path in (message["settings"]["directory"], message["exchanges"][0]["body"]["path"]):
        assert Path(path).is_absolute()


def test_authority_and_proxy_are_told() -> None:
    def settings(asked: Settings, ca: Path | None = None) -> dict[str, Any]:
        workload = Workload("w", "", (Exchange("GET", "/"),), asked)
        message = prepare(workload, "http://127.0.0.1:1", Spool(Path("/spool")), tls_ca=ca)
        told = message["settings"]
        assert isinstance(told, dict)
        return told

    plain = settings(Settings())
    assert (plain["tls_ca"], plain["proxy"], plain["protocol"]) == (None, None, "http/1.1")
    assert settings(Settings(proxy=True))["proxy"] == "http://127.0.0.1:1"
    secure = settings(Settings(tls=True, protocol=Protocol.H2), Path("/ca.pem"))
    assert (secure["tls_ca"], secure["protocol"]) == ("/ca.pem", "h2")
