"""The plan of a round: a pure function of the seed, and fair."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fetchoff.model.course import Course
from fetchoff.model.experiment import (
    CONTROLS_SHARE,
    KNOWN,
    TWIN,
    Effect,
    Entrant,
    Experiment,
    Role,
    with_controls,
)
from fetchoff.model.link import Link, Profile
from fetchoff.model.workload import Exchange, Settings, Workload
from fetchoff.plan.rounds import entrants_of_round, iterations, plan_round

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
def test_everybody_once_in_every_block_and_the_twin_in_every_second(
    seed: int, number: int, blocks: int
) -> None:
    declared = experiment(seed, blocks)
    planned = plan_round(declared, number)
    assert planned.number == number
    assert sorted(s.course.id for s in planned.sections) == sorted(c.id for c in COURSES)
    for section in planned.sections:
        assert len(section.blocks) == blocks
        for place, block in enumerate(section.blocks):
            here = [e.key for e in declared.entrants if place % e.every == 0]
            assert Counter(entrant.key for entrant in block) == Counter(here)
            assert (f"a/x{TWIN}" in here) is (place % 2 == 0)


def test_a_twin_has_as_many_iterations_in_longer_batches() -> None:
    for section in plan_round(experiment(1), 0).sections:
        batches = [entrant for block in section.blocks for entrant in block]
        done = {e.key: sum(o.stretch for o in batches if o.key == e.key) for e in batches}
        assert done == dict.fromkeys(done, 6)


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
    twin = 2 * firsts.pop(f"a/x{TWIN}")  # it is in every second block
    assert max(firsts.values()) < 3 * min(twin, *firsts.values())


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
        if section.course.link is FAR:
            assert {e.stretch for block in section.blocks for e in block} == {1}
            assert all({e.process for e in block} == section.processes for block in section.blocks)
        for block in section.blocks:
            assert len({entrant.key for entrant in block}) == len(block)


def test_no_busy_time_is_put_in_with_several_exchanges_in_flight() -> None:
    """What it comes to depends on what else the process and the origin do meanwhile."""
    parallel = replace(COURSES[0].workload, settings=Settings(concurrency=10))
    declared = replace(experiment(1), courses=(Course(parallel),))
    (section,) = plan_round(declared, 0).sections
    everybody = {entrant.key for entrant in declared.entrants}
    assert {entrant.key for entrant in section.entrants} == everybody - {"a/x#busy"}
    assert "a/x#more" in everybody


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


def test_a_kit_has_a_say_in_whose_the_controls_are() -> None:
    preferred = [e.client for e in with_controls(CLIENTS, {"a/y"}) if e.role is Role.CONTROL]
    assert set(preferred) == {"a/y"}


def test_who_is_dear_to_warm_up_is_there_in_every_third_round() -> None:
    dear = [replace(e, seldom=e.client == "a/y") for e in with_controls(CLIENTS, {"a/y"})]
    declared = Experiment(tuple(dear), COURSES, "a/x", 1)
    present = [{e.client for e in entrants_of_round(declared, n)} for n in range(12)]
    assert [n for n, here in enumerate(present) if "a/y" in here] == [0, 3, 6, 9]
    assert all("a/x" in here for here in present)


@given(st.integers(2, 12), st.data())
def test_controls_of_the_seldom_have_their_rounds_and_leave_no_place_empty(
    kits: int, data: st.DataObject
) -> None:
    """Whatever the number of kits has in common with the rhythm of the rounds."""
    dear = data.draw(st.integers(0, kits - 1))
    entrants = of_many(kits, 1).entrants
    dears = tuple(replace(e, seldom=e.client.startswith(f"k{dear}/")) for e in entrants)
    declared = replace(of_many(kits, 1), entrants=dears)
    had = Counter(p for number in range(8 * kits) for p in controls_at(declared, number))
    assert had[f"k{dear}/c0{TWIN}"] > 0 and had[f"k{dear}/c0{KNOWN}"] > 0
    assert all(len(controls_at(declared, number)) >= 2 for number in range(8))


def of_many(kits: int, each: int) -> Experiment:
    """So many ranked clients in each of so many kits."""
    clients = tuple(
        (f"k{kit}/c{number}", f"k{kit}", Role.RANKED)
        for kit in range(kits)
        for number in range(each)
    )
    return Experiment(with_controls(clients), COURSES, "k0/c0", 1)


def controls_at(declared: Experiment, number: int) -> set[str]:
    """The processes of a round that are controls."""
    present = entrants_of_round(declared, number)
    return {entrant.process for entrant in present if entrant.role is Role.CONTROL}


kits, sizes = st.integers(1, 15), st.integers(1, 6)


@given(kits, sizes, numbers)
def test_controls_are_at_most_a_fifth_or_one_of_each_kind(
    kits: int, each: int, number: int
) -> None:
    declared = of_many(kits, each)
    controls = controls_at(declared, number)
    assert len(controls) <= max(2, round(CONTROLS_SHARE * kits * each))
    assert len(controls) == min(2 * kits, max(2, round(CONTROLS_SHARE * kits * each)))


@given(kits, sizes, numbers)
def test_every_round_has_twins_and_known_effects_alike(kits: int, each: int, number: int) -> None:
    controls = controls_at(of_many(kits, each), number)
    twins = sum(process.endswith(TWIN) for process in controls)
    known = sum(process.endswith(KNOWN) for process in controls)
    assert twins + known == len(controls)
    assert known >= 1 and 0 <= twins - known <= 1


@given(kits, sizes)
def test_each_control_has_its_round_as_often_as_the_others(kits: int, each: int) -> None:
    declared = of_many(kits, each)
    had = Counter(p for number in range(4 * kits) for p in controls_at(declared, number))
    assert set(had) == {e.process for e in declared.entrants if e.role is Role.CONTROL}
    for ending in (TWIN, KNOWN):
        times = [count for process, count in had.items() if process.endswith(ending)]
        assert max(times) - min(times) <= 1


@given(kits, sizes, numbers)
def test_the_others_are_in_every_round_and_a_control_is_whole(
    kits: int, each: int, number: int
) -> None:
    declared = of_many(kits, each)
    present = entrants_of_round(declared, number)
    chosen = {entrant.process for entrant in present}
    assert present == [e for e in declared.entrants if e.process in chosen]
    assert all(e in present for e in declared.entrants if e.role is not Role.CONTROL)


def test_controls_of_a_pair_have_the_first_six_rounds_and_every_third_after_them() -> None:
    pair = replace(of_many(2, 1), pair_only=True)
    had = [controls_at(pair, number) for number in range(16)]
    assert [number for number, here in enumerate(had) if here] == [0, 1, 2, 3, 4, 5, 6, 9, 12, 15]
    assert Counter(process for here in had for process in here) == Counter(
        dict.fromkeys(("k0/c0#twin", "k0/c0#known", "k1/c0#twin", "k1/c0#known"), 5)
    )
    assert all(controls_at(replace(pair, jointly=True), number) for number in range(16))


def test_without_controls_a_round_has_everybody() -> None:
    entrants = (Entrant("a", "a", "a"), Entrant("b", "b", "b"))
    declared = Experiment(entrants, COURSES, "a", 1)
    assert entrants_of_round(declared, 3) == list(entrants)


@given(seeds, numbers)
def test_a_section_names_everybody_that_takes_part(seed: int, number: int) -> None:
    planned = plan_round(experiment(seed), number)
    started = {process for process, _ in planned.processes}
    for section in planned.sections:
        assert {entrant.process for entrant in section.entrants} == section.processes
        assert section.processes <= started
        assert Counter(section.blocks[0]) == Counter(section.entrants)


@given(st.integers(1, 1_000_000))
def test_more_is_always_more(planned: int) -> None:
    more = Entrant("k", "c", "p", Role.CONTROL, Effect.MORE, 0.03)
    assert planned < iterations(more, planned) <= max(planned + 1, planned * 1.03 + 0.5)
    assert iterations(Entrant("k", "c", "p"), planned) == planned
