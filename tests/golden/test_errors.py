"""Every error that a user can cause: one message, one hint, an exit status, no traceback."""

from __future__ import annotations

import json
import re
import socket
from dataclasses import replace
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion
from tests.command import FAKES, Command, Ran, fake


def shown(ran: Ran, folder: Path) -> str:
    """Standard error and status, without what differs from machine to machine."""
    assert "Traceback" not in ran.err
    assert ran.out == ""
    text = ran.err.replace(str(folder), "FOLDER").replace(str(FAKES), "FAKES")
    return f"{without_the_catalogue(text)}exit status {ran.status}"


def without_the_catalogue(text: str) -> str:
    """Whoever adds a client changes how many there are, and which names are near."""
    text = re.sub(r"matches \d+ clients", "matches N clients", text)
    text = re.sub(r"(did you mean [a-z]+/\S+) or .*\?", r"\1 or …?", text)
    return re.sub(r"(known: c/libcurl), .*", r"\1, …", text)


LONG = "a" * 300  # more than a folder can hold as a name


@pytest.mark.parametrize(
    "arguments",
    [
        ["compare", LONG, "python/requests"],
        ["compare", fake("honest"), fake("slow"), "--origin", LONG],
        ["gate", LONG, "--with", "."],
        ["gate", "python/requests", "--with", LONG],
        ["gate", "python/requests", "python/urllib3", "--record", f"{LONG}/record"],
        ["history", LONG],
        ["origins", LONG],
        ["resume", LONG],
        ["run", f"{LONG}.toml"],
        ["site", "build", LONG],
        ["site", "build", ".", "--out", LONG],
        ["site", "serve", LONG],
    ],
    ids=lambda words: " ".join(word.replace(LONG, "LONG") for word in words),
)
def test_a_name_that_no_folder_can_hold_is_told(fetchoff: Command, arguments: list[str]) -> None:
    ran = fetchoff(*arguments)
    assert ran.status in (2, 6)
    assert "Traceback" not in ran.err
    assert LONG in ran.err


@pytest.mark.parametrize(
    "arguments",
    [
        ["run", "--client", "python/request"],
        ["run", "--client", "c/libcrul", "--budget", "2"],
        ["run", "--client", "no-such-thing-at-all"],
        ["run", "--client", "cobol/*"],
        ["run", "--baseline", "python/requsets"],
        ["run", "defualt"],
        ["run", "nowhere.toml"],
        ["run", "--workload", "smal-get"],
        ["run", "--workload", "nowhere.toml"],
        ["run", "--budget", "0"],
        ["run", "--seed", "minus-one"],
        ["run", "--no-such-option"],
        ["compare", "python/requests"],
        ["compare", "python/requests", "python/htpx"],
        ["compare", "ruby/*", "python/requests"],
        ["compare", "a", "b", "--fail-if-slower", "-1"],
        ["compare", "a", "b", "--strict"],
        ["gate", "python/requests"],
        ["gate", "python/*", "--with", "."],
        ["gate", "php/curl", "--with", "."],
        ["gate", "python/requests", "--with", "nowhere"],
        ["gate", "python/requests", "python/urllib3", "--margin", "0"],
        ["clients", "pyhton/requests"],
        ["clients", "php/guzzle@6.0"],
        ["history"],
        ["history", "--all", "python/httpx"],
        ["history", "--all", "--from", "1"],
        ["history", "python/httpx", "--from", "1", "--last", "3"],
        ["history", "python/httpx", "--to", "1"],
        ["history", "python/httpx", "--budget", "5d"],
        ["history", "python/httpx@0.25.2", "--from", "0.23.0"],
        ["history", "php/guzzle", "--from", "6.0"],
        ["history", "python/*", "--from", "1"],
        ["history", "python/httpx", "--from", "0.25.2", "-w", "nowhere.toml"],
        ["versions", "python/http-client"],
        ["versions", "c/libcurl"],
        ["versions", "python/*"],
        ["setup"],
        ["setup", "python/requestz"],
        ["setup", "--suite", "everybody"],
        ["setup", "--from", "perl/ghttp"],
        ["setup", "--from", "=tree"],
        ["setup", "--from", "perl/gttp=tree"],
        ["setup", "--from", "perl/lwp*=tree"],
        ["setup", "--from", "c/neon=tree"],
        ["setup", "--from", "perl/ghttp=nowhere"],
        ["setup", "--from", "perl/ghttp=tiny.toml"],
        ["check", "./nowhere"],
        ["report", "nowhere"],
        ["resume", "nowhere"],
        ["site", "build"],
        ["site", "build", "nowhere"],
        ["site", "build", "."],
        ["site", "build", "--from-others", "=runs"],
        ["site", "serve"],
        ["site", "serve", "--port", "65536"],
        ["frobnicate"],
        ["origin", "--listen", "0.0.0.0:0"],
        ["origin", "--listen", "localhost"],
    ],
    ids=" ".join,
)
def test_misused(arguments: list[str], fetchoff: Command, snapshot: SnapshotAssertion) -> None:
    ran = fetchoff(*arguments)
    assert ran.status == 2
    assert shown(ran, fetchoff.folder) == snapshot


