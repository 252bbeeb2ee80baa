"""Runs on a loopback of its own: receive buffers of one size, and nothing of it outlives them."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import threading
from pathlib import Path
from typing import Any

import psutil
import pytest
from tests.command import Command, fake
from tests.integration import runs
from tests.integration.processes import (
    named,
    networks_made_from,
    started_from,
    wait_for_none,
    wait_until_let_go,
)

from fetchoff.model.loopback import RECEIVE_BUFFER_BYTES
from fetchoff.run.network.own_loopback import OwnLoopback, own_loopback

CONTENT = bytes(5_000_000)
SETTINGS = ("tcp_rmem", "tcp_moderate_rcvbuf")
FIXED = [f"4096\t{RECEIVE_BUFFER_BYTES}\t{RECEIVE_BUFFER_BYTES}", "0"]
REFUSING = "#!/bin/sh\necho 'error: not permitted here' >&2\nexit 2\n"

namespaces = pytest.mark.usefixtures("namespaces")


def settings_in(network: OwnLoopback) -> list[str]:
    paths = [f"/proc/sys/net/ipv4/{name}" for name in SETTINGS]
    said = subprocess.run([*network.at_client, "cat", *paths], capture_output=True, text=True)
    return said.stdout.splitlines()


def header(run: Path) -> dict[str, Any]:
    document = json.loads((run / "run.json").read_text())
    assert isinstance(document, dict)
    return document


def network_of(process: psutil.Process) -> str:
    return str(Path(f"/proc/{process.pid}/ns/net").readlink())


@namespaces
def test_a_receive_buffer_keeps_its_size_however_slow_the_reader(tmp_path: Path) -> None:
    with own_loopback(tmp_path) as network:
        assert settings_in(network) == FIXED
        with network.socket() as listening, network.socket() as reading:
            listening.bind((network.origin_address, 0))
            listening.listen()
            reading.connect(listening.getsockname())
            writing, _ = listening.accept()
            with writing:
                pouring = threading.Thread(target=writing.sendall, args=(CONTENT,))
                pouring.start()
                left = len(CONTENT)
                while left:
                    left -= len(reading.recv(min(left, 10_000)))
                    assert buffer_of(reading) == RECEIVE_BUFFER_BYTES
                pouring.join()


def buffer_of(made: socket.socket) -> int:
    return made.getsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF)


@namespaces
def test_the_machines_own_settings_stay(tmp_path: Path) -> None:
    def settings() -> list[str]:
        return [Path(f"/proc/sys/net/ipv4/{name}").read_text() for name in SETTINGS]

    before = settings()
    with own_loopback(tmp_path):
        assert settings() == before


@namespaces
def test_client_and_origin_of_a_run_are_in_it(fetchoff: Command) -> None:
    fetchoff("setup", fake("honest"))
    run = fetchoff.folder / "run"
    arguments = ("-w", "tiny.toml", "-c", fake("honest"), "--budget", "60", "-o", run)
    process = fetchoff.start("run", *arguments)
    runs.wait_for_lines(run, 3, process)
    origin = named("fetchoff-origin", fetchoff.folder, process)
    there = network_of(origin)
    clients = [one for one in started_from(fetchoff.folder) if "fakes" in " ".join(one.cmdline())]
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert there != network_of(psutil.Process())
    assert clients, err
    assert header(run)["experiment"]["loopback"] == "own"
    assert header(run)["environment"]["loopback"].startswith("its own")
    assert "fetchoff-link" in [program["name"] for program in header(run)["programs"]]
    assert "loopback" not in err


@namespaces
@pytest.mark.parametrize("how", [None, signal.SIGINT, signal.SIGTERM, signal.SIGKILL], ids=str)
def test_nothing_is_left_and_the_run_goes_on(how: signal.Signals | None, fetchoff: Command) -> None:
    fetchoff("setup", fake("honest"), fake("slow"))
    run = fetchoff.folder / "run"
    clients = ("-c", fake("honest"), "-c", fake("slow"))
    process = fetchoff.start("run", "-w", "tiny.toml", *clients, "--budget", "5", "-o", run)
    runs.wait_for_lines(run, 6, process)
    named("fetchoff-origin", fetchoff.folder, process)
    networks = networks_made_from(fetchoff.folder)
    assert networks
    if how:
        process.send_signal(how)
    _, err = process.communicate(timeout=60)
    assert process.returncode == {None: 0, signal.SIGKILL: -signal.SIGKILL}.get(how, 130), err
    assert "Traceback" not in err
    assert wait_for_none(fetchoff.folder) == []
    assert wait_until_let_go(networks) == set()
    if how:
        ran = fetchoff("resume", run)
        assert ran.status == 0, ran.err
        runs.assert_every_slot_once(run)


@pytest.fixture
def refusing(fetchoff: Command) -> str:
    """A fetchoff-link that is permitted nothing."""
    program = fetchoff.folder / "refusing"
    program.write_text(REFUSING)
    program.chmod(0o755)
    fetchoff("setup", fake("honest"))
    return str(program)


def test_where_it_is_not_permitted_the_machines_is_used(refusing: str, fetchoff: Command) -> None:
    run = fetchoff.folder / "run"
    arguments = ("-w", "tiny.toml", "-c", fake("honest"), "--budget", "2", "-o", run)
    ran = fetchoff("run", *arguments, FETCHOFF_LINK=refusing)
    assert ran.status == 0, ran.err
    assert " ".join(ran.out.split()).count("measured on the machine's loopback") == 1
    assert header(run)["experiment"]["loopback"] == "machine"
    assert header(run)["environment"]["loopback"].endswith("not permitted here")
    doctor = fetchoff("doctor", "--json", FETCHOFF_LINK=refusing)
    assert "no loopback of its own" in doctor.out


def test_who_insists_on_it_is_told_why_not(refusing: str, fetchoff: Command) -> None:
    arguments = ("-w", "tiny.toml", "-c", fake("honest"), "--loopback", "own", "-o", "run")
    ran = fetchoff("run", *arguments, FETCHOFF_LINK=refusing)
    assert ran.status == 7
    assert "not permitted here" in ran.err
    assert not (fetchoff.folder / "run").exists()


def test_the_machines_on_request(fetchoff: Command) -> None:
    fetchoff("setup", fake("honest"))
    run = fetchoff.folder / "run"
    arguments = ("-w", "tiny.toml", "-c", fake("honest"), "--budget", "60", "-o", run)
    process = fetchoff.start("run", *arguments, "--loopback", "machine")
    runs.wait_for_lines(run, 3, process)
    there = network_of(named("fetchoff-origin", fetchoff.folder, process))
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert there == network_of(psutil.Process())
    assert header(run)["experiment"]["loopback"] == "machine"
