"""Workload and suite files to the model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fetchoff.app.courses import courses
from fetchoff.catalog import files, workloads
from fetchoff.catalog.manifests import discover, named
from fetchoff.catalog.workloads import read_workload
from fetchoff.model.behaviour import Behaviour, Continue
from fetchoff.model.client import matching
from fetchoff.model.errors import InputError, UnknownName
from fetchoff.model.workload import (
    Exchange,
    Expect,
    FilePart,
    FormBody,
    JsonBody,
    MultipartBody,
    Placement,
    Protocol,
    RawBody,
    Settings,
    Sink,
    TimeoutsMs,
    Workload,
)

EVERYTHING = """\
schema = 1
about = "every key there is"
placement = "separate-cores"
batch_ms = 25.5

[settings]
protocol = "http/1.1"
reuse = "either"
concurrency = 3
sink = "json"
read_size = 4096
cookies = true
decompress = true
redirects = 2
timeout_ms = { connect = 1, read = 2, total = 3 }
options = { tcp_nodelay = false, window = 7, engine = "fast" }

[[exchange]]
method = "POST"
target = "/form?x=1"
headers = [["X-A", "1"], ["X-B", "2"]]
expect = { status = 201, bytes = 5, json = ["a", "b"] }
body = { kind = "form", fields = [["a", "1"], ["a", "2"]] }

[[exchange]]
method = "POST"
target = "/json"
body = { kind = "json", value = { list = [1, 2.5, true], text = "ü" } }

[[exchange]]
method = "POST"
target = "/multipart"
[exchange.body]
kind = "multipart"
fields = [["a", "1"]]
files = [{ name = "f", filename = "f.bin", size = 10 }]

[[exchange]]
method = "PUT"
target = "/upload"
body = { kind = "raw", content_type = "text/plain", size = 9 }
"""


def test_every_key_arrives(tmp_path: Path) -> None:
    path = tmp_path / "everything.toml"
    path.write_text(EVERYTHING)
    assert read_workload(path) == Workload(
        id="everything",
        about="every key there is",
        placement=Placement.SEPARATE_CORES,
        batch_ms=25.5,
        settings=Settings(
            protocol=Protocol.HTTP_1_1,
            reuse=None,
            concurrency=3,
            sink=Sink.JSON,
            read_size=4096,
            cookies=True,
            decompress=True,
            redirects=2,
            timeout_ms=TimeoutsMs(1, 2, 3),
            options=(("tcp_nodelay", False), ("window", 7), ("engine", "fast")),
        ),
        exchanges=(
            Exchange(
                "POST",
                "/form?x=1",
                FormBody((("a", "1"), ("a", "2"))),
                (("X-A", "1"), ("X-B", "2")),
                Expect(201, 5, ("a", "b")),
            ),
            Exchange("POST", "/json", JsonBody('{"list":[1,2.5,true],"text":"\\u00fc"}')),
            Exchange(
                "POST",
                "/multipart",
                MultipartBody(
                    (("a", "1"),), (FilePart("f", "f.bin", "application/octet-stream", 10),)
                ),
            ),
            Exchange("PUT", "/upload", RawBody("text/plain", 9)),
        ),
    )


WITH_A_VALUE = """\
schema = 1
about = "{value} bytes, {value} at a time"
value = 5

[settings]
read_size = "{value}"

[[before]]
method = "PUT"
target = "/documents/_doc/{value}"
body = { kind = "json", document = 64 }

