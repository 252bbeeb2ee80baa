"""One measurement at a time: who else wants to is told by whom, or waits."""

from __future__ import annotations

import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from fetchoff.model.errors import BusyError
from fetchoff.run.host.alone import VARIABLE, alone

HOLD = """
import sys
from fetchoff.run.host.alone import alone
sys.argv = ["/somewhere/fetchoff", "run", "my suite"]
with alone(waits=False, say=print):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "lock"))
    return tmp_path / "lock"


@pytest.fixture
def other(lock: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that measures."""
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", HOLD], stdin=pipe, stdout=pipe, text=True) as it:
        assert it.stdout is not None
        assert it.stdout.readline() == "held\n"
        yield it
        it.kill()


def test_a_second_one_is_told_who_measures(other: subprocess.Popen[str]) -> None:
    with pytest.raises(BusyError, match="already") as caught, alone(waits=False, say=print):
        pass
    assert f"process {other.pid} since " in caught.value.message
    assert "fetchoff run 'my suite'" in caught.value.message
    assert "--wait" in caught.value.hint


def test_whoever_is_killed_holds_nothing(other: subprocess.Popen[str]) -> None:
    other.kill()
    other.wait()
    with alone(waits=False, say=print):
        pass


def test_a_second_one_may_wait(other: subprocess.Popen[str]) -> None:
    said: list[str] = []

    def ended(text: str) -> None:
        said.append(text)
        assert other.stdin is not None
        other.stdin.close()

    began = time.monotonic()
    with alone(waits=True, say=ended):
        assert other.wait(10) == 0
    assert "waiting for it to end" in said[0]
    assert time.monotonic() - began < 10


def test_one_after_the_other(lock: Path) -> None:
    for _ in range(2):
        with alone(waits=False, say=print):
            assert "process" in lock.read_text()
    assert stat.S_IMODE(lock.stat().st_mode) == 0o666  # of all users, whoever came first


def test_a_file_that_may_only_be_read_can_be_locked(lock: Path) -> None:
    lock.touch(0o444)
    with alone(waits=False, say=print), pytest.raises(BusyError), alone(waits=False, say=print):
        pass


def test_where_no_file_can_be_made_nothing_is_locked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "/proc/no-such-folder/lock")
    with alone(waits=False, say=print), alone(waits=False, say=print):
        pass


def test_a_link_is_not_followed(lock: Path, tmp_path: Path) -> None:
    """The folder is everybody's: somebody could have it lead to a file of ours."""
    target = tmp_path / "precious"
    target.write_text("precious")
    lock.symlink_to(target)
    with alone(waits=False, say=print):
        assert target.read_text() == "precious"
