"""Jobs in processes of their own: results, steps, failures, deadlines, and who is left alone."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.unit.fleet import jobs

from fetchoff.fleet.host.own_process import in_own_process
from fetchoff.fleet.seam.cluster import HostFault, Job, Step

ROOT = Path(__file__).parents[3]
CORES = tuple(sorted(os.sched_getaffinity(0)))
LONGEST_S = 60.0


@pytest.fixture(autouse=True)
def _jobs_can_be_found(monkeypatch: pytest.MonkeyPatch) -> None:
    places = [str(ROOT), str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, places)))


def done(job: Job, tell: Callable[[Step], None] = lambda _: None) -> object:
    return in_own_process(job, CORES, tell, LONGEST_S)


def test_it_is_another_process_and_tells_its_steps() -> None:
    steps: list[Step] = []
    assert done(Job(jobs.chatty, 3), steps.append) != os.getpid()
    assert steps == [Step("get", "0"), Step("get", "1"), Step("get", "2")]


def test_it_gets_all_cores_when_it_enters() -> None:
    found = done(Job(jobs.where, None))
    assert found == (os.sched_getaffinity(0), set(CORES))


def test_an_error_keeps_its_message_and_its_hint() -> None:
    with pytest.raises(HostFault) as raised:
        done(Job(jobs.fails, "python/request"))
    assert raised.value.message == "unknown client 'python/request'"
    assert raised.value.hint == "did you mean python/requests?"


def test_a_process_that_ends_is_a_fault() -> None:
    with pytest.raises(HostFault, match="exit status 7"):
        done(Job(jobs.breaks, None))


def test_a_job_that_takes_too_long_is_interrupted(tmp_path: Path) -> None:
    note = tmp_path / "note"
    with pytest.raises(HostFault, match="longer than 5 s"):
        in_own_process(Job(jobs.noted_when_interrupted, note), CORES, lambda _: None, 5.0)
    assert note.read_text() == "ended in order"


ASKS = """
import sys
from pathlib import Path
from fetchoff.fleet.host.own_process import in_own_process
from fetchoff.fleet.seam.cluster import Job
from tests.unit.fleet import jobs
job = Job(jobs.noted_when_interrupted, Path(sys.argv[1]))
in_own_process(job, (0,), lambda step: print(step.step, flush=True), 60.0)
"""


def test_it_ends_with_whoever_asked_for_it_even_if_that_is_killed(tmp_path: Path) -> None:
    note = tmp_path / "note"
    asking = subprocess.Popen(
        [sys.executable, "-c", ASKS, note], stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    assert asking.stdout is not None
    measuring = int(asking.stdout.readline())
    asking.send_signal(signal.SIGKILL)
    asking.wait()
    asking.stdout.close()
    deadline = time.monotonic() + 30
    while not note.exists() or note.read_text() != "ended in order":
        assert time.monotonic() < deadline, f"{measuring} goes on without anybody who asks for it"
        time.sleep(0.02)
