"""What a report says of clients whose processes fall into modes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.unit.analysis.raced import COURSE, Raced

from fetchoff.analysis.analyse import RunFacts, analyse
from fetchoff.analysis.modes import missed_by
from fetchoff.model.analysis import WorkloadResult
from fetchoff.model.finding import ModesMissed
from fetchoff.report.wording import findings

ROUNDS = 20
DEAR = np.arange(ROUNDS) % 5 == 2


def result_of(costs: dict[str, np.ndarray], *, pair_only: bool = False) -> WorkloadResult:
    raced = Raced({client: list(own) for client, own in costs.items()}, pair_only=pair_only)
    facts = RunFacts("id", "title", "2026-11-20", raced.experiment, (), (), {}, ())
    (result,) = analyse(facts, raced.records()).results
    assert result.workload == COURSE.id
    return result


def field(gap: float, clients: int = 3, rounds: int = ROUNDS) -> dict[str, np.ndarray]:
    random = np.random.default_rng(3)
    common = 0.1 * random.standard_normal(rounds)
    costs = {f"a/{i}": common + 0.005 * random.standard_normal(rounds) for i in range(clients)}
    costs["a/1"] = costs["a/1"] + gap * DEAR[:rounds]
    return costs


def notes(result: WorkloadResult) -> dict[str, list[str]]:
    return {s.client: [n for n in findings.notes(s) if "modes" in n] for s in result.standings}


def remarks(result: WorkloadResult) -> tuple[str, ...]:
    return findings.remarks(result.findings)


def test_modes_are_shown_with_their_costs_and_shares() -> None:
    result = result_of(field(gap=0.2))
    told = notes(result)
    assert told["a/0"] == told["a/2"] == []
    (note,) = told["a/1"]
    assert note.startswith("its processes fall into two modes: 80 % take ")
    assert "20 % take 12" in note
    assert note.endswith("µs of CPU time an exchange (of 20 processes)")


def test_a_reader_learns_what_so_many_rounds_would_have_missed() -> None:
    assert [note for note in remarks(result_of(field(gap=0.2))) if "modes" in note] == [
        "the processes of 1 client fall into modes: a mode that 1 process in 5 has stays unseen in "
        "1 % of runs with 20 rounds"
    ]


def test_who_takes_part_in_fewer_rounds_is_missed_more_often() -> None:
    (_, having, _) = sorted(result_of(field(gap=0.2)).standings, key=lambda row: row.client)
    found = missed_by([having, replace(having, client="a/7", rounds=7)])
    assert found is not None
    assert isinstance(found.evidence, ModesMissed)
    assert found.evidence.rounds == 7
    assert found.evidence.missed_share == pytest.approx(0.8**7)


def test_of_a_pair_too() -> None:
    told = notes(result_of(field(gap=0.2, clients=2), pair_only=True))
    assert told["a/0"] == []
    assert len(told["a/1"]) == 1


def test_without_modes_nothing_is_said() -> None:
    result = result_of(field(gap=0.0))
    assert not any(notes(result).values())
    assert not any("modes" in note for note in remarks(result))


def test_neighbouring_tiers_are_told_for_what_they_are() -> None:
    random = np.random.default_rng(5)
    costs = {f"a/{i}": 0.008 * i + 0.006 * random.standard_normal(30) for i in range(10)}
    (note,) = (note for note in remarks(result_of(costs)) if "tiers" in note)
    assert note.endswith(
        "pairs of clients in neighbouring tiers were not shown to differ from each other"
    )


def test_clients_far_apart_leave_nothing_to_say_of_tiers() -> None:
    random = np.random.default_rng(5)
    costs = {f"a/{i}": 0.5 * i + 0.004 * random.standard_normal(14) for i in range(4)}
    assert not any("tiers" in note for note in remarks(result_of(costs)))


def test_after_the_last_round_that_a_run_may_have_no_more_are_promised() -> None:
    costs = {f"a/{i}": np.zeros(40) for i in range(2)}
    assert result_of(costs, pair_only=True).exhausted
    assert not result_of({name: own[:39] for name, own in costs.items()}, pair_only=True).exhausted
