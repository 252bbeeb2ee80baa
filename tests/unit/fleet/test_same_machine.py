"""Another machine under the name of a host doesn't go on with its rounds."""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path
from typing import Any

import pytest
from benches.fleet import pretended

from fetchoff.app import same_machine
from fetchoff.app.own_code import code
from fetchoff.app.same_machine import identity
from fetchoff.fleet.host.work import explain_slowest, folder_of, measure_round, prepare
from fetchoff.fleet.seam.cluster import Here, Step
from fetchoff.fleet.seam.told import Block, Explaining, Preparing
from fetchoff.model.errors import HostError
from fetchoff.model.host import HostRecord
from fetchoff.store.journal import JOURNAL
from fetchoff.store.run_folder import HEADER, RunFolder

ID = "0123456789abcdef0123456789abcdef"
CORES = tuple(sorted(os.sched_getaffinity(0)))


@pytest.fixture
def machine_id(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "machine-id"
    path.write_text(f"{ID}\n")
    monkeypatch.setattr(same_machine, "MACHINE_ID", path)
    return path


@pytest.fixture
def run(machine_id: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A run whose host has made its folder on this machine, and measured its first round."""
    monkeypatch.setenv("FETCHOFF_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(pretended, "APPEND_S", 0.0)
    header = pretended.header("run", pretended.experiment(rounds=3), ("anna",))
    host = HostRecord("anna", clients=pretended.CLIENTS, courses=("get-0", "get-1"))
    prepare(Preparing(host, header), here([]))
    pretended.measure(block(0), here([]))
    return "run"


def here(steps: list[Step]) -> Here:
    return Here(CORES, steps.append, lambda: None)


def block(number: int) -> Block:
    return Block("run", "anna", number, 0, 0.01, code())


def changed(run: str, **more: Any) -> None:
    """As if the folder had been made elsewhere."""
    path = folder_of(run, "anna") / HEADER
    header = json.loads(path.read_text())
    environment = header["environment"] | more.pop("environment", {})
    path.write_text(json.dumps(header | {"environment": environment} | more))


@pytest.mark.parametrize(
    ("name", "other"),
    [("processor", "Another CPU @ 1 GHz"), ("cores", "1 usable of 1"), ("memory", "0.3 GB")],
)
def test_a_machine_of_other_parts_measures_nothing(run: str, name: str, other: str) -> None:
    changed(run, environment={name: other})
    before = (folder_of(run, "anna") / JOURNAL).read_bytes()
    steps: list[Step] = []
    with pytest.raises(HostError, match=rf"another machine .*\({name}: {other} then, .* now\)"):
        measure_round(block(1), here(steps))
    with pytest.raises(HostError, match="another machine"):
        explain_slowest(Explaining(run, "anna", code()), here(steps))
    assert steps == []
    assert (folder_of(run, "anna") / JOURNAL).read_bytes() == before


def test_a_machine_of_the_same_parts_and_another_id_measures_nothing(
    run: str, machine_id: Path
) -> None:
    machine_id.write_text(ID[::-1])
    with pytest.raises(HostError, match=r"another machine .*\(by its machine-id\)"):
        measure_round(block(1), here([]))


@pytest.mark.parametrize("name", ["priority", "control groups"])
def test_a_worker_that_may_do_something_else_measures_nothing(run: str, name: str) -> None:
    """Such as one that another user has started again."""
    changed(run, environment={name: "another"})
    said = rf"permissions or limits have changed .*\({name}: another then, .* now\)"
    with pytest.raises(HostError, match=said):
        measure_round(block(1), here([]))


def test_the_machine_itself_tells_what_it_has(run: str) -> None:
    """Also where the memory is told a little differently, as by another kernel."""
    memory = float(RunFolder.open(folder_of(run, "anna")).header.environment["memory"].split()[0])
    changed(run, environment={"memory": f"{memory * 1.02:.1f} GB"})
    assert measure_round(block(0), here([])).lines


@pytest.mark.parametrize(
    ("then", "now", "is_same"),
    [("1.0", "0.9", True), ("0.4", "0.3", True), ("2.1", "1.9", False), ("64.0", "61.0", True)],
)
def test_a_small_memory_may_be_rounded_otherwise(
    then: str, now: str, is_same: bool, run: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """949 MB are told as 0.9 GB and 951 MB as 1.0 GB: 10 % more."""
    changed(run, environment={"memory": f"{then} GB"})
    monkeypatch.setattr(same_machine, "parts_of", lambda _: {"memory": f"{now} GB"})
    with contextlib.nullcontext() if is_same else pytest.raises(HostError, match="another machine"):
        assert measure_round(block(0), here([])).lines


def test_a_folder_of_before_is_gone_on_with(run: str) -> None:
    """It has no id; and a machine may have none."""
    changed(run, machine="")
    assert measure_round(block(0), here([])).lines


@pytest.mark.parametrize("content", ["", "uninitialized\n", None])
def test_a_machine_without_an_id_is_told_by_its_parts(
    content: str | None, run: str, machine_id: Path
) -> None:
    machine_id.unlink()
    if content is not None:
        machine_id.write_text(content)
    assert identity(run) == ""
    assert measure_round(block(0), here([])).lines


def test_the_id_is_shown_to_nobody(run: str) -> None:
    """And is another one in another run."""
    stored = (folder_of(run, "anna") / HEADER).read_text()
    assert identity(run) in stored
    assert ID not in stored
    assert len({identity(run), identity("another"), ""}) == 3
