"""Jobs in processes of their own: results, steps, failures, deadlines, and who is left alone."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.unit.fleet import jobs

from fetchoff.fleet.host.own_process import Deadline, in_own_process
from fetchoff.fleet.seam.cluster import HostFault, HostLate, Job, Step

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


def test_a_process_that_ends_has_its_last_words(capfd: pytest.CaptureFixture[str]) -> None:
    """They are the hint, which is shown and not stored; all it said goes where the worker logs."""
    with pytest.raises(HostFault) as raised:
        done(Job(jobs.dies_saying, "one\nlibssl.so.3: cannot open shared object file"))
    assert raised.value.message == "its process ended with exit status 7"
    assert raised.value.hint == "libssl.so.3: cannot open shared object file"
    assert "one\nlibssl" in capfd.readouterr().err


def test_what_nobody_foresaw_is_named_without_its_text(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(HostFault) as raised:
        done(Job(jobs.meets_what_nobody_foresaw, "10.1.2.3"))
    assert re.fullmatch(
        r"it failed with LookupError at tests\.unit\.fleet\.jobs:\d+", raised.value.message
    )
    assert raised.value.hint == "cannot reach 10.1.2.3"
    assert "Traceback" in capfd.readouterr().err


def test_the_place_is_the_last_of_fetchoffs_own() -> None:
    with pytest.raises(HostFault, match=r"JSONDecodeError at fetchoff\.store\.records:\d+$"):
        done(Job(jobs.meets_what_fetchoff_did_not_foresee, b"no record"))


def test_waiting_takes_no_time_from_a_job() -> None:
    """And when it works again, it has all of its time."""
    # What starts in the background of a shell ignores this signal, and so would the sleeper.
    sleeps = subprocess.Popen(["env", "--default-signal=INT", "sleep", "60"])
    with sleeps, Deadline(2.0, sleeps) as deadline:
        deadline.heard(Step("", "waiting", waits=True))
        with pytest.raises(subprocess.TimeoutExpired):
            sleeps.wait(3.0)
        assert not deadline.is_over
        deadline.heard(Step("", "working"))
        sleeps.wait(30.0)
        assert deadline.is_over


def test_a_job_that_takes_too_long_is_interrupted(tmp_path: Path) -> None:
    note = tmp_path / "note"
    with pytest.raises(HostLate, match="longer than 5 s"):
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
