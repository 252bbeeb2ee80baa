"""Self-checks on several workloads, of few processes, and of turns that tell nothing."""

from __future__ import annotations

import random
from dataclasses import fields, replace

import pytest
from tests.unit.analysis import planted
from tests.unit.analysis.planted import CLIENTS, KITS, of_turns, scaled, sound

from fetchoff.analysis.checks import self_checks
from fetchoff.analysis.series import series_of
from fetchoff.model.check import CheckOutcome, SelfCheck
from fetchoff.model.course import Course
from fetchoff.model.observation import Invocation, Record, SectionDone, Turns, TurnsGiven

SEEDS = range(8)


def of_kind(kind: str, checks: tuple[SelfCheck, ...]) -> list[SelfCheck]:
    return [check for check in checks if check.kind == kind]


def width(check: SelfCheck) -> float:
    assert check.estimate is not None
    return check.estimate.high - check.estimate.low


def on_post(record: Record) -> Record:
    """The same on another workload."""
    assert isinstance(record, Turns | TurnsGiven | Invocation | SectionDone)
    return replace(record, workload="post")


def test_what_is_asked_of_controls_is_one_question_on_all_workloads() -> None:
    """So a few processes on each tell more together; a trend is asked on each."""
    post = Course(replace(planted.GET, id="post"))
    asked = planted.experiment()
    asked = replace(asked, courses=(*asked.courses, post))
    records = sound(1) + [on_post(record) for record in sound(2)]
    series = [series_of(asked, records, workload) for workload in ("get", "post")]
    alone, together = self_checks(asked, series[:1], KITS), self_checks(asked, series, KITS)
    for kind in ("a/a", "busy time", "position"):
        of_one, of_both = of_kind(kind, alone), of_kind(kind, together)
        assert {check.workload for check in of_one} == {"get"}
        assert {check.workload for check in of_both} == {"all"}
        assert len(of_both) == len(of_one)
        assert all(width(b) < width(a) for a, b in zip(of_one, of_both, strict=True))
    for kind in ("trend", "common trend"):
        assert {check.workload for check in of_kind(kind, together)} == {"get", "post"}


def slower_half(turns: Turns) -> Turns:
    """In each round the machine gets slower, or faster, by as much for all."""
    half = len(turns.cpu_ns) // 2
    by = random.Random(f"machine in round {turns.round}").lognormvariate(0, 0.15)
    cpu = (*turns.cpu_ns[:half], *scaled(turns.cpu_ns[half:], by))
    wall = (*turns.wall_ns[:half], *scaled(turns.wall_ns[half:], by))
    return replace(turns, cpu_ns=cpu, wall_ns=wall)


def of_clients(clients: tuple[str, ...], records: list[Record]) -> list[Record]:
    """The records without the turns of others."""
    return [r for r in records if not isinstance(r, Turns) or r.entrant in clients]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_machine_that_drifts_is_no_trend_of_its_clients(seed: int) -> None:
    records = [of_turns(slower_half)(record) for record in sound(seed)]
    assert {check.outcome for check in of_kind("trend", planted.checks(records))} == {
        CheckOutcome.PASSED
    }


@pytest.mark.parametrize("seed", SEEDS)
def test_noise_that_two_clients_share_counts_once(seed: int) -> None:
    """A second client with the same noise tells nothing more."""
    records = [of_turns(slower_half)(record) for record in sound(seed)]
    alone, both = (
        of_kind("trend", planted.checks(of_clients(CLIENTS[:count], records))) for count in (1, 2)
    )
    for one, two in zip(alone, both, strict=True):
        assert width(two) > 0.9 * width(one)
        assert CheckOutcome.FAILED not in (one.outcome, two.outcome)


def first_turn(turns: Turns) -> Turns:
    """The only one that it has."""
    by_turn = [one.name for one in fields(turns) if isinstance(getattr(turns, one.name), tuple)]
    return replace(turns, **{name: getattr(turns, name)[:1] for name in by_turn})


def test_one_turn_has_no_trend_and_that_is_no_pass() -> None:
    records = [of_turns(first_turn)(record) for record in sound(1)]
    found = of_kind("trend", planted.checks(records))
    assert {check.outcome for check in found} == {CheckOutcome.INCONCLUSIVE}
    assert {check.estimate for check in found} == {None}