GOOD_EXCHANGE = '[[exchange]]\ntarget = "/"\n'

BAD_WORKLOADS: dict[str, str | bytes] = {
    "syntax": 'schema = 1\nabout = "no end\n',
    "not-utf-8": b'schema = 1\nabout = "\xff"\n',
    "empty": "",
    "unknown-key": f'schema = 1\nabout = ""\n\n[settings]\nreused = true\n\n{GOOD_EXCHANGE}',
    "unknown-key-in-line": f'schema = 1\nabout = ""\n{GOOD_EXCHANGE}expect = {{ stauts = 200 }}\n',
    "wrong-type": f'schema = 1\nabout = ""\nbatch_ms = "ten"\n{GOOD_EXCHANGE}',
    "wrong-value": f'schema = 1\nabout = ""\n[settings]\nconcurrency = 0\n{GOOD_EXCHANGE}',
    "wrong-choice": f'schema = 1\nabout = ""\n{GOOD_EXCHANGE}method = "BREW"\n',
    "two-faults": f'schema = 2\nabout = ""\nplacement = "moon"\n{GOOD_EXCHANGE}',
    "no-exchange": 'schema = 1\nabout = ""\n',
    "address-in-target": 'schema = 1\nabout = ""\n[[exchange]]\ntarget = "http://example.org/"\n',
    "other-characters-in-target": 'schema = 1\nabout = ""\n[[exchange]]\ntarget = "/echo?name=é"\n',
    "line-break-in-field": f'schema = 1\nabout = ""\n{GOOD_EXCHANGE}headers = [["X", "a\\nb"]]\n',
    "field-twice": (
        f'schema = 1\nabout = ""\n{GOOD_EXCHANGE}headers = [["X-A", "1"], ["x-a", "2"]]\n'
    ),
    "unknown-body-key": (
        f'schema = 1\nabout = ""\n{GOOD_EXCHANGE}method = "POST"\n'
        '[exchange.body]\nkind = "form"\nfeilds = []\n'
    ),
}


@pytest.mark.parametrize("name", BAD_WORKLOADS)
def test_malformed_workload(name: str, fetchoff: Command, snapshot: SnapshotAssertion) -> None:
    path = fetchoff.folder / f"{name}.toml"
    text = BAD_WORKLOADS[name]
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    ran = fetchoff("run", "--workload", path, "--client", fake("honest"))
    assert ran.status == 2
    assert shown(ran, fetchoff.folder) == snapshot


BAD_SUITES = {
    "no-workloads": 'schema = 1\nabout = ""\nworkloads = []\n',
    "unknown-workload": 'schema = 1\nabout = ""\nworkloads = ["small-gett"]\n',
    "unknown-client": (
        'schema = 1\nabout = ""\nworkloads = ["small-get"]\nclients = ["c/libcrul"]\n'
    ),
    "unknown-key": 'schema = 1\nabout = ""\nworkloads = ["small-get"]\nbudget = 3\n',
}


@pytest.mark.parametrize("name", BAD_SUITES)
def test_malformed_suite(name: str, fetchoff: Command, snapshot: SnapshotAssertion) -> None:
    path = fetchoff.folder / f"{name}.toml"
    path.write_text(BAD_SUITES[name])
    ran = fetchoff("run", path)
    assert ran.status == 2
    assert shown(ran, fetchoff.folder) == snapshot


