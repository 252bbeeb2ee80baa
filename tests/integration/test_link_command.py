"""`fetchoff link`: the user's own commands over a link, how they end, and what they leave."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from tests.command import Command
from tests.integration.processes import (
    emulator,
    network_namespaces,
    started_from,
    wait_for_none,
)

ORIGIN = "http://198.18.1.2:8080"
CHICAGO_ROUND_TRIP_S = 0.023
FETCH = """
import os, sys, time, urllib.request
began = time.monotonic()
content = urllib.request.urlopen(os.environ["ORIGIN"] + sys.argv[1]).read()
print(os.environ["ORIGIN"], len(content), time.monotonic() - began)
"""
ANSWERS_CTRL_C = """
import time
try:
    print("ready", flush=True)
    time.sleep(60)
except KeyboardInterrupt:
    raise SystemExit(5)
"""
READY_AND_WAIT = ("sh", "-c", "echo ready; exec sleep 60")
FORBIDDEN = (
    "echo 0 > /proc/sys/user/max_user_namespaces && "
    'exec setpriv --bounding-set=-sys_admin --inh-caps=-sys_admin "$@"'
)

emulated = pytest.mark.usefixtures("namespaces")


def python(source: str, *arguments: str) -> tuple[str, ...]:
    return (sys.executable, "-c", source, *arguments)


def start(fetchoff: Command, *command: str) -> subprocess.Popen[str]:
    """Start a command over a link and wait until it prints that it is ready."""
    process = fetchoff.start("link", "dallas", "--", *command)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


@emulated
def test_a_command_reaches_the_origin_over_the_link(fetchoff: Command) -> None:
    ran = fetchoff("link", "chicago", "--", *python(FETCH, "/bytes/100000"))
    assert ran.status == 0, ran.err
    url, length, seconds = ran.out.split()
    assert (url, length) == (ORIGIN, "100000")
    assert float(seconds) >= 2 * CHICAGO_ROUND_TRIP_S  # one to connect, one for the answer
    before, after = ran.err.splitlines()
    assert before.startswith("chicago: 23 ms there and back, 100 Mbit/s; ")
    assert f"{ORIGIN} ($ORIGIN)" in before
    assert "packets up" in after
    assert " 0 lost" in after


@emulated
def test_another_port_and_no_words(fetchoff: Command) -> None:
    link = fetchoff.folder / "mine.toml"
    link.write_text('schema = 1\nabout = "x"\n[up]\nloss = 0.01\n')
    ran = fetchoff("link", link, "--port", "80", "-q", "--", *python(FETCH, "/bytes/16"))
    assert (ran.status, ran.err) == (0, "")
    assert ran.out.startswith("http://198.18.1.2:80 16 ")


@emulated
@pytest.mark.parametrize(
    ("script", "status"),
    [("exit 0", 0), ("exit 7", 7), ("kill -TERM $$", 143), ("kill -KILL $$", 137)],
)
def test_the_exit_status_is_that_of_the_command(
    script: str, status: int, fetchoff: Command
) -> None:
    assert fetchoff("link", "dallas", "--", "sh", "-c", script).status == status


@emulated
def test_a_shell_if_no_command_is_named(fetchoff: Command) -> None:
    shell = fetchoff.folder / "shell"
    shell.write_text("#!/bin/sh\necho this is it: $# $ORIGIN\nexit 3\n")
    shell.chmod(0o755)
    ran = fetchoff("link", "dallas", SHELL=str(shell))
    assert (ran.status, ran.out) == (3, f"this is it: 0 {ORIGIN}\n")
    assert fetchoff("link", "dallas", SHELL="").status == 0  # /bin/sh, at its input's end


@emulated
def test_the_environment_is_the_users(fetchoff: Command) -> None:
    """Except for proxies, which can't be reached over the link."""
    there = {"MINE": "kept", "http_proxy": "http://proxy:1", "NO_PROXY": "x"}
    ran = replace(fetchoff, env=there)("link", "dallas", "--", "sh", "-c", "env; pwd")
    lines = ran.out.splitlines()
    assert "MINE=kept" in lines
    assert f"HOME={fetchoff.folder}" in lines
    assert lines[-1] == str(fetchoff.folder)
    assert "proxy" not in ran.out.lower()


