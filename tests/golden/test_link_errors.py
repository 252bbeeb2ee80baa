"""What is said where a link is misnamed or badly written, or cannot be emulated."""

from __future__ import annotations

import json

import pytest
from syrupy.assertion import SnapshotAssertion
from tests.command import Command, fake
from tests.golden.test_errors import shown

NOT_PERMITTED = (
    "unprivileged user namespaces are not permitted here; run as root: "
    "Operation not permitted (os error 1)"
)
GREETING = '{"emulator":"fetchoff-link","version":"0","pid":1,"protocol":2,"user_namespace":null}'
EMULATORS = {
    "not-permitted": f"echo 'error: {NOT_PERMITTED}' >&2; exit 2",
    "not-installed": "echo 'cannot open shared object' >&2; exit 127",
    "garbage": "echo hello",
    "another-version": "echo '" + GREETING.replace('"protocol":2', '"protocol":9') + "'; cat",
    "refuses": f"""echo '{GREETING}'; read asked; echo '{{"error":"no such device"}}'; cat""",
}


@pytest.mark.parametrize(
    "arguments",
    [
        ["links", "londn"],
        ["links", "nowhere.toml"],
        ["link"],
        ["link", "londn"],
        ["link", "london", "--port", "0", "--", "true"],
        ["link", "london", "--seed", str(2**64), "--", "true"],
        ["run", "--link", "londn"],
        ["run", "--workload", "small-get/londn"],
        ["run", "--workload", "smal-get/london"],
        ["run", "--workload", "small-get", "--link", "lan", "--link", "lan"],
        ["run", "-w", "small-get", "--link", "lan", "--origin", "http://127.0.0.1:9"],
    ],
    ids=" ".join,
)
def test_misused(arguments: list[str], fetchoff: Command, snapshot: SnapshotAssertion) -> None:
    ran = fetchoff(*arguments)
    assert ran.status == 2
    assert shown(ran, fetchoff.folder) == snapshot


BAD_LINKS = {
    "unknown-key": 'schema = 1\nabout = ""\n[both]\ndelay = 45\n',
    "wrong-value": 'schema = 1\nabout = ""\n[up]\nrate_mbit_s = 0\n',
    "too-much-jitter": 'schema = 1\nabout = ""\n[up]\ndelay_ms = 1\njitter_ms = 2\n',
    "queue-of-nothing": 'schema = 1\nabout = ""\n[down]\nqueue_bytes = 9000\n',
    "both-and-up": 'schema = 1\nabout = ""\n[both]\n[up]\n',
    "loopback": 'schema = 1\nabout = ""\n',
}


@pytest.mark.parametrize("name", BAD_LINKS)
def test_malformed_link(name: str, fetchoff: Command, snapshot: SnapshotAssertion) -> None:
    path = fetchoff.folder / f"{name}.toml"
    path.write_text(BAD_LINKS[name])
    ran = fetchoff("run", "--workload", "small-get", "--link", path, "--client", fake("honest"))
    assert ran.status == 2
    assert shown(ran, fetchoff.folder) == snapshot


@pytest.mark.parametrize("command", ["no-such-command", "./tiny.toml", "--port"])
def test_no_such_command(command: str, fetchoff: Command, snapshot: SnapshotAssertion) -> None:
    """Before anything is begun, so that it is told where links cannot be emulated as well."""
    ran = fetchoff("link", "london", "--", command, "and", "more")
    assert ran.status == 127
    assert shown(ran, fetchoff.folder) == snapshot


@pytest.fixture
def emulator(request: pytest.FixtureRequest, fetchoff: Command) -> str:
    """A program that stands in for fetchoff-link."""
    program = fetchoff.folder / "emulator"
    program.write_text(f"#!/bin/sh\n{EMULATORS[request.param]}\n")
    program.chmod(0o755)
    return str(program)


@pytest.mark.parametrize("emulator", EMULATORS, indirect=True)
def test_link_that_cannot_be_emulated(
    emulator: str, fetchoff: Command, snapshot: SnapshotAssertion
) -> None:
    ran = fetchoff("link", "london", "--", "true", FETCHOFF_LINK=emulator)
    assert ran.status == 7
    assert shown(ran, fetchoff.folder) == snapshot


@pytest.mark.parametrize("emulator", ["not-permitted"], indirect=True)
def test_run_over_a_link_that_cannot_be_emulated(
    emulator: str, fetchoff: Command, snapshot: SnapshotAssertion
) -> None:
    fetchoff("setup", fake("honest"))
    ran = fetchoff(
        *("run", "-w", "tiny.toml", "--link", "london", "-c", fake("honest"), "-o", "run"),
        FETCHOFF_LINK=emulator,
    )
    assert ran.status == 7
    assert shown(ran, fetchoff.folder) == snapshot


@pytest.mark.parametrize("emulator", ["not-permitted"], indirect=True)
def test_doctor_tells_of_it(emulator: str, fetchoff: Command) -> None:
    ran = fetchoff("doctor", "--json", FETCHOFF_LINK=emulator)
    (finding,) = (f for f in json.loads(ran.out)["findings"] if "emulated links" in f["text"])
    assert finding["health"] == "limited"
    assert finding["hint"]
    assert ran.status == 0