BAD_ADAPTERS = {
    "unknown-key": (
        'schema = 1\nclient = "fake/x"\nabout = ""\nsource = "adapter.toml"\nsorce = ""\n'
    ),
    "bad-id": 'schema = 1\nclient = "Fake X"\nabout = ""\nsource = "adapter.toml"\n',
    "no-kit": 'schema = 1\nclient = "cobol/x"\nabout = ""\nsource = "adapter.toml"\n',
    "no-source": 'schema = 1\nclient = "fake/x"\nabout = ""\nsource = "adapter.py"\n',
    "shell-string": (
        'schema = 1\nclient = "fake/x"\nabout = ""\nsource = "adapter.toml"\n'
        '[run]\ncommand = "sh adapter.sh"\n'
    ),
}


@pytest.mark.parametrize("name", BAD_ADAPTERS)
def test_malformed_adapter(name: str, fetchoff: Command, snapshot: SnapshotAssertion) -> None:
    (fetchoff.folder / "_kit").symlink_to(FAKES / "_kit")
    folder = fetchoff.folder / name
    folder.mkdir()
    (folder / "adapter.toml").write_text(BAD_ADAPTERS[name])
    ran = fetchoff("check", folder)
    assert ran.status == 2
    assert shown(ran, fetchoff.folder) == snapshot


def test_the_same_workload_twice(fetchoff: Command, snapshot: SnapshotAssertion) -> None:
    ran = fetchoff(
        "run", "--workload", "tiny.toml", "--workload", "tiny.toml", "--client", fake("honest")
    )
    assert ran.status == 2
    assert shown(ran, fetchoff.folder) == snapshot


def test_nothing_is_ready(fetchoff: Command, snapshot: SnapshotAssertion) -> None:
    ran = fetchoff("run", "-w", "tiny.toml", "-c", "python/requests")
    assert ran.status == 2
    assert shown(ran, fetchoff.folder) == snapshot


def test_floor_alone(fetchoff: Command, snapshot: SnapshotAssertion) -> None:
    fetchoff("setup", "python/raw-socket")
    ran = fetchoff("run", "-w", "tiny.toml", "-c", "python/raw-socket", "--budget", "2")
    assert ran.status == 2
    assert shown(ran, fetchoff.folder) == snapshot


@pytest.mark.parametrize("baseline", ["python/raw-socket", "python/requests"])
def test_baseline_that_cannot_be_one(
    baseline: str, fetchoff: Command, snapshot: SnapshotAssertion
) -> None:
    fetchoff("setup", "python/raw-socket", fake("honest"))
    ran = fetchoff(
        "run", "-w", "tiny.toml", "-c", fake("honest"), "--baseline", baseline, "--budget", "2"
    )
    assert ran.status == 2
    assert shown(ran, fetchoff.folder) == snapshot


@pytest.mark.parametrize("name", ["missing-command", "not-executable"])
def test_adapter_that_cannot_start(
    name: str, fetchoff: Command, snapshot: SnapshotAssertion
) -> None:
    ran = fetchoff("setup", fake(name))
    assert f"unavailable: fake/{name}: " in ran.err
    said = "\n".join(
        line.replace(str(fetchoff.cache), "CACHE") for line in ran.err.splitlines()[1:]
    )
    assert "Traceback" not in said
    # The cache's folders are named after their content, which changes with every edit of the fakes.
    assert said.split("CACHE/adapters/")[0] == snapshot
    compared = fetchoff("compare", fake(name), fake("honest"))
    assert compared.status == 3
    assert "is not ready" in compared.err


BAD_TREES = {"empty": None, "broken.tar.gz": "no archive", "broken.zip": "no archive"}


@pytest.mark.parametrize("name", BAD_TREES)
def test_what_is_no_source_tree(name: str, fetchoff: Command, snapshot: SnapshotAssertion) -> None:
    text = BAD_TREES[name]
    path = fetchoff.folder / name
    path.mkdir() if text is None else path.write_text(text)
    ran = fetchoff("setup", "--from", f"{fake('honest')}={name}")
    assert ran.status == 2
    assert shown(ran, fetchoff.folder) == snapshot


