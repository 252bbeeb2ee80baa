"""Which core a worker keeps to."""

from __future__ import annotations

import os
import runpy
from pathlib import Path

import pytest

pytest.importorskip("distributed", reason="the extra 'fleet' is not installed")

from fetchoff.fleet.dask import on_worker
from fetchoff.run.host import machine


def test_a_worker_keeps_off_the_big_core_of_the_client(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where that is the first one: two big cores, and two little ones."""
    for core in range(4):
        folder = tmp_path / f"devices/system/cpu/cpu{core}"
        folder.mkdir(parents=True)
        (folder / "cpu_capacity").write_text("1024" if core < 2 else "400")
    monkeypatch.setattr(machine.usable_cores, "__defaults__", (tmp_path,))
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 2, 3})
    path = on_worker.__file__
    assert path is not None
    cores = runpy.run_path(path)["CORES"]
    assert cores == tuple(machine.usable_cores())
    assert cores == (2, 3, 0, 1)
