"""The bench of scale at its smallest, and the memory of a driver."""

from __future__ import annotations

import gc
import tracemalloc
from pathlib import Path

from benches.fleet import pretended
from benches.fleet.scale import HEADS, Forgetful, drive, one_size

from fetchoff.model.observation import Batch, SectionDone
from fetchoff.store.journal import JOURNAL
from fetchoff.store.run_folder import RunFolder

CLIENTS = tuple(f"c/n{number:02}" for number in range(40))
ROUNDS = 3


def test_a_small_fleet_is_replayed(tmp_path: Path) -> None:
    row = dict(zip(HEADS, one_size(3, 2, 1, 3, tmp_path), strict=True))
    assert (row["hosts"], row["observations"]) == ("3", "18")
    records = list(RunFolder.open(tmp_path / "3").records())
    assert sum(isinstance(record, Batch) for record in records) == 18
    assert sum(isinstance(record, SectionDone) for record in records) == 9
    assert float(row["MB"]) >= float(row["driver MB"]) > 0
    assert float(row["a host's report MB"]) > 0


class Weighed(Forgetful):
    """Notes the memory that is held while the driver waits; what is garbage by then isn't."""

    most = 0

    def pause(self) -> None:
        super().pause()
        gc.collect()
        self.most = max(self.most, tracemalloc.get_traced_memory()[0])


def driven(hosts: int, folder: Path) -> tuple[int, int]:
    """The bytes that a driver holds at most while it waits, and the bytes of a round of all."""
    names = tuple(f"h{number:02}" for number in range(hosts))
    asked = pretended.experiment(rounds=ROUNDS, workloads=1, clients=CLIENTS)
    run = RunFolder.create(folder / str(hosts), pretended.header("run", asked, names))
    cluster = Weighed(names)
    tracemalloc.start()
    try:
        drive(run, cluster, asked)
    finally:
        tracemalloc.stop()
    run.close()
    return cluster.most, (run.path / JOURNAL).stat().st_size // ROUNDS


def test_a_driver_keeps_no_records_of_its_hosts(tmp_path: Path) -> None:
    driven(1, tmp_path)  # what is imported and cached by the first
    few, few_told = driven(4, tmp_path)
    many, told = driven(24, tmp_path)
    assert many - few < (told - few_told) / 4
