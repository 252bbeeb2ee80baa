"""Control groups: one for each process, and none left behind."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from fetchoff.run import cgroups
from fetchoff.run.clocks import cgroup_cpu_clock


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in place of the kernel's, so that sweeping can be tried without rights."""
    monkeypatch.setattr(cgroups, "_ROOTS", (tmp_path,))
    return tmp_path


def test_sweep_takes_what_the_dead_left(root: Path) -> None:
    process = subprocess.Popen(["true"])
    process.wait()
    dead = root / f"fetchoff-{process.pid}-0"
    own = root / f"fetchoff-{os.getpid()}-0"
    alive = root / f"fetchoff-{os.getppid()}-0"
    other = root / "fetchoff-of-somebody-else"
    for folder in (dead, own, alive, other):
        folder.mkdir()
    cgroups.sweep()
    assert [path for path in (dead, own, alive, other) if path.exists()] == [alive, other]


def test_sweep_leaves_what_is_not_empty(root: Path) -> None:
    full = root / f"fetchoff-{os.getpid()}-0"
    (full / "inner").mkdir(parents=True)
    cgroups.sweep()
    assert full.exists()


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
