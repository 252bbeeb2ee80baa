"""Whether a trend is left, on cost curves of which it is known."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fetchoff.stats.steadiness import LEAST_STRETCHES, is_steady

TRIALS = 300
NOISE = 0.2  # of a stretch of 10 ms on a busy machine, as it was measured


def judged(costs: Sequence[float], stretch: int = 100) -> bool:
    return is_steady([stretch] * len(costs), costs)


def share_of_steady(truth: Sequence[float], noise: float = NOISE) -> float:
    """How often a curve is called steady, of many with such noise."""
    random = np.random.default_rng(1)
    factors = np.exp(random.normal(0, noise, (TRIALS, len(truth))))
    return float(np.mean([judged(list(np.multiply(truth, factor))) for factor in factors]))


def node_us(done: int) -> float:
    """Node's fetch: CPU time in successive 500s from the start of the process, as measured."""
    measured = (790, 550, 520, 480, 300, 250, 270, 190)
    return measured[done // 500] if done < 4000 else 182.0


def decay(exchanges: int, above: float, half_life: float) -> list[float]:
    return [100 * (1 + above * 2 ** (-done / half_life)) for done in range(0, exchanges, 100)]


@given(st.integers(LEAST_STRETCHES, 100), st.floats(0.01, 1e6))
def test_what_does_not_change_is_steady(stretches: int, cost: float) -> None:
    assert judged([cost] * stretches)


@given(st.lists(st.floats(0.1, 1e5), max_size=LEAST_STRETCHES - 1))
def test_too_little_is_never_steady(costs: list[float]) -> None:
    assert not judged(costs)


@given(
    st.lists(st.tuples(st.integers(1, 10_000), st.floats(0, 1e9)), min_size=1, max_size=60),
    st.floats(1e-3, 1e3),
)
def test_anything_is_judged_and_the_unit_does_not_matter(
    stretches: list[tuple[int, float]], unit: float
) -> None:
    counts = [count for count, _ in stretches]
    costs = [max(1e-3, cost) for _, cost in stretches]
    found = is_steady(counts, costs)
    assert isinstance(found, bool)
    if min(costs) * unit > 1e-6 and found is not is_steady(counts, [c * unit for c in costs]):
        pytest.fail(f"in another unit it is {not found}")


@pytest.mark.parametrize("stretches", [8, 16, 40, 160])
def test_noise_is_seldom_taken_for_a_trend(stretches: int) -> None:
    """A client that is called unsteady wrongly goes on, which costs time and nothing else."""
    assert share_of_steady([100.0] * stretches) > (0.85 if stretches < 40 else 0.94)


@pytest.mark.parametrize("half", [5, 10, 20, 40])
@pytest.mark.parametrize("stretches", [8, 9, 10, 12, 16])
def test_a_smooth_fall_is_a_trend_however_few_stretches_there_are(
    half: int, stretches: int
) -> None:
    """What varies within a quarter is then the fall itself, and no chance."""
    assert not judged([100 + 2000 * math.exp2(-done / half) for done in range(stretches)])


def test_a_disturbance_is_no_trend() -> None:
    """Neighbours slow the machine for 50 to 100 ms: some stretches in the quarter before."""
    costs = [100.0] * 40
    costs[22:25] = [170.0, 180.0, 160.0]
    assert judged(costs)


@pytest.mark.parametrize("drop", [0.1, 0.3])
def test_a_compiler_that_has_just_done_its_work_is_seen(drop: float) -> None:
    costs = [100.0] * 28 + [100.0 * (1 - drop)] * 12
    assert not judged(costs)
    assert share_of_steady(costs, noise=0.03) < 0.05


@pytest.mark.parametrize("last_step", [1000, 2000, 5000])
def test_a_step_is_seen_while_it_parts_the_last_two_quarters(last_step: int) -> None:
    """Medians of quarters: one that lies between 5/8 and 7/8 of the way parts them."""

    def curve(done: int) -> list[float]:
        return [200.0 if at < last_step else 100.0 for at in range(0, done, 50)]

    for share in (0.67, 0.7, 0.75, 0.8, 0.83):
        assert not judged(curve(round(last_step / share)), stretch=50), share
    for share in (0.3, 0.4, 0.45):
        assert judged(curve(round(last_step / share)), stretch=50), share


def test_a_slow_drift_is_seen_through_noise() -> None:
    """A curve that still falls by a tenth in a quarter of it, in 80 stretches."""
    falling = [100 * 0.995**number for number in range(80)]
    assert not judged(falling)
    assert share_of_steady(falling, noise=0.05) < 0.05


def test_what_tails_off_is_steady_when_there_is_nothing_left_to_gain() -> None:
    assert not judged(decay(2000, above=2.0, half_life=400))
    assert judged(decay(8000, above=2.0, half_life=400))


def test_what_gets_dearer_is_steady() -> None:
    """A heap that fills: waiting for its end would be waiting for ever."""
    assert judged(list(np.linspace(100, 130, 40)))


@pytest.mark.parametrize(
    ("done", "is_so"),
    [(2000, False), (3000, False), (5000, False), (8000, True), (12_000, True)],
)
def test_node_is_steady_after_its_compilers_have_done_their_work(done: int, is_so: bool) -> None:
    curve = [node_us(at) for at in range(0, done, 100)]
    assert judged(curve) is is_so
    assert (share_of_steady(curve, noise=0.02) > 0.5) is is_so


def test_node_on_its_way_is_not_steady_whenever_one_looks() -> None:
    """Before, between two steps, it may seem so: that is what `warm_up_exchanges` is for."""
    for done in [*range(2400, 4000, 100), *range(4100, 6400, 100)]:
        assert not judged([node_us(at) for at in range(0, done, 100)]), done


def test_stretches_that_grow_are_weighed_by_their_exchanges() -> None:
    """The first stretches are of one exchange: they are not half of what was done."""
    counts = [1, 1, 1, 4, 16, 64, 100, 100, 100, 100, 100, 100, 100]
    costs = [900.0, 500, 400, 300, 250, 200, *[100.0] * 7]
    assert is_steady(counts, costs)
    assert not is_steady(counts[:8], costs[:8])
