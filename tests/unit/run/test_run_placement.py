"""Where clients, origins and the harness are in a run."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from tests.unit.run.fakes.adapter import FakeAdapter
from tests.unit.run.fakes.runs import GET, FakeRun, experiment_of, plain, well

from fetchoff.model.workload import Placement, placed
from fetchoff.run.host.placement import Urgency

A, B = "a/x", "b/y"
POST = replace(GET, id="post")


@pytest.fixture
def run(tmp_path: Path) -> FakeRun:
    return FakeRun(tmp_path, well(A, B))


def test_clients_are_placed_with_the_origin_and_the_harness_away_from_them(run: FakeRun) -> None:
    seen: list[int | None] = []
    run.clients = {A: lambda *_: FakeAdapter(A, us=partial(_noting, run, seen))}
    run(experiment_of(plain(A), rounds=1))
    assert {adapter.placed for adapter in run.adapters} == {(frozenset({1}), Urgency.HIGH)}
    assert run.origin.placed == (frozenset({1}), Urgency.HIGH)
    assert set(seen) == {0}
    assert (run.host.harness_on, run.host.swept) == (None, 1)


def _noting(run: FakeRun, seen: list[int | None], _number: int) -> float:
    seen.append(run.host.harness_on)
    return 100.0


@pytest.mark.parametrize(("placement", "cores"), [(None, {0, 1}), (Placement.FREE, {1, 2})])
def test_who_is_free_starts_on_all_of_its_cores_others_on_one(
    placement: Placement | None, cores: set[int], run: FakeRun
) -> None:
    run.host.cores = [0, 1, 2]
    run(experiment_of(plain(A, B), rounds=1, placement=placement))
    if placement is None:
        assert [len(spec.cores) for spec in run.specs] == [1, 1]
    else:
        assert [set(spec.cores) for spec in run.specs] == [cores, cores]


def test_origins_begin_where_they_are_measured_because_their_workers_stay(run: FakeRun) -> None:
    run.host.cores = [0, 1, 2]
    apart = replace(POST, placement=Placement.SEPARATE_CORES)
    run(experiment_of(plain(A, B), GET, placed(GET, Placement.FREE), apart, rounds=1))
    assert sorted(map(sorted, run.began_on)) == [[1], [1, 2], [2]]
    free = [set(spec.cores) for spec in run.specs if len(spec.cores) > 1]
    assert free == [{1, 2}, {1, 2}]


def test_workloads_of_one_placement_share_an_origin(run: FakeRun) -> None:
    run(experiment_of(plain(A, B), GET, POST, rounds=2))
    assert run.began_on == [frozenset({1}), frozenset({1})]
