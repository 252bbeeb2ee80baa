"""What is said of a machine, which is pretended."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from tests.unit.run import trees

from fetchoff.app.doctor import (
    HOW_MUCH_IT_MATTERS,
    Health,
    MachineCheck,
    check_machine,
    check_origin,
    judge_children,
    judge_cores,
    judge_quota,
    judge_steal,
)
from fetchoff.model.errors import OriginError, SetupError
from fetchoff.run.host.topology import Topology
from fetchoff.run.origins import built_in

GOOD, LIMITED = Health.GOOD, Health.LIMITED
ALONE = {core: str(core) for core in range(8)}
PAIRS = {core: f"{core - core % 2}-{core - core % 2 + 1}" for core in range(8)}


@pytest.mark.parametrize(
    ("cores", "threads", "health", "said"),
    [
        (1, ALONE, LIMITED, "one core"),
        (2, ALONE, GOOD, "2 cores: client and origin share one"),
        (2, PAIRS, LIMITED, "2 cores, which are threads of one physical core"),
        (8, ALONE, GOOD, "8 cores: clients run on core 7"),
        (8, PAIRS, GOOD, "8 cores, threads of 4 physical ones: clients run on core 7"),
    ],
)
def test_cores(
    cores: int, threads: dict[int, str], health: Health, said: str, tmp_path: Path
) -> None:
    (check,) = judge_cores(Topology.of(range(cores), trees.cores(tmp_path, threads)))
    assert check.health is health
    assert check.text.startswith(said)
    assert bool(check.hint) is (health is LIMITED)


@pytest.mark.parametrize(
    ("quota_cores", "health", "said"),
    [
        (math.inf, GOOD, "no CPU quota"),
        (2.0, GOOD, "no CPU quota"),
        (1.5, LIMITED, "a CPU quota of 1.5 cores for 2 usable"),
    ],
)
def test_a_quota(quota_cores: float, health: Health, said: str) -> None:
    check = judge_quota(quota_cores, 2)
    assert check.health is health
    assert check.text.startswith(said)
    assert ("limits.cpu" in check.hint) is (health is LIMITED)


@pytest.mark.parametrize(
    ("has_cgroups", "is_root", "hint"),
    [(True, True, ""), (False, False, "run as root"), (False, True, "mount control groups")],
)
def test_children(*, has_cgroups: bool, is_root: bool, hint: str) -> None:
    check = judge_children(has_cgroups=has_cgroups, is_root=is_root)
    assert check.health is (GOOD if has_cgroups else LIMITED)
    assert check.hint.startswith(hint) and bool(check.hint) is bool(hint)


@pytest.mark.parametrize(
    ("took_ns", "health", "share"),
    [([1.0, 3.0], LIMITED, "50.0%"), ([1.0] * 99 + [2.0], GOOD, "1.0%"), ([5.0], GOOD, "0.0%")],
)
def test_other_work(took_ns: list[float], health: Health, share: str) -> None:
    """A spin beside one competitor takes twice as long: half of its time is the other's."""
    check = judge_steal(took_ns)
    assert check.text == f"other work took {share} of the time of a spinning process"
    assert check.health is health


def test_an_origin_whose_program_is_missing_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_: object) -> list[str]:
        raise SetupError("there is no fetchoff-origin", "build it")

    monkeypatch.setattr(built_in, "program", missing)
    bad = MachineCheck(Health.BAD, "there is no fetchoff-origin", "build it")
    assert list(check_origin()) == [bad]


def test_an_origin_that_cannot_listen_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[built_in.BuiltInOrigin] = []

    def refuses(origin: built_in.BuiltInOrigin) -> None:
        started.append(origin)
        raise OriginError("no port is free")

    monkeypatch.setattr(built_in.BuiltInOrigin, "open", refuses)
    assert [check.text for check in check_origin()] == ["no port is free"]
    with pytest.raises(OriginError):
        started[0].must_be_there()


def test_all_of_it_is_asked_of_this_machine() -> None:
    texts = [check.text for check in check_machine()]
    assert any("CPU quota" in text for text in texts)
    assert any(HOW_MUCH_IT_MATTERS in text or "share one core" in text for text in texts)
