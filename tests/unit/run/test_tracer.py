"""Tracing: calls of a process that runs already, which then runs on."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from fetchoff.model.recording import Source
from fetchoff.run.os import procfs
from fetchoff.run.recording import tracer
from fetchoff.run.recording.tracer import NotTraced, Tracer, why_not

LOOP = """
import socket, sys, threading
a, b = socket.socketpair()
def serve():
    while data := b.recv(100):
        b.sendall(data)
threading.Thread(target=serve, daemon=True).start()
print("ready", flush=True)
while True:
    a.sendall(b"hello")
    a.recv(100)
"""
PATIENCE_S = 5.0
NEEDS_STRACE = pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")


@pytest.fixture
def busy() -> Iterator[subprocess.Popen[str]]:
    """A process with two threads that talk to each other."""
    command = [sys.executable, "-c", LOOP]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        yield process
        process.kill()


def is_free(pid: int) -> bool:
    """Whether a process runs within some seconds, and nobody traces it."""
    ends_at = time.monotonic() + PATIENCE_S
    while time.monotonic() < ends_at:
        tracers = {procfs.tracer(pid, thread) for thread in procfs.threads(pid)}
        if tracers == {0} and procfs.state(pid) in "RSD":
            return True
        time.sleep(0.01)
    return False


def possible(folder: Path) -> None:
    missing = why_not(folder)
    if missing:
        pytest.skip(f"nothing can be traced here: {missing.reason}")


@NEEDS_STRACE
def test_all_threads_are_traced_and_let_go(busy: subprocess.Popen[str], tmp_path: Path) -> None:
    possible(tmp_path)
    began_ns = time.time_ns()
    held = Tracer(busy.pid, tmp_path)
    time.sleep(1)
    traced = held.end()
    ended_ns = time.time_ns()
    assert is_free(busy.pid)
    assert len({call.thread for call in traced.calls}) == 2
    assert {"sendto", "recvfrom"} <= {call.name for call in traced.calls}
    # A few come between being let go and the end of the tracer.
    assert all(began_ns <= call.at_ns <= ended_ns for call in traced.calls)
    assert began_ns <= traced.until_ns <= ended_ns


@NEEDS_STRACE
def test_a_trace_is_bounded(busy: subprocess.Popen[str], tmp_path: Path) -> None:
    possible(tmp_path)
    held = Tracer(busy.pid, tmp_path, most_bytes=400_000)
    deadline = time.monotonic() + 20
    while not is_free(busy.pid) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert is_free(busy.pid)
    traced = held.end()
    assert 0 < len(traced.calls) < 10_000
    assert traced.until_ns == traced.calls[-1].at_ns
    assert (tmp_path / "strace.calls").stat().st_size <= 400_000


@NEEDS_STRACE
def test_a_process_that_dies_leaves_its_calls(busy: subprocess.Popen[str], tmp_path: Path) -> None:
    possible(tmp_path)
    held = Tracer(busy.pid, tmp_path)
    time.sleep(0.1)
    busy.kill()
    busy.wait()
    assert held.end().calls


@NEEDS_STRACE
def test_who_is_gone_cannot_be_traced(busy: subprocess.Popen[str], tmp_path: Path) -> None:
    busy.kill()
    busy.wait()
    with pytest.raises(NotTraced):
        Tracer(busy.pid, tmp_path)


def test_without_strace_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tracer, "STRACE", "strace-that-is-not-there")
    missing = why_not(tmp_path)
    assert missing is not None
    assert missing.source is Source.CALLS
    assert "apt-get install strace" in missing.hint


@pytest.mark.parametrize(("scope", "hint"), [("1", "ptrace_scope=0"), ("0", "SYS_PTRACE")])
def test_where_it_is_not_permitted_it_says_what_would_help(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scope: str, hint: str
) -> None:
    refusing = tmp_path / "refusing"
    refusing.write_text(
        "#!/bin/sh\necho 'strace: attach: ptrace(PTRACE_SEIZE, 7): Operation not permitted' >&2\n"
        "exit 1\n"
    )
    refusing.chmod(0o755)
    (tmp_path / "scope").write_text(scope)
    monkeypatch.setattr(tracer, "STRACE", str(refusing))
    monkeypatch.setattr(tracer, "PTRACE_SCOPE", tmp_path / "scope")
    missing = why_not(tmp_path)
    assert missing is not None
    assert "not permitted" in missing.reason
    assert hint in missing.hint
