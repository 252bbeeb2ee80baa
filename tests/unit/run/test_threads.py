"""How much of a process's work is in further threads."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from fetchoff.run.os.threads import LEAST_NS, ThreadTimes, further_since

WORKS = """
import sys, threading, time
def spin(ms):
    began = time.thread_time_ns()
    while time.thread_time_ns() - began < ms * 1e6:
        pass
stays = threading.Event()
def work(ms):
    spin(ms)
    done.release()
    stays.wait()
done = threading.Semaphore(0)
for line in sys.stdin:
    own, further, lives = line.split()
    spin(float(own))
    if float(further):
        kind = work if lives == "stays" else spin
        thread = threading.Thread(target=kind, args=(float(further),), daemon=True)
        thread.start()
        done.acquire() if lives == "stays" else thread.join()
    print("done", flush=True)
"""


@contextmanager
def worker() -> Iterator[subprocess.Popen[str]]:
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [sys.executable, "-S", "-c", WORKS], stdin=pipe, stdout=pipe, text=True
    ) as process:
        ask(process, "0 0 stays")
        yield process
        process.kill()


def ask(process: subprocess.Popen[str], line: str) -> None:
    """Milliseconds of CPU time of its first thread and of another; whether that one stays."""
    assert process.stdin and process.stdout
    print(line, file=process.stdin, flush=True)
    assert process.stdout.readline() == "done\n"


@pytest.mark.parametrize(
    ("work", "share"),
    [("100 0 stays", 0.0), ("90 30 stays", 0.25), ("90 30 ends", 0.25), ("30 90 stays", 0.25)],
)
def test_share_outside_the_busiest_thread(work: str, share: float) -> None:
    with worker() as process:
        ask(process, "50 0 stays")  # what was before does not count
        before = ThreadTimes.read(process.pid)
        ask(process, work)
        assert further_since(before, process.pid) == pytest.approx(share, abs=0.06)


def test_too_little_tells_nothing() -> None:
    before = ThreadTimes(0, {1: 0, 2: 0})
    half = LEAST_NS // 2
    assert ThreadTimes(LEAST_NS, {1: half, 2: half}).further_since(before) == 0.5
    assert ThreadTimes(LEAST_NS - 1, {1: half, 2: half - 1}).further_since(before) == 0.0


def test_of_a_process_that_is_gone_nobody_can_tell() -> None:
    before = ThreadTimes.read(os.getpid())
    process = subprocess.Popen(["true"])
    process.wait()
    assert ThreadTimes.read(process.pid) is None
    assert further_since(before, process.pid) == 0.0
    assert further_since(None, os.getpid()) == 0.0
