"""Benches with `--disturbed` are disturbed for as long as they measure, and no longer."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType, SimpleNamespace

import pytest
from benches.agreement import bench as agreement
from benches.disturber.disturbing import DisturberFailed
from benches.overhead import bench as overhead
from benches.steadiness import bench as steadiness

from fetchoff.catalog.manifests import discover
from fetchoff.model.client import Client, Launch, Readiness

CLIENT = "c/libcurl"
LAUNCH = Launch(("true",))
READY = Client(discover()[CLIENT], Readiness.READY, launch=LAUNCH)
Status = Callable[[pytest.MonkeyPatch, "Machine"], int]


class Machine:
    """Pretends to be disturbed, and notes whether it was whenever a bench measured."""

    def __init__(self, fails: bool = False) -> None:
        self.fails = fails
        self.is_disturbed = False
        self.seeds: list[int] = []
        self.seen: list[bool] = []

    @contextmanager
    def disturbed_if(self, wanted: bool, seed: int) -> Iterator[None]:
        self.is_disturbed = wanted
        self.seeds.append(seed)
        yield
        self.is_disturbed = False
        if self.fails:
            raise DisturberFailed("the disturber ended before the measurement did")

    def measured(self) -> None:
        self.seen.append(self.is_disturbed)


def of_overhead(patch: pytest.MonkeyPatch, machine: Machine) -> int:
    def pair(*_: object) -> tuple[float, float]:
        machine.measured()
        return 1.0, 1.0

    patch.setattr(overhead, "set_up", lambda _: [READY])
    patch.setattr(
        overhead, "_subject", lambda client, *_: SimpleNamespace(client=client, launch=LAUNCH)
    )
    patch.setattr(overhead, "_pair", pair)
    overhead.main()
    return 0


def of_steadiness(patch: pytest.MonkeyPatch, machine: Machine) -> int:
    def gone_on(client: Client, name: str, *_: object) -> steadiness.Found:
        machine.measured()
        return steadiness.Found(client.id, name, 9, 9, 1.0, 1.0)

    patch.setattr(steadiness, "set_up", lambda _: [READY])
    patch.setattr(steadiness, "gone_on", gone_on)
    return steadiness.main()


def of_agreement(patch: pytest.MonkeyPatch, machine: Machine) -> int:
    bench = SimpleNamespace(measure=machine.measured, write=lambda: None, show=lambda: True)
    patch.setattr(agreement, "Bench", lambda *_: bench)
    return agreement.main()


@pytest.mark.parametrize("is_wanted", [True, False])
@pytest.mark.parametrize(
    ("module", "status_of"),
    [(overhead, of_overhead), (steadiness, of_steadiness), (agreement, of_agreement)],
)
def test_a_bench_is_disturbed_while_it_measures(
    module: ModuleType, status_of: Status, is_wanted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = Machine()
    more = ["--disturbed"] if is_wanted else []
    monkeypatch.setattr(sys, "argv", ["bench", "--clients", CLIENT, "--seed", "7", *more])
    monkeypatch.setattr(module, "disturbed_if", machine.disturbed_if)
    assert status_of(monkeypatch, machine) == 0
    assert machine.seen and set(machine.seen) == {is_wanted}
    assert machine.seeds == [7]
    assert not machine.is_disturbed


def test_an_agreement_whose_disturber_ended_cannot_be_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    machine = Machine(fails=True)
    monkeypatch.setattr(sys, "argv", ["bench", "--disturbed"])
    monkeypatch.setattr(agreement, "disturbed_if", machine.disturbed_if)
    assert of_agreement(monkeypatch, machine) == 2
    assert capsys.readouterr().err == "error: the disturber ended before the measurement did\n"
