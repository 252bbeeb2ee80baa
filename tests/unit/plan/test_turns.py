"""Who takes turns with whom, and when: a pure function of a seed, and fair."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from fetchoff.model.experiment import (
    Effect,
    Entrant,
    Role,
    controls_of,
    takes_turns,
    with_controls,
)
from fetchoff.plan.turns import (
    AT_ONCE,
    COMPILERS_TURNS,
    COMPILING_AT_ONCE,
    VISIT,
    cycles,
    cycles_of_compilers,
    groups,
    sets,
    visits,
)

seeds = st.integers(0, 2**48)


def entrants_of(sizes: list[int]) -> list[Entrant]:
    """Families of so many processes each."""
    return [
        Entrant(f"c{client}#{number}", f"c{client}", f"c{client}#{number}")
        for client, size in enumerate(sizes)
        for number in range(size)
    ]


families = st.lists(st.integers(1, 4), min_size=0, max_size=80).map(entrants_of)


@given(families, st.integers(1, 64), seeds)
def test_everybody_is_in_one_group_and_families_stay_together(
    entrants: list[Entrant], most: int, seed: int
) -> None:
    found = groups(entrants, most, random.Random(seed))
    assert Counter(e for group in found for e in group) == Counter(entrants)
    assert all(found)
    places: dict[str, set[int]] = {}
    for number, group in enumerate(found):
        for entrant in group:
            places.setdefault(entrant.client, set()).add(number)
    assert all(len(where) == 1 for where in places.values())


@given(families, st.integers(4, 64), seeds)
def test_groups_are_as_many_as_needed_and_of_nearly_equal_size(
    entrants: list[Entrant], most: int, seed: int
) -> None:
    sizes = [len(group) for group in groups(entrants, most, random.Random(seed))]
    assert len(sizes) <= max(1, -(-len(entrants) // most))
    if sizes:
        largest = max(Counter(e.client for e in entrants).values())
        assert max(sizes) - min(sizes) <= largest


@given(st.lists(st.just(1), min_size=1, max_size=100), st.integers(1, 64), seeds)
def test_groups_of_single_processes_are_never_too_large(
    sizes: list[int], most: int, seed: int
) -> None:
    entrants = entrants_of(sizes)
    found = [len(group) for group in groups(entrants, most, random.Random(seed))]
    assert max(found) <= most
    assert max(found) - min(found) <= 1


@given(families, seeds)
def test_the_same_seed_gives_the_same_groups_and_cycles(entrants: list[Entrant], seed: int) -> None:
    def planned() -> list[list[list[Entrant]]]:
        order = random.Random(seed)
        return [cycles(group, 5, order) for group in groups(entrants, 12, order)]

    assert planned() == planned()


def test_who_is_with_whom_differs_from_seed_to_seed() -> None:
    entrants = entrants_of([1] * 20)
    drawn = {
        frozenset(frozenset(e.key for e in group) for group in groups(entrants, 10, order))
        for order in map(random.Random, range(20))
    }
    assert len(drawn) > 15


@given(families, st.integers(0, 40), seeds)
def test_everybody_has_a_turn_in_every_cycle(
    entrants: list[Entrant], count: int, seed: int
) -> None:
    found = cycles(entrants, count, random.Random(seed))
    assert len(found) == count
    for cycle in found:
        assert Counter(cycle) == Counter(entrants)


@given(st.integers(1, 100))
def test_those_with_compilers_have_so_many_turns_at_least(turns: int) -> None:
    had = turns * cycles_of_compilers(turns)
    assert had >= max(turns, COMPILERS_TURNS)
    assert had == turns or had < COMPILERS_TURNS + turns


@given(st.lists(st.integers(1, 9), min_size=1, max_size=6), st.integers(1, 40), seeds)
def test_a_control_has_one_in_each_so_many_cycles(every: list[int], count: int, seed: int) -> None:
    group = [Entrant(f"e{i}", f"e{i}", f"e{i}", every=n) for i, n in enumerate(every)]
    found = cycles(group, count, random.Random(seed))
    for entrant in group:
        has_turn = [number for number, cycle in enumerate(found) if entrant in cycle]
        assert has_turn == list(range(0, count, entrant.every))


def test_nobody_always_follows_the_same_one() -> None:
    """The caches that a client finds are those of whoever was before it."""
    group = entrants_of([1] * 5)
    before = Counter(
        pair for cycle in cycles(group, 400, random.Random(1)) for pair in pairwise(cycle)
    )
    assert len(before) == 5 * 4
    assert max(before.values()) < 2 * min(before.values())


def test_nobody_is_always_first() -> None:
    firsts = Counter(c[0].key for c in cycles(entrants_of([1] * 5), 500, random.Random(2)))
    assert len(firsts) == 5
    assert max(firsts.values()) < 2 * min(firsts.values())


def test_of_a_process_with_known_effects_only_the_busy_time_has_turns() -> None:
    """Two entrants of one process cannot be two loops at a time."""
    entrants = with_controls((("a/x", "a", Role.RANKED), ("a/y", "a", Role.RANKED)))
    here = [entrant for entrant in entrants if takes_turns(entrant)]
    assert [entrant.key for entrant in here] == ["a/x", "a/y", "a/x#twin", "a/x#busy"]
    assert len({entrant.process for entrant in here}) == len(here)


def test_the_twin_has_half_as_many_turns_of_twice_the_length() -> None:
    twin, *_, busy = controls_of("a/x")
    assert (twin.effect, busy.effect) == (Effect.NONE, Effect.BUSY)
    assert (twin.every, twin.stretch) == (2, 2)
    assert (busy.every, busy.stretch) == (1, 1)
    for usual, rare in zip(controls_of("a/x"), controls_of("a/x", rare=3), strict=True):
        assert rare.every in (usual.every, 3 * usual.every)
        assert rare.stretch == usual.stretch


@given(families, st.integers(1, 12), st.integers(1, 5), seeds, st.booleans())
def test_sets_have_few_groups_and_few_with_compilers(
    entrants: list[Entrant], most: int, share: int, seed: int, has_guest: bool
) -> None:
    """A baseline that is a guest of several groups is one process."""

    def compiles(entrant: Entrant) -> bool:
        return int(entrant.client[1:]) % share == 0

    def compiling_in(groups_: Sequence[Sequence[Entrant]]) -> int:
        return len({e.process for group in groups_ for e in group if compiles(e)})

    baseline = entrants[0].key if has_guest and entrants else ""
    found = groups(entrants, most, random.Random(seed), baseline)
    planned = sets(found, compiles)
    assert [group for one_set in planned for group in one_set] == found
    for one_set in planned:
        compiling = compiling_in(one_set)
        assert 1 <= len(one_set) <= AT_ONCE
        assert compiling <= COMPILING_AT_ONCE or len(one_set) == 1
    for one_set, following in pairwise(planned):
        together = compiling_in((*one_set, following[0]))
        assert len(one_set) == AT_ONCE or together > COMPILING_AT_ONCE


@given(families, st.integers(0, 20), st.integers(1, 12), seeds)
def test_visits_are_the_cycles_of_all_groups(
    entrants: list[Entrant], count: int, most: int, seed: int
) -> None:
    found = groups(entrants, most, random.Random(seed))
    visited = visits(found, count, random.Random(seed))
    assert Counter(e for cycle in visited for e in cycle) == Counter(entrants * count)
    members = {frozenset(group) for group in found}
    assert all(frozenset(cycle) in members for cycle in visited)


@given(st.integers(1, 6), st.integers(1, 10), seeds)
def test_no_group_has_its_second_visit_before_all_had_their_first(
    number: int, stays: int, seed: int
) -> None:
    """Nor its third before all had their second: they see the same seconds of the machine."""
    found = groups(entrants_of([1] * 3 * number), 3, random.Random(seed))
    visited = visits(found, stays * VISIT, random.Random(seed))
    who = [min(entrant.key for entrant in cycle) for cycle in visited]
    assert who[::VISIT] == who[VISIT - 1 :: VISIT]  # a visit is of cycles that follow each other
    for first in range(0, len(visited), VISIT * len(found)):
        assert len(set(who[first : first + VISIT * len(found) : VISIT])) == len(found)
