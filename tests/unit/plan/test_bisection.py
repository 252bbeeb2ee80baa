"""The search for steps: every gap is in one stretch, and each step between two neighbours."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from fetchoff.plan.bisection import Ends, to_compare, tree


def searched(costs: list[int], gone: set[int]) -> dict[Ends, float]:
    """All comparisons of a search in which each is told for certain."""
    apart: dict[Ends, float] = {}
    while open_ := to_compare(tree(len(costs), gone, apart), apart):
        ends = open_[0]
        assert ends not in apart
        apart[ends] = float(abs(costs[ends[1]] - costs[ends[0]]))
    return apart


rising = st.lists(st.integers(0, 2), min_size=2, max_size=40).map(
    lambda sizes: [sum(sizes[: n + 1]) for n in range(len(sizes))]
)


@given(rising, st.data())
def test_it_finds_every_step_between_releases_that_can_be_had(
    costs: list[int], data: st.DataObject
) -> None:
    gone = data.draw(st.sets(st.integers(0, len(costs) - 1), max_size=len(costs) - 2))
    left = [number for number in range(len(costs)) if number not in gone]
    apart = searched(costs, gone)
    root = tree(len(costs), gone, apart)
    assert root is not None
    leaves = [leaf.ends for leaf in root.leaves()]
    assert [older for older, _ in leaves] == [left[0], *(newer for _, newer in leaves[:-1])]
    assert leaves[-1][1] == left[-1]
    neighbours = set(pairwise(left))
    steps = {pair for pair in neighbours if costs[pair[0]] != costs[pair[1]]}
    assert {ends for ends in leaves if apart[ends]} == steps


@given(rising)
def test_it_never_makes_more_comparisons_than_a_tree_has_nodes(costs: list[int]) -> None:
    assert len(searched(costs, set())) <= max(2 * (len(costs) - 1) - 1, 1)


def test_equal_ends_are_not_divided() -> None:
    assert searched([0, 5, 0], set()) == {(0, 2): 0.0}


def test_the_largest_difference_is_pursued_first() -> None:
    apart = {(0, 8): 9.0, (0, 4): 3.0, (4, 8): 6.0}
    assert to_compare(tree(9, (), apart), apart) == ((4, 6), (6, 8), (0, 2), (2, 4))


def test_what_cannot_be_had_is_no_middle_and_no_end() -> None:
    assert to_compare(tree(9, {0, 8}, {}), {}) == ((1, 7),)
    apart = {(0, 8): 1.0}
    assert to_compare(tree(9, {4}, apart), apart) == ((0, 3), (3, 8))


def test_one_release_that_is_left_is_no_history() -> None:
    assert tree(3, {0, 1}, {}) is None
    assert to_compare(None, {}) == ()
