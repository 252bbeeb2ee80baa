"""Warming up, by adapters whose cost is known exchange for exchange."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.run.fakes.adapter import FakeAdapter

from fetchoff.model.client import Launch
from fetchoff.model.errors import AdapterError
from fetchoff.protocol.adapter import Done
from fetchoff.run.adapters.seam import AdapterProcess, Timed
from fetchoff.run.adapters.warming import (
    COMPILERS_CPU_MS,
    LEAST_CPU_MS,
    LEAST_EXCHANGES,
    LOOK_S,
    MOST_COMPILING_S,
    MOST_EXCHANGES,
    MOST_S,
    POINTS,
    STRETCH_MS,
    Curve,
    Work,
    _thinned,
    let_compile,
    warm_up,
)
from fetchoff.stats.steadiness import LEAST_STRETCHES

NODE_US = (790, 550, 520, 480, 300, 250, 270, 190)  # in successive 500s, then 182


class Known:
    """An adapter of which exchange number so-and-so costs what the test says, in microseconds.

    It waits `waiting` times as long.
    """

    def __init__(
        self, us: Callable[[int], float], exchanges: int = 1, waiting: float = 0.0
    ) -> None:
        self._us = us
        self._exchanges = exchanges
        self._waiting = waiting
        self.done = 0
        self.launch = Launch(("known",))
        self.cpu_ns = 0
        self.asked: list[int] = []
        self.walls_ns: list[int] = []

    def idle_cpu_ns(self, _seconds: float) -> int:
        return 0

    def run_timed(self, n: int, *_: object, **__: object) -> Timed:
        count = n * self._exchanges
        ns = round(1e3 * sum(map(self._us, range(self.done, self.done + count))))
        self.done += count
        self.cpu_ns += ns
        self.asked.append(n)
        self.walls_ns.append(round(ns * (1 + self._waiting)))
        return Timed(Done(count, 0, 0, ns), self.walls_ns[-1], ns, 0)


def work_of(known: Known, exchanges: int = 1) -> Work:
    return Work.unchecked(cast(AdapterProcess, known), exchanges)


def warmed(known: Known, exchanges: int = 1, least: int = 0, beyond: float = 0.0) -> Curve:
    return warm_up(cast(AdapterProcess, known), work_of(known, exchanges), least, Event(), beyond)


def node_us(number: int) -> float:
    return NODE_US[number // 500] if number < 4000 else 182.0


def test_what_does_not_change_is_steady_as_soon_as_enough_was_seen() -> None:
    known = Known(lambda _: 100.0)
    curve = warmed(known)
    assert curve.is_steady
    assert curve.settled_us == pytest.approx(100.0)
    assert LEAST_CPU_MS <= known.cpu_ns / 1e6 < LEAST_CPU_MS + 2 * STRETCH_MS


def test_who_is_slow_does_some_exchanges_all_the_same() -> None:
    known = Known(lambda _: 1_500.0)
    assert warmed(known).is_steady
    assert LEAST_EXCHANGES <= known.done <= LEAST_EXCHANGES + 1


def test_who_is_very_slow_does_a_few() -> None:
    known = Known(lambda _: 20_000.0)
    assert warmed(known).is_steady
    assert known.done == LEAST_STRETCHES < LEAST_EXCHANGES


@pytest.mark.parametrize("waiting", [0.0, 3.0])
def test_stretches_are_of_equal_length_once_the_pace_is_known(waiting: float) -> None:
    known = Known(lambda _: 50.0, waiting=waiting)
    warmed(known)
    assert known.asked[0] == 1
    assert all(b <= 4 * a for a, b in zip(known.asked, known.asked[1:], strict=False))
    assert known.walls_ns[-1] / 1e6 == pytest.approx(STRETCH_MS, rel=0.05)


def test_iterations_have_several_exchanges() -> None:
    known = Known(lambda _: 50.0, exchanges=4)
    curve = warmed(known, exchanges=4)
    assert curve.points[-1][0] == known.done == 4 * sum(known.asked)
    assert curve.settled_us == pytest.approx(50.0)


def test_a_compiler_is_waited_for() -> None:
    known = Known(lambda number: 100 + 400 * 2 ** (-number / 400))
    curve = warmed(known, least=1000)
    assert curve.is_steady
    assert known.done > 3000
    assert curve.settled_us == pytest.approx(100, rel=0.02)


def test_no_one_is_steady_before_what_its_runtime_needs() -> None:
    known = Known(node_us)
    curve = warmed(known, least=4000)
    assert curve.is_steady
    assert 4000 <= known.done <= 8200
    assert node_us(known.done) == 182  # whatever was judged, the compilers have done their work


def test_who_is_fast_and_compiles_does_what_takes_a_compiler_time() -> None:
    """undici is steady for thousands of exchanges, and cheaper after 10,000: V8 tries again."""
    known = Known(lambda number: 60.0 if number < 12_000 else 48.0)
    known.launch = Launch(("known",), compiles=True)
    curve = warmed(known, least=5000)
    assert known.cpu_ns / 1e6 >= COMPILERS_CPU_MS
    assert known.done > 12_000
    assert curve.points[-1][1] == 48.0


def test_who_never_gets_steady_is_given_up_after_so_many_exchanges() -> None:
    known = Known(lambda number: 100 * 0.5 ** (number / 20_000))
    curve = warmed(known, least=3000)
    assert not curve.is_steady
    assert MOST_EXCHANGES <= known.done < 2 * MOST_EXCHANGES


def test_or_after_so_much_time() -> None:
    known = Known(lambda number: 50_000 * 0.99**number, waiting=5.0)
    curve = warmed(known, least=10_000)
    assert not curve.is_steady
    assert MOST_S < sum(known.walls_ns) / 1e9 < MOST_S + 1


@pytest.mark.parametrize("least", [0, 10_000])
def test_who_is_too_slow_to_be_tested_is_not_said_to_get_cheaper(least: int) -> None:
    """Seven stretches of 2 s, or of 0.1 s each without what its runtime needs: its cost is flat."""
    curve = warmed(Known(lambda _: 100_000.0 if least else 2_000_000.0), least=least)
    assert not curve.is_steady
    assert not curve.was_tested


def test_a_trend_that_is_left_was_looked_for() -> None:
    curve = warmed(Known(lambda number: 100 * 0.5 ** (number / 20_000)), least=3000)
    assert (curve.is_steady, curve.was_tested) == (False, True)


def test_a_runtime_that_needs_many_may_have_twice_as_many() -> None:
    least = MOST_EXCHANGES
    known = Known(lambda number: 20 * 0.5 ** (number / 50_000))
    assert not warmed(known, least=least).is_steady
    assert 2 * least <= known.done < 3 * least


def test_nothing_more_is_done_when_somebody_else_has_come_to_grief() -> None:
    stop = Event()
    known = Known(lambda _: 100.0)

    def stopping(number: int) -> float:
        if number == 20:
            stop.set()
        return 100.0

    known._us = stopping
    curve = warm_up(cast(AdapterProcess, known), work_of(known), 10_000, stop)
    assert not curve.is_steady
    assert 20 < known.done < 200
    never = Known(lambda _: 100.0)
    curve = warm_up(cast(AdapterProcess, never), work_of(never), 0, stop)
    assert curve == Curve((), is_steady=False, was_tested=False)
    assert never.asked == []


def test_an_adapter_that_fails_fails_its_warm_up() -> None:
    def fails(_: int) -> float:
        raise AdapterError("it crashed")

    with pytest.raises(AdapterError):
        warmed(Known(fails))


def test_the_curve_is_kept_in_few_points() -> None:
    known = Known(lambda number: 100 + 400 * 2 ** (-number / 800))
    curve = warmed(known, least=40_000)
    assert len(known.asked) > 2 * POINTS
    assert POINTS / 2 < len(curve.points) <= POINTS
    assert [upto for upto, _ in curve.points] == sorted({upto for upto, _ in curve.points})
    assert curve.points[-1][0] == known.done


@given(
    st.lists(st.tuples(st.integers(1, 500), st.floats(0.1, 1e5)), min_size=1, max_size=200),
)
def test_points_are_all_that_was_paid(stretches: list[tuple[int, float]]) -> None:
    counts, costs = [n for n, _ in stretches], [cost for _, cost in stretches]
    points = _thinned(counts, costs)
    assert len(points) <= POINTS
    assert points[-1][0] == sum(counts)
    before = (0, *(upto for upto, _ in points[:-1]))
    paid = sum(cost * (upto - b) for (upto, cost), b in zip(points, before, strict=True))
    expected = sum(n * cost for n, cost in stretches)
    assert paid == pytest.approx(expected, rel=1e-6, abs=0.001 * sum(counts))


@given(st.lists(st.tuples(st.integers(1, 500), st.floats(0.1, 1e5)), min_size=1, max_size=60))
def test_settled_is_what_the_last_quarter_cost(stretches: list[tuple[int, float]]) -> None:
    upto, points = 0, []
    for count, cost in stretches:
        upto += count
        points.append((upto, cost))
    settled = Curve(tuple(points), is_steady=True).settled_us
    late, before = [], 0
    for end, cost in points:
        if end > 0.75 * upto:
            late += [cost] * (end - before)  # whole stretches: the quarter's first one begins it
        before = end
    assert settled == pytest.approx(sum(late) / len(late))


def test_where_the_warm_up_ends_can_be_left_to_chance() -> None:
    plain, longer = Known(lambda _: 100.0), Known(lambda _: 100.0)
    first, second = warmed(plain), warmed(longer, beyond=0.5)
    assert abs(longer.done - 1.5 * plain.done) < 1
    assert second.points[-1][0] == longer.done
    assert first.is_steady
    assert second.is_steady


def test_who_has_taken_too_long_does_not_go_on_by_chance() -> None:
    slow, longer = (Known(lambda _: 100_000.0) for _ in range(2))  # a tenth of a second each
    warmed(slow, least=10_000)
    warmed(longer, least=10_000, beyond=0.5)
    assert longer.done == slow.done
    assert sum(longer.walls_ns) > MOST_S * 1e9


@pytest.mark.parametrize(
    ("left_s", "waited_s"),
    [(0.0, LOOK_S), (0.5, 0.5 + LOOK_S), (60.0, MOST_COMPILING_S)],
)
def test_compilers_may_finish_what_they_have_begun(left_s: float, waited_s: float) -> None:
    compiling = FakeAdapter(backlog_us=1e6 * left_s)
    let_compile(compiling, Event())
    assert compiling.time.ns / 1e9 == pytest.approx(waited_s, abs=LOOK_S)


def test_compilers_are_not_waited_for_when_somebody_else_has_come_to_grief() -> None:
    stop = Event()
    stop.set()
    compiling = FakeAdapter(backlog_us=1e6)
    let_compile(compiling, stop)
    assert compiling.time.ns == 0