[[exchange]]
target = "/bytes/{value}"
headers = [["X-Value", "{value}"]]
expect = { bytes = "{value}", varies = true }
"""


@pytest.mark.parametrize(
    ("asked", "value"), [("", 5), ("300", 300), ("64k", 64_000), ("10M", 10_000_000)]
)
def test_a_value_stands_wherever_it_is_named(asked: str, value: int, tmp_path: Path) -> None:
    path = tmp_path / "sized.toml"
    path.write_text(WITH_A_VALUE)
    workload = workloads.workload(f"{path}@{asked}" if asked else str(path))
    assert workload.id == (f"sized@{asked}" if asked else "sized")
    assert workload.about == f"{value} bytes, {value} at a time"
    assert workload.settings.read_size == value
    exchange = workload.exchanges[0]
    assert (exchange.target, exchange.headers) == (f"/bytes/{value}", (("X-Value", str(value)),))
    assert exchange.expect == Expect(bytes=value, varies=True)
    before = workload.before[0]
    assert before.target == f"/documents/_doc/{value}"
    assert isinstance(before.body, JsonBody)
    assert len(before.body.text) == 64
    assert json.loads(before.body.text)["id"] == 1


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("small-gets@many", "must be a number such as 300 or 10M, not 'many'"),
        ("small-gets@-1", "must be a number such as 300 or 10M, not '-1'"),
        ("small-get@5", "has no value that you could set after '@'"),
        ("smal-gets@5", "unknown workload 'smal-gets'"),
    ],
)
def test_values_that_cannot_be(name: str, said: str) -> None:
    with pytest.raises(InputError) as refused:
        workloads.workload(name)
    assert said in refused.value.message


def test_a_suite_at_its_published_sizes() -> None:
    small, full = workloads.suite("curl-2023"), workloads.suite("curl-2023", full=True)
    assert full.workloads != small.workloads
    assert full.budget_s > small.budget_s
    assert workloads.suite("ruby-2014", full=True) == workloads.suite("ruby-2014")


texts = st.text(st.characters(codec="utf-8"), max_size=20)
pairs = st.lists(st.tuples(texts, texts), max_size=3)
targets = st.text(st.characters(min_codepoint=0x21, max_codepoint=0x7E, exclude_characters="#"))
names = st.text(st.sampled_from("!#$%&'*+-.^_`|~09azAZ"), min_size=1, max_size=20)
values = st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E) | st.just("\t"), max_size=20)
exchanges = st.fixed_dictionaries(
    {"target": targets.map(lambda text: f"/{text}")},
    optional={
        "method": st.sampled_from(["GET", "HEAD", "POST", "PUT"]),
        "headers": st.lists(
            st.tuples(names, values.map(str.strip)),
            max_size=3,
            unique_by=lambda field: field[0].lower(),
        ),
        "body": st.fixed_dictionaries({"kind": st.just("form"), "fields": pairs}),
    },
)


@given(found=st.lists(exchanges, min_size=1, max_size=4), about=texts)
def test_what_is_written_is_read(
    found: list[dict[str, Any]], about: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.getbasetemp() / "written.toml"
    path.write_text(f"schema = 1\nabout = {_toml(about)}\n" + "".join(map(_table, found)))
    workload = read_workload(path)
    assert workload.about == about
    for exchange, document in zip(workload.exchanges, found, strict=True):
        assert exchange.target == document["target"]
        assert exchange.method == document.get("method", "GET")
        assert exchange.headers == tuple(document.get("headers", ()))
        fields = document.get("body", {}).get("fields")
        assert exchange.body == (FormBody(tuple(fields)) if fields is not None else None)


def _table(exchange: dict[str, Any]) -> str:
    lines = "".join(f"{key} = {_toml(value)}\n" for key, value in exchange.items())
    return f"[[exchange]]\n{lines}"


def _toml(value: object) -> str:
    """A value as TOML. Its basic strings are JSON's, but for DEL and surrogate pairs."""
    match value:
        case str():
            return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
        case dict():
            return "{ " + ", ".join(f"{key} = {_toml(item)}" for key, item in value.items()) + " }"
        case list() | tuple():
            return "[" + ", ".join(map(_toml, value)) + "]"
    raise TypeError(value)


@pytest.mark.parametrize("name", files.names("workloads"))
def test_shipped_workloads_are_read(name: str) -> None:
    workload = workloads.workload(name)
    assert workload.id == name
    assert workload.about


@pytest.mark.parametrize("name", files.names("suites"))
def test_shipped_suites_name_what_there_is(name: str) -> None:
    suite = workloads.suite(name)
    clients = list(discover())
    assert [course.id for course in courses(suite.workloads)] == list(suite.workloads)
    assert all(
        matching(pattern, clients) or named(pattern)
        for pattern in (*suite.clients, *suite.if_ready)
    )
    assert suite.baseline in clients


def test_unknown() -> None:
    with pytest.raises(UnknownName, match="unknown suite 'defalt'"):
        workloads.suite("defalt")


