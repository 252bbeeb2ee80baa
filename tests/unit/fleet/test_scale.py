"""The bench of scale at its smallest."""

from __future__ import annotations

from pathlib import Path

from benches.fleet.scale import HEADS, one_size


def test_a_small_fleet_is_replayed(tmp_path: Path) -> None:
    row = one_size(hosts=3, clients=2, workloads=1, rounds=3, folder=tmp_path)
    assert row[0] == "3"
    assert all(float(cell) >= 0 for cell in row)
    assert len(row) == len(HEADS)