@pytest.fixture
def own_cache(fetchoff: Command, tmp_path_factory: pytest.TempPathFactory) -> Command:
    """The command with a cache that no other test uses: a tree that was chosen stays chosen."""
    return replace(fetchoff, cache=tmp_path_factory.mktemp("own-cache"))


def test_a_tree_that_cannot_be_built(own_cache: Command, snapshot: SnapshotAssertion) -> None:
    fetchoff = own_cache
    tree = fetchoff.folder / "library-1.0"
    tree.mkdir()
    (tree / "README").write_text("")
    ran = fetchoff("setup", "--from", f"{fake('honest')}={tree}")
    assert ran.status == 3
    # The cache's folders are named after their content, which changes with every edit of the fakes.
    text = re.sub(r"fake--honest-[0-9a-f]+", "fake--honest-…", shown(ran, fetchoff.folder))
    assert text.replace(str(fetchoff.cache), "CACHE") == snapshot


def test_a_client_from_a_tree_is_listed_as_such(own_cache: Command) -> None:
    fetchoff = own_cache
    tree = fetchoff.folder / "library-1.0"
    tree.mkdir()
    (tree / "library").write_text("")
    ran = fetchoff("setup", "--from", f"{fake('honest')}={tree}")
    assert (ran.status, ran.err) == (
        0,
        f"1 of 1  fake/honest\nfake/honest is ready, built from {tree}\n",
    )
    listed = " ".join(fetchoff("clients", fake("honest"), COLUMNS="300").out.split())
    assert f"ready, built from {tree}" in listed
    documents = json.loads(fetchoff("clients", fake("honest"), "--json").out)
    assert documents[0]["built_from"] == [str(tree)]


def test_unwritable_out(fetchoff: Command, snapshot: SnapshotAssertion) -> None:
    fetchoff("setup", fake("honest"))
    (fetchoff.folder / "file").write_text("in the way")
    ran = fetchoff("run", "-w", "tiny.toml", "-c", fake("honest"), "--out", "file/run")
    assert ran.status == 6
    assert shown(ran, fetchoff.folder) == snapshot


def test_out_is_a_run_already(fetchoff: Command, snapshot: SnapshotAssertion) -> None:
    fetchoff("setup", fake("honest"))
    (fetchoff.folder / "done").mkdir()
    (fetchoff.folder / "done" / "run.json").write_text("{}")
    ran = fetchoff("run", "-w", "tiny.toml", "-c", fake("honest"), "--out", "done")
    assert ran.status == 6
    assert shown(ran, fetchoff.folder) == snapshot


@pytest.mark.parametrize("command", ["setup", "clients", "run"])
def test_unwritable_cache(command: str, fetchoff: Command, snapshot: SnapshotAssertion) -> None:
    (fetchoff.folder / "file").write_text("in the way")
    arguments = {"setup": [fake("honest")], "clients": [], "run": ["-c", fake("honest")]}
    ran = fetchoff(command, *arguments[command], FETCHOFF_CACHE=str(fetchoff.folder / "file/cache"))
    assert ran.status == 6
    assert shown(ran, fetchoff.folder) == snapshot


def test_home_that_does_not_exist(fetchoff: Command, snapshot: SnapshotAssertion) -> None:
    ran = fetchoff("setup", fake("honest"), FETCHOFF_CACHE="", HOME="/proc/nowhere")
    assert ran.status == 6
    assert shown(ran, fetchoff.folder) == snapshot


def test_port_in_use(fetchoff: Command) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ran = fetchoff("origin", "--listen", f"127.0.0.1:{port}")
    assert ran.status == 2
    assert f"cannot listen on 127.0.0.1:{port}: Address already in use" in ran.err
    assert "hint: choose another port" in ran.err


def test_origin_that_is_not_installed(fetchoff: Command, snapshot: SnapshotAssertion) -> None:
    fetchoff("setup", fake("honest"))
    broken = fetchoff.folder / "broken"
    broken.write_text("#!/bin/sh\necho 'cannot open shared object' >&2\nexit 127\n")
    broken.chmod(0o755)
    ran = fetchoff(
        "run", "-w", "tiny.toml", "-c", fake("honest"), "-o", "run", FETCHOFF_ORIGIN=str(broken)
    )
    assert ran.status == 5
    assert shown(ran, fetchoff.folder) == snapshot