@pytest.mark.parametrize(
    ("written", "settings"),
    [
        ('protocol = "h2"', Settings(protocol=Protocol.H2, tls=True)),
        ('protocol = "h2"\ntls = true', Settings(protocol=Protocol.H2, tls=True)),
        ('protocol = "h2c"', Settings(protocol=Protocol.H2C)),
        ("tls = true", Settings(tls=True)),
        ("proxy = true", Settings(proxy=True)),
        ("behaviour = { silent_after = 10 }", Settings(behaviour=Behaviour(silent_after=10))),
        (
            'behaviour = { continues = "never", answer_pieces = 2 }',
            Settings(behaviour=Behaviour(continues=Continue.NEVER, answer_pieces=2)),
        ),
    ],
)
def test_transports(written: str, settings: Settings, tmp_path: Path) -> None:
    assert read_workload(transport(written, tmp_path)).settings == settings


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ('protocol = "h2"\ntls = false', "settings: h2 needs tls, and h2c goes without"),
        ("tls = true\nproxy = true", "settings: a proxy needs http/1.1 without tls"),
        ('protocol = "h3"', "settings.protocol: Input should be"),
        ("behaviour = { hangs_up = true }", "settings: hangs_up needs silent_after"),
        (
            'behaviour = { silent_after = 1, continues = "never" }',
            "settings: silent_after and continues are changed one at a time",
        ),
        (
            'protocol = "h2"\nbehaviour = { silent_after = 1, hangs_up = true }',
            "settings: hangs_up is for http/1.1 only",
        ),
        (
            'protocol = "h2c"\nbehaviour = { continues = "never" }',
            "settings: continues is for http/1.1 only",
        ),
        (
            'protocol = "h2"\nbehaviour = { keep_alive = false }',
            "settings: connections of HTTP/2 are kept",
        ),
        ("behaviour = { answer_pieces = 5000000000 }", "less than or equal to 4294967295"),
        ("behaviour = { silent_after = 4294967296 }", "less than or equal to 4294967295"),
        ("behaviour = { streams = 4294967296 }", "less than or equal to 4294967295"),
    ],
)
def test_settings_that_there_are_not(written: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=words):
        read_workload(transport(written, tmp_path))


@pytest.mark.parametrize("value", ["2026-11-01", "{ at = 10:30:00 }", "[1.0, nan]", "-inf"])
def test_what_json_cannot_say_is_no_body(value: str, tmp_path: Path) -> None:
    path = tmp_path / "dated.toml"
    path.write_text(
        'schema = 1\nabout = "x"\n[[exchange]]\nmethod = "POST"\ntarget = "/json"\n'
        f'body = {{ kind = "json", value = {value} }}\n'
    )
    with pytest.raises(InputError, match="value: JSON has nothing for it: "):
        read_workload(path)


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ('target = "http://localhost/"', "'http://localhost/' must begin with '/'"),
        ('target = ""', "'' must begin with '/'"),
        ('target = "/echo?name=é"', "has 'é', which no target can have: write it as '%C3%A9'"),
        ('target = "/a b"', "'/a b' has ' ', which no target can have: write it as '%20'"),
        ('target = "/a#b"', "has '#', .* write it as '%23'"),
        ('target = "/a\\n"', "which no target can have: write it as '%0A'"),
        ('target = "/"\nheaders = [["X-Name", "€"]]', "'€' is no value of a field"),
        ('target = "/"\nheaders = [["X", "a\\nb"]]', "is no value of a field: .* on one line"),
        ('target = "/"\nheaders = [["X", " a"]]', "' a' is no value of a field"),
        ('target = "/"\nheaders = [["X Y", "a"]]', "'X Y' is no name of a field"),
        ('target = "/"\nheaders = [["", "a"]]', "'' is no name of a field"),
        ('target = "/"\nheaders = [["X-A", "1"], ["x-a", "2"]]', "has 'x-a' more than once"),
        (
            'target = "/"\nbody = { kind = "raw", content_type = "a\\nb" }',
            "content_type: .* is no value of a field",
        ),
    ],
)
def test_what_no_client_can_send(written: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "sent.toml"
    path.write_text(f'schema = 1\nabout = "x"\n[[exchange]]\n{written}\n')
    with pytest.raises(InputError, match=words):
        read_workload(path)


def transport(written: str, folder: Path) -> Path:
    path = folder / "transport.toml"
    path.write_text(f'schema = 1\nabout = "x"\n[settings]\n{written}\n[[exchange]]\ntarget = "/"\n')
    return path
