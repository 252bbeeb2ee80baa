"""Which rounds a budget is best spent on, by how long the ones before them took."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.unit.run.fakes.runs import GET

from fetchoff.model.course import Course
from fetchoff.model.experiment import Entrant, Experiment
from fetchoff.run.schedule.budget import Budget

LONG, SHORT = 30.0, 5.0
TWO_LONG = (LONG, SHORT, SHORT, LONG, SHORT)  # 75 s


def budget(
    seconds: Sequence[float], left_s: float, *, seldom: bool = True, pair: bool = False
) -> Budget:
    """After so many rounds, of which each third has all clients if one is there seldom."""
    experiment = Experiment(
        entrants=(Entrant("a", "a", "a"), Entrant("b", "b", "b", seldom=seldom)),
        courses=(Course(GET),),
        baseline="a",
        seed=1,
        budget_s=sum(seconds) + left_s,
        pair_only=pair,
    )
    found = Budget(experiment)
    for number, each in enumerate(seconds):
        found.add(number, each)
    return found


@pytest.mark.parametrize(
    ("seconds", "left_s", "is_left_out"),
    [
        ((), 10.0, False),  # nobody knows yet what a round takes
        ((LONG, SHORT, SHORT), 2 * LONG + SHORT, False),
        ((LONG, SHORT, SHORT), 2 * LONG + SHORT - 1, True),  # five rounds, for all the others
        ((LONG, SHORT, SHORT), 2 * LONG - 1, True),  # three won't be had any more
        ((LONG,), 4 * LONG, False),
        ((LONG, SHORT), LONG, False),  # two are missing: no short one waits for them
        (TWO_LONG, LONG + SHORT, False),
        (TWO_LONG, LONG + SHORT - 1, True),  # the third comes before it
        (TWO_LONG, LONG - 1, False),  # it wouldn't fit anyway
        ((*TWO_LONG, SHORT, LONG), LONG, False),  # there are three
    ],
)
def test_what_is_no_good_use_of_the_time_is_left_out(
    seconds: Sequence[float], left_s: float, is_left_out: bool
) -> None:
    number = len(seconds)
    assert budget(seconds, left_s).should_be_left_out(number) is is_left_out
    assert not budget(seconds, left_s, pair=True).should_be_left_out(number)
    assert not budget(seconds, left_s, seldom=False).should_be_left_out(number)


@pytest.mark.parametrize(("left_s", "is_left_out"), [(2 * LONG, False), (2 * LONG - 1, True)])
def test_a_long_round_is_tried_again_if_it_was_left_out(
    left_s: float, *, is_left_out: bool
) -> None:
    found = budget((LONG, SHORT, SHORT), left_s + 2 * SHORT)
    for number in (4, 5):  # these were quicker than it seemed after the third
        found.add(number, SHORT)
    assert found.should_be_left_out(6) is is_left_out


@pytest.mark.parametrize(("number", "needs_s"), [(5, 6.0), (6, 35.0)])
def test_a_round_takes_as_long_as_the_last_of_its_kind(number: int, needs_s: float) -> None:
    taken = (25.0, 5.0, 5.0, 35.0, 6.0)
    assert budget(taken, needs_s).has_room_for(number)
    assert not budget(taken, needs_s - 1).has_room_for(number)


def test_what_never_was_may_begin_while_anything_is_left() -> None:
    assert budget((LONG,), 0.0).has_room_for(1)
    assert not budget((LONG,), -1.0).has_room_for(1)


@pytest.mark.parametrize(
    ("seconds", "left_s", "number"),
    [
        ((), 0.0, 0),  # one is measured whatever it takes
        ((LONG, SHORT, SHORT), 2 * LONG + SHORT, 3),
        ((LONG, SHORT, SHORT), 2 * LONG + SHORT - 1, 4),
        (TWO_LONG, LONG + SHORT - 1, 6),
        (TWO_LONG, SHORT - 1, None),
    ],
)
def test_the_next_round(seconds: Sequence[float], left_s: float, number: int | None) -> None:
    assert budget(seconds, left_s).next_round(range(len(seconds))) == number


@given(
    st.floats(1.0, 400.0),
    st.lists(st.floats(8.0, 60.0), min_size=20, max_size=20),
    st.floats(1.0, 8.0),
)
@example(105.0, [30.0, *[31.0] * 19], 5.0)  # the second is a little longer than the first was
def test_a_ranking_goes_on_while_a_short_round_fits(
    budget_s: float, long_s: list[float], short_s: float
) -> None:
    """Long rounds may wait for short ones and short ones for long ones, but never both."""
    found = budget((), budget_s)
    had: set[int] = set()
    while (number := found.next_round(had)) is not None and len(had) < 20:
        found.add(number, long_s[len(had)] if found.is_long(number) else short_s)
        had.add(number)
    assert len(had) == 20 or budget_s - sum(found.seconds.values()) < short_s


@given(st.floats(1.0, 400.0), st.floats(8.0, 60.0), st.floats(1.0, 8.0))
def test_nobody_has_two_rounds_for_nothing(budget_s: float, long_s: float, short_s: float) -> None:
    found = budget((), budget_s)
    had: set[int] = set()
    while (number := found.next_round(had)) is not None and len(had) < 20:
        found.add(number, long_s if found.is_long(number) else short_s)
        had.add(number)
    assert len([n for n in had if found.is_long(n)]) != 2


def test_what_was_had_is_not_had_again() -> None:
    taken = budget((SHORT,), 10 * SHORT, seldom=False)
    assert taken.next_round({0, 2, 3}) == 1
    assert taken.next_round(range(taken.experiment.looks[-1])) is None


def test_a_round_that_was_cut_off_comes_first_and_counts_for_nothing_before() -> None:
    """A run was interrupted after one of three workloads of its first round, which is a long one:
    its seconds say nothing of how many there is room for."""
    cut = budget((LONG,), 1.2 * LONG)
    assert cut.next_round(()) == 0
    assert cut.next_round({0}) == 1
    later = budget((LONG, SHORT, SHORT, SHORT), 0.0)
    assert later.next_round({0, 1, 2}) == 3
