"""Work that is done in several processes."""

from __future__ import annotations

import errno
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import psutil
import pytest
from tests.unit.app.test_fleet_results import folder_with

from fetchoff.app import in_processes
from fetchoff.app.fleet_results import write_fleet
from fetchoff.app.in_processes import FROM, in_order
from fetchoff.model.errors import StoreError
from fetchoff.store.run_folder import RunFolder

HERE = os.getpid()


@pytest.fixture(autouse=True)
def two_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _pid: {0, 1})


def square(number: int) -> tuple[int, int]:
    return number**2, os.getpid()


def none_of_three(number: int) -> int:
    if number == 3:
        raise StoreError("three cannot be written", "make room")
    return number


def killed_at_three(number: int) -> int:
    if number == 3 and multiprocessing.parent_process() is not None:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def slow(number: int) -> int:
    time.sleep(0 if number < 3 else 600)
    return os.getpid()


class Unpicklable(Exception):
    """As pickle makes it, it has one argument too few."""

    def __init__(self, kind: str, name: str) -> None:
        super().__init__(f"unknown {kind} {name}")


def odd(number: int) -> int:
    if number == 3:
        raise Unpicklable("host", "three")
    return number


def test_results_come_in_order_from_other_processes() -> None:
    found = list(in_order(square, range(20)))
    assert [result for result, _ in found] == [number**2 for number in range(20)]
    assert HERE not in {process for _, process in found}


def test_few_things_are_done_here() -> None:
    assert {process for _, process in in_order(square, range(FROM - 1))} == {HERE}


@pytest.mark.parametrize(
    ("what", "error"),
    [
        ((multiprocessing.get_context("spawn").Process, "_Popen"), OSError(errno.EAGAIN, "again")),
        ((ProcessPoolExecutor, "submit"), RuntimeError("can't start new thread")),
        ((in_processes, "ProcessPoolExecutor"), OSError(errno.EMFILE, "too many")),
    ],
)
def test_where_no_process_can_be_started_all_is_done_here(
    what: tuple[object, str], error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And no file is said to be unwritable for it."""

    def refused(*_: object) -> None:
        raise error

    monkeypatch.setattr(*what, refused)
    assert list(in_order(square, range(20))) == [(number**2, HERE) for number in range(20)]
    assert multiprocessing.active_children() == []


def test_an_error_comes_with_its_hint_and_what_was_before_it() -> None:
    results = in_order(none_of_three, range(20))
    assert [next(results) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(StoreError, match="three cannot be written") as raised:
        next(results)
    assert raised.value.hint == "make room"


def test_what_a_killed_process_left_is_done_here() -> None:
    assert list(in_order(killed_at_three, range(20))) == list(range(20))


def test_an_error_that_cannot_be_pickled_is_raised_all_the_same() -> None:
    with pytest.raises(Unpicklable, match="unknown host three"):
        list(in_order(odd, range(20)))


def test_who_is_closed_waits_for_nobody() -> None:
    results = in_order(slow, range(20))
    processes = {next(results) for _ in range(3)}
    results.close()
    for process in processes:
        with pytest.raises(ProcessLookupError):
            os.kill(process, 0)


ORPHANS = """
import os, signal
from fetchoff.app.in_processes import in_order
from tests.unit.app.test_in_processes import slow
os.sched_getaffinity = lambda _pid: {0, 1}
if __name__ == "__main__":
    results = in_order(slow, range(20))
    print(next(results), next(results), next(results), flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_nobody_outlives_who_was_killed(tmp_path: Path) -> None:
    script = tmp_path / "orphans.py"
    script.write_text(ORPHANS)
    with subprocess.Popen(
        (sys.executable, str(script)),
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    ) as started:
        assert started.stdout is not None
        processes = {int(number) for number in started.stdout.readline().split()}
    assert processes
    deadline = time.monotonic() + 20
    while any(psutil.pid_exists(one) for one in processes) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(psutil.pid_exists(one) for one in processes)


def test_who_stops_asking_leaves_no_process() -> None:
    results = in_order(square, range(1000))
    _, process = next(results)
    results.close()
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


def test_a_fleet_has_the_same_files_however_many_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hosts = tuple(f"h{number}" for number in range(FROM + 1))
    folder_with(tmp_path / "run", 5, hosts)
    kept = []
    for least in (FROM, 100):
        monkeypatch.setattr(in_processes, "FROM", least)
        write_fleet(RunFolder.open(tmp_path / "run"))
        files = sorted(p for p in (tmp_path / "run").rglob("*") if p.is_file())
        kept.append({str(p.relative_to(tmp_path / "run")): p.read_bytes() for p in files})
    assert kept[0] == kept[1]
    assert {f"hosts/{host}.html" for host in hosts} < set(kept[0])
