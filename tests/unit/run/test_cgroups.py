"""Control groups: one for each process, and none left behind."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from fetchoff.run.os import cgroups
from fetchoff.run.os.clocks import cgroup_cpu_clock


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in place of the kernel's, so that sweeping can be tried without rights."""
    monkeypatch.setattr(cgroups, "_ROOTS", (tmp_path,))
    return tmp_path


HERE = Path("/proc/self/ns/pid").stat().st_ino


def began(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]


def test_sweep_takes_what_the_dead_left(root: Path) -> None:
    process = subprocess.Popen(["true"])
    process.wait()
    own, parent = os.getpid(), os.getppid()
    gone = [
        root / f"fetchoff-{HERE}-{process.pid}-1-0",
        root / f"fetchoff-{HERE}-{own}-{began(own)}-0",
        root / f"fetchoff-{HERE}-{parent}-{int(began(parent)) - 1}-0",  # its id was another's
    ]
    left = [
        root / f"fetchoff-{HERE}-{parent}-{began(parent)}-0",
        root / f"fetchoff-{HERE + 1}-{process.pid}-1-0",  # of another container
        root / f"fetchoff-{process.pid}-0",
        root / "fetchoff-of-somebody-else",
    ]
    for folder in (*gone, *left):
        folder.mkdir()
    cgroups.sweep()
    assert sorted(root.iterdir()) == sorted(left)


def test_sweep_leaves_what_is_not_empty(root: Path) -> None:
    full = root / f"fetchoff-{HERE}-{os.getpid()}-{began(os.getpid())}-0"
    (full / "inner").mkdir(parents=True)
    cgroups.sweep()
    assert full.exists()


def test_who_cannot_be_named_here_is_not_signalled(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process of another container is shown as 0, which would mean our own process group."""
    group = root / "group"
    group.mkdir()
    (group / "cgroup.procs").write_text("0\n4242\n0\n")
    signalled: list[int] = []
    monkeypatch.setattr(os, "kill", lambda pid, number: signalled.append(pid))
    monkeypatch.setattr(cgroups, "PATIENCE_S", 0.01)
    cgroups.remove(group)
    assert set(signalled) == {4242}


def test_no_group_where_none_can_be_made(root: Path) -> None:
    assert cgroups.create() is None
    assert list(root.iterdir()) == []


def test_two_groups_of_one_harness_differ() -> None:
    first, second = cgroups.create(), cgroups.create()
    if first is None or second is None:
        pytest.skip("no control group can be made here")
    assert first != second
    for folder in (first, second):
        cgroups.remove(folder)
        assert not folder.exists()


def test_children_are_counted() -> None:
    folder = cgroups.create()
    if folder is None:
        pytest.skip("no control group can be made here")
    spin = "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done"
    script = f"read go; sh -c '{spin}'; sh -c '{spin}'"
    process = subprocess.Popen(["sh", "-c", script], stdin=subprocess.PIPE)
    assert cgroups.add(folder, process.pid)
    clock = cgroup_cpu_clock(folder)
    before = clock()
    process.communicate(b"go\n")
    assert clock() - before > 1_000_000
    cgroups.remove(folder)
