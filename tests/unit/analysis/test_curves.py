"""The curve to steady: of processes whose cost by number is known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

import pytest
from tests.unit.analysis.raced import COURSE, Raced

from fetchoff.analysis.curves import began_with, curve_of, key_of
from fetchoff.model.analysis import Curve
from fetchoff.model.observation import Invocation, Outcome, Record

STRETCHES = (1, 4, 10, 25, 60, 150, 400, 1000)


def falling(number: int) -> float:
    """1000 µs for the first exchange, towards 100 µs."""
    return 100 + 900 / number


def seen(
    cost: Callable[[int], float],
    number: int = 0,
    workload: str = "get",
    *,
    start_up_ms: float = 5.0,
    per_iteration: int = 1,
) -> Invocation:
    """A process as it is recorded if its exchange of each number costs so much."""

    def mean(after: int, upto: int) -> float:
        return sum(map(cost, range(after + 1, upto + 1))) / (upto - after)

    ends = [per_iteration * n for n in STRETCHES]
    unwatched = 2 * per_iteration
    curve = tuple(
        (upto, mean(unwatched + after, unwatched + upto))
        for after, upto in zip((0, *ends), ends, strict=False)
    )
    return Invocation(
        *(number, 0, workload, "a/x", "a/x", Outcome.OK),
        start_up_ms=start_up_ms,
        first_wall_us=1.0,
        first_cpu_us=mean(0, per_iteration),
        curve=curve,
    )


def found(records: Sequence[Record], workload: str = "get", per_iteration: int = 1) -> Curve:
    own = [r for r in records if isinstance(r, Invocation) and r.workload == workload]
    curve = curve_of(own, per_iteration, began_with(records))
    assert curve is not None
    return curve


def test_the_first_exchange_is_the_first_point_and_the_second_is_not_known() -> None:
    curve = found([seen(falling)])
    assert (curve.exchanges[0], curve.cpu_us[0]) == (1, 1000)
    assert curve.exchanges[:4] == (1, 3, 5, 7)
    assert curve.cpu_us[1] == pytest.approx(falling(3))
    assert curve.from_start


def test_points_are_as_the_exchanges_of_their_steps() -> None:
    curve = found([seen(falling)])
    assert curve.exchanges[-1] == 1000
    for after, upto, cost in zip(
        curve.exchanges, curve.exchanges[1:], curve.cpu_us[1:], strict=False
    ):
        dearest, cheapest = falling(after + 1), falling(upto)
        # A stretch reaches over steps: no more than what it spans is lost.
        assert 0.6 * cheapest < cost < 1.05 * dearest, (after, upto)
    assert all(later < 1.0001 * earlier for earlier, later in pairwise(curve.cpu_us))


def test_what_never_falls_is_flat() -> None:
    assert set(found([seen(lambda _: 70.0)]).cpu_us) == {70.0}


def test_an_iteration_of_several_exchanges_is_one_point() -> None:
    curve = found([seen(lambda _: 70.0, per_iteration=4)], per_iteration=4)
    assert curve.exchanges[:3] == (4, 12, 20)
    assert set(curve.cpu_us) == {70.0}


def test_it_is_the_median_over_rounds() -> None:
    curve = found([seen(lambda _: 50.0, 0), seen(lambda _: 500.0, 1), seen(lambda _: 60.0, 2)])
    assert (set(curve.cpu_us), curve.rounds) == ({60.0}, 3)


def test_what_less_than_half_of_the_rounds_reached_is_left_out() -> None:
    whole = seen(falling)
    early = [replace(seen(falling, n), curve=whole.curve[:4]) for n in (1, 2)]
    assert found([whole, *early]).exchanges[-1] == 30
    assert found([whole, early[0]]).exchanges[-1] == 1000


def test_only_rounds_that_began_with_the_workload_tell_of_the_start() -> None:
    records = [
        seen(falling, 0, "get"),
        seen(lambda _: 90.0, 0, "post"),
        seen(lambda _: 95.0, 1, "post"),
        seen(lambda _: 80.0, 1, "get"),
    ]
    get, post = found(records), found(records, "post")
    assert (get.rounds, get.cpu_us[0], get.from_start) == (1, 1000, True)
    assert (post.rounds, post.cpu_us[0], post.from_start) == (1, 95, True)


def test_without_such_a_round_it_is_told_that_it_begins_warm() -> None:
    records = [seen(falling, 0, "post"), seen(lambda _: 80.0, 0, "get")]
    curve = found(records)
    assert (curve.from_start, set(curve.cpu_us)) == (False, {80.0})


def test_a_process_that_was_started_anew_begins_cold() -> None:
    first, second = seen(falling, 0, "post"), seen(falling, 0, "get", start_up_ms=6.0)
    assert began_with([first, second]) == {key_of(first), key_of(second)}


def test_who_had_nothing_to_do_on_a_workload_has_not_begun() -> None:
    refused = Invocation(
        *(0, 0, "post", "a/x", "a/x", Outcome.UNSUPPORTED, "unsupported: body.form"),
        start_up_ms=5.0,
    )
    second = seen(falling)
    assert key_of(second) in began_with([refused, second])


def test_rounds_that_did_not_end_well_are_not_in_it() -> None:
    broken = replace(seen(lambda _: 5.0, 1), outcome=Outcome.FAILED)
    curve = found([seen(falling), broken])
    assert (curve.rounds, curve.cpu_us[0]) == (1, 1000)
    assert curve_of([broken], 1, began_with([broken])) is None


def test_who_was_not_steady_is_counted() -> None:
    """And not whose warm-up was cut off before a trend could be looked for."""
    records = [seen(falling, 0), replace(seen(falling, 1), is_steady=False)]
    records.append(replace(seen(falling, 2), is_steady=False, was_tested=False))
    curve = found(records)
    assert (curve.unsteady, curve.rounds) == (1, 3)


def test_standings_have_the_curves_of_their_clients_and_none_where_nobody_watched() -> None:
    raced = Raced({"a/x": [0.0, 0.1, 0.0], "a/y": [0.5, 0.6, 0.5]})
    records = [
        replace(seen(falling, r.round, COURSE.id), usage=r.usage)
        if isinstance(r, Invocation) and r.process == "a/x"
        else r
        for r in raced.records()
    ]
    standings = raced.standings(records)
    watched = standings["a/x"].curve
    assert watched is not None
    assert (watched.rounds, watched.cpu_us[0]) == (3, 1000)
    assert standings["a/y"].curve is None
