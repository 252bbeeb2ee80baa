"""Links with names: what a client finds, what it asks, and that nothing of the machine changes."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.command import Command, fake
from tests.integration.processes import started_from, wait_for_none

from fetchoff.catalog import links
from fetchoff.model.errors import LinkError
from fetchoff.run.network.emulator import EmulatedNetwork, over

FILES = [Path("/etc/resolv.conf"), Path("/etc/hosts"), Path("/etc/nsswitch.conf")]
LOOK_UP = """
import socket, sys
found = socket.getaddrinfo("origin.test", 80, type=socket.SOCK_STREAM)
print(*[address[0] for *_, address in found])
"""
CONNECT = """
import socket, sys, time
began = time.monotonic()
try:
    socket.create_connection((sys.argv[1], 80), timeout=3)
except OSError as error:
    print(type(error).__name__, time.monotonic() - began)
"""
DEAD = "2001:2:0:1::dead"

pytestmark = pytest.mark.usefixtures("namespaces")


@pytest.fixture
def named(tmp_path: Path) -> Iterator[EmulatedNetwork]:
    """The link `dead-ipv6`; skips where it can't be."""
    try:
        laid = over(links.link("dead-ipv6"), tmp_path)
        network = laid.__enter__()
    except LinkError as error:
        pytest.skip(f"no link with names: {error.message}")
    assert isinstance(network, EmulatedNetwork)
    yield network
    laid.__exit__(None, None, None)


def said(network: EmulatedNetwork, *command: str) -> str:
    ran = subprocess.run([*network.at_client, *command], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.strip()


def python(network: EmulatedNetwork, source: str, *arguments: str) -> str:
    return said(network, sys.executable, "-I", "-c", source, *arguments)


def state() -> list[str]:
    """What this machine has under /etc, and what is mounted."""
    return [*(path.read_text() for path in FILES if path.exists()), *mounts()]


def mounts() -> list[str]:
    return Path("/proc/self/mounts").read_text().splitlines()


def test_a_client_finds_the_origin_and_the_machine_does_not(named: EmulatedNetwork) -> None:
    before = state()
    assert python(named, LOOK_UP) == f"{DEAD} {named.origin_address}"
    assert "nameserver 127.0.0.1" in said(named, "cat", "/etc/resolv.conf")
    assert state() == before
    with pytest.raises(OSError, match=r"."):
        socket.getaddrinfo("origin.test", 80)


def test_queries_are_told_once_with_their_times(named: EmulatedNetwork) -> None:
    named.shape(links.link("slow-names"), 1)  # of which only the link's own names count
    before_ns = time.time_ns()
    python(named, LOOK_UP)
    asked = named.queries()
    assert asked is not None
    assert {(one.name, one.type) for one in asked.queries} == {
        ("origin.test", "A"),
        ("origin.test", "AAAA"),
    }
    for one in asked.queries:
        assert before_ns < one.at_ns <= one.answered_ns < time.time_ns()
    again = named.queries()
    assert again is not None
    assert again.queries == ()


def test_a_dead_address_says_so_until_the_link_is_as_asked(named: EmulatedNetwork) -> None:
    named.open_wide()
    for _ in range(2):  # the kernel limits how often it says so
        error, seconds = python(named, CONNECT, DEAD).split()
        assert (error, float(seconds) < 0.5) == ("OSError", True)
    named.shape(links.link("dead-ipv6"), 1)
    error, seconds = python(named, CONNECT, DEAD).split()
    assert (error, float(seconds) >= 3) == ("TimeoutError", True)


def test_answers_are_as_late_as_asked(tmp_path: Path) -> None:
    link = links.link("slow-names")
    with over(link, tmp_path) as network:
        assert isinstance(network, EmulatedNetwork)
        network.shape(link, 1)
        python(network, LOOK_UP)
        asked = network.queries()
    assert asked is not None
    assert len(asked.queries) == 2
    for one in asked.queries:
        assert 200e6 <= one.answered_ns - one.at_ns < 400e6


def test_both_addresses_lead_to_the_origin(fetchoff: Command) -> None:
    source = (
        "import os, socket, urllib.request\n"
        "for *_, where in socket.getaddrinfo('origin.test', 8080, type=socket.SOCK_STREAM):\n"
        "    with socket.create_connection(where[:2], timeout=10) as one:\n"
        "        one.sendall(b'GET / HTTP/1.0\\r\\nHost: x\\r\\n\\r\\n')\n"
        "        print(where[0], one.recv(99).split(b'\\r\\n')[0].decode())\n"
        "print(os.environ['ORIGIN'])\n"
    )
    ran = fetchoff("link", "two-addresses", "--", sys.executable, "-c", source)
    assert ran.out.splitlines() == [
        "2001:2:0:1::2 HTTP/1.0 200 OK",
        "198.18.1.2 HTTP/1.0 200 OK",
        "http://origin.test:8080",
    ], ran.err


def test_nothing_is_left_when_it_is_killed(fetchoff: Command) -> None:
    if shutil.which("setpriv") is None:
        pytest.skip("without setpriv a command lives on, alone in its namespace")
    before = state()
    process = fetchoff.start("link", "dead-ipv6", "--", "sh", "-c", "echo ready; exec sleep 60")
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    process.kill()
    process.communicate(timeout=30)
    assert wait_for_none(fetchoff.folder) == []
    assert started_from(fetchoff.folder) == []
    assert state() == before


def test_nothing_is_measured_over_it(fetchoff: Command) -> None:
    ran = fetchoff("run", "-w", "small-get", "--link", "dead-ipv6", "-c", fake("honest"), "--setup")
    assert ran.status == 2
    assert "link 'dead-ipv6' has names" in ran.err