@emulated
def test_nothing_is_left(fetchoff: Command) -> None:
    """Not even a background process of the command in its own session."""
    leave = "readlink /proc/self/ns/net; setsid sleep 600 > /dev/null 2>&1 & sleep 0.2"
    ran = fetchoff("link", "dallas", "--", "sh", "-c", leave)
    assert ran.status == 0, ran.err
    namespace = ran.out.strip()
    assert namespace.startswith("net:")
    assert namespace != str(Path("/proc/self/ns/net").readlink())
    assert started_from(fetchoff.folder) == []
    assert namespace not in network_namespaces()


@emulated
def test_ctrl_c_is_for_the_command(fetchoff: Command) -> None:
    process = start(fetchoff, *python(ANSWERS_CTRL_C))
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does
    _, err = process.communicate(timeout=30)
    assert process.returncode == 5, err
    assert "interrupted" not in err
    assert "packets up" in err
    assert wait_for_none(fetchoff.folder) == []


@emulated
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_whoever_ends_it_ends_the_command(number: signal.Signals, fetchoff: Command) -> None:
    process = start(fetchoff, *READY_AND_WAIT)
    process.send_signal(number)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 128 + number, err
    assert wait_for_none(fetchoff.folder) == []


@emulated
def test_killed(fetchoff: Command) -> None:
    if shutil.which("setpriv") is None:
        pytest.skip("without setpriv a command lives on, alone in its namespace")
    process = start(fetchoff, *READY_AND_WAIT)
    process.kill()
    process.communicate(timeout=30)
    assert wait_for_none(fetchoff.folder) == []


@emulated
def test_the_emulator_dies(fetchoff: Command) -> None:
    process = start(fetchoff, "sh", "-c", "echo ready; sleep 2")
    emulator(fetchoff.folder).kill()
    _, err = process.communicate(timeout=30)
    assert process.returncode == 7
    assert "error: the link emulator ended with signal SIGKILL" in err
    assert "hint: repeat the command: nothing of it is kept" in err
    assert wait_for_none(fetchoff.folder) == []


def test_over_loopback(fetchoff: Command) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        refused = fetchoff("link", "loopback", "--port", port, "--", "true")
    assert refused.status == 5
    said = f"the origin failed: cannot listen on 127.0.0.1:{port}: Address already in use"
    assert said in refused.err
    assert "hint: choose another port: --port N" in refused.err
    ran = fetchoff("link", "loopback", "--port", port, "--", *python(FETCH, "/bytes/16"))
    assert ran.out.startswith(f"http://127.0.0.1:{port} 16 ")
    assert len(ran.err.splitlines()) == 1  # nobody counts packets there
    assert wait_for_none(fetchoff.folder) == []


def test_where_namespaces_are_not_permitted(fetchoff: Command) -> None:
    """In a user namespace that allows no further namespaces, without root's privileges."""
    wrapper = ("unshare", "--user", "--map-root-user", "sh", "-c", FORBIDDEN, "sh")
    if shutil.which("unshare") is None or shutil.which("setpriv") is None:
        pytest.skip("forbidding it takes unshare and setpriv")
    tried = subprocess.run([*wrapper, "true"], capture_output=True, text=True, check=False)
    if tried.returncode != 0:
        pytest.skip(f"it cannot be forbidden here: {tried.stderr.strip()}")
    ran = replace(fetchoff, wrapper=wrapper)("link", "dallas", "--", "true")
    assert ran.status == 7
    assert "user namespaces are not permitted here; run as root" in ran.err
    assert "hint: see docs/links.md for what it needs" in ran.err
    assert "Traceback" not in ran.err
    assert started_from(fetchoff.folder) == []
