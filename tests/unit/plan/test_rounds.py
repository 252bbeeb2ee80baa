"""The plan of a round: a pure function of the seed, and fair."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fetchoff.model.course import Course
from fetchoff.model.experiment import Effect, Entrant, Experiment, Role, with_controls
from fetchoff.model.link import Link, Profile
from fetchoff.model.workload import Exchange, Workload
from fetchoff.plan.rounds import iterations, plan_round

COURSES = tuple(
    Course(Workload(name, "", (Exchange("GET", "/"),))) for name in ("one", "two", "three")
)
FAR = Link("far", "", Profile(45), Profile(45))
CLIENTS = (("a/x", "a", Role.RANKED), ("a/y", "a", Role.RANKED), ("b/z", "b", Role.FLOOR))


def experiment(seed: int, blocks: int = 6) -> Experiment:
    return Experiment(with_controls(CLIENTS), COURSES, "a/x", seed, blocks=blocks)


seeds = st.integers(0, 2**31)
numbers = st.integers(0, 39)


@given(seeds, numbers)
def test_the_same_seed_gives_the_same_round(seed: int, number: int) -> None:
    assert plan_round(experiment(seed), number) == plan_round(experiment(seed), number)


@given(seeds, numbers, st.integers(1, 8))
def test_everybody_once_in_every_block(seed: int, number: int, blocks: int) -> None:
    declared = experiment(seed, blocks)
    planned = plan_round(declared, number)
    assert planned.number == number
    assert sorted(s.course.id for s in planned.sections) == sorted(c.id for c in COURSES)
    everybody = Counter(entrant.key for entrant in declared.entrants)
    for section in planned.sections:
        assert len(section.blocks) == blocks
        for block in section.blocks:
            assert Counter(entrant.key for entrant in block) == everybody


@given(seeds, numbers)
def test_every_process_is_started_once(seed: int, number: int) -> None:
    declared = experiment(seed)
    processes = Counter(process for process, _ in plan_round(declared, number).processes)
    assert processes == Counter({entrant.process for entrant in declared.entrants})


def test_rounds_and_seeds_differ() -> None:
    rounds = [plan_round(experiment(1), number).sections for number in range(10)]
    assert len({str(sections) for sections in rounds}) == 10
    assert plan_round(experiment(1), 0) != plan_round(experiment(2), 0)


def test_nobody_is_always_first() -> None:
    firsts = Counter(
        block[0].key
        for number in range(20)
        for section in plan_round(experiment(5), number).sections
        for block in section.blocks
    )
    keys = {entrant.key for entrant in experiment(5).entrants}
    assert set(firsts) == keys
    assert max(firsts.values()) < 3 * min(firsts.values())


def over_both(seed: int) -> Experiment:
    """Every workload over loopback and over a link."""
    courses = COURSES + tuple(Course(course.workload, FAR) for course in COURSES)
    return replace(experiment(seed), courses=courses)


@given(seeds, numbers)
def test_known_effects_are_not_put_in_over_links(seed: int, number: int) -> None:
    planned = plan_round(over_both(seed), number)
    everybody = {entrant.process for entrant in over_both(seed).entrants}
    for section in planned.sections:
        absent = {"a/x#known"} if section.course.link is FAR else set()
        assert section.processes == everybody - absent
        for block in section.blocks:
            assert {entrant.process for entrant in block} == section.processes
            assert len({entrant.key for entrant in block}) == len(block)


@given(seeds)
def test_what_links_do_at_random_differs_and_repeats(seed: int) -> None:
    def drawn() -> list[int]:
        rounds = [plan_round(over_both(seed), number) for number in range(5)]
        return [section.seed for planned in rounds for section in planned.sections]

    assert drawn() == drawn()
    # Blocks take the seeds that follow: those of sections are further apart than that.
    apart = np.diff(sorted(drawn()))
    assert len(apart) == 29
    assert min(apart) > over_both(seed).blocks


def test_one_control_for_each_kit_that_has_a_ranked_client() -> None:
    controls = [e for e in with_controls(CLIENTS) if e.role is Role.CONTROL]
    assert {e.client for e in controls} == {"a/x"}
    twin, *known = controls
    assert (twin.process, twin.effect) == ("a/x#twin", Effect.NONE)
    assert {e.process for e in known} == {"a/x#known"}
    assert [e.effect for e in known] == [Effect.NONE, Effect.MORE, Effect.BUSY]


@given(st.integers(1, 1_000_000))
def test_more_is_always_more(planned: int) -> None:
    more = Entrant("k", "c", "p", Role.CONTROL, Effect.MORE, 0.03)
    assert planned < iterations(more, planned) <= max(planned + 1, planned * 1.03 + 0.5)
    assert iterations(Entrant("k", "c", "p"), planned) == planned
