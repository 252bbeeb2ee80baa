"""Two modes are seen where there are two, and hardly ever where there is one."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from fetchoff.stats import modes, modes_of
from fetchoff.stats.modes import least_gap, own_part, widest_gap

SAMPLES = 3000
NOISE: dict[str, Callable[[np.random.Generator, tuple[int, int]], np.ndarray]] = {
    "normal": lambda rng, shape: rng.standard_normal(shape),
    "heavy tails": lambda rng, shape: rng.standard_t(3, shape),
    "skewed": lambda rng, shape: rng.standard_exponential(shape),
    "lognormal": lambda rng, shape: np.exp(0.5 * rng.standard_normal(shape)),
}


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def seen(values: np.ndarray) -> float:
    relative, _ = widest_gap(np.sort(values, axis=1))
    return float((relative >= least_gap(values.shape[1])).mean())


@pytest.mark.parametrize("size", [5, 8, 14, 17, 40])
@pytest.mark.parametrize("noise", NOISE)
def test_noise_of_one_mode_is_rarely_taken_for_two(noise: str, size: int) -> None:
    assert seen(NOISE[noise](rng(), (SAMPLES, size))) < 0.013


@pytest.mark.parametrize(
    ("size", "share", "least"), [(10, 0.4, 0.5), (20, 0.2, 0.7), (40, 0.2, 0.9)]
)
def test_modes_ten_deviations_apart_are_seen(size: int, share: float, least: float) -> None:
    shape = (SAMPLES, size)
    assert seen(rng().standard_normal(shape) + 10 * (rng(1).random(shape) < share)) > least


def test_modes_are_told_with_their_centres_and_shares() -> None:
    dear = np.arange(20) % 5 == 0
    values = 1.0 + 0.01 * rng().standard_normal(20) + 0.1 * dear
    cheap, dearer = modes(values)
    assert (cheap.share, dearer.share) == (0.8, 0.2)
    assert cheap.centre == pytest.approx(1.0, abs=0.01)
    assert dearer.centre == pytest.approx(1.1, abs=0.01)


def test_one_outlier_is_no_mode() -> None:
    values = 0.01 * rng().standard_normal(20)
    values[7] = 5.0
    assert modes(values) == ()


@pytest.mark.parametrize("values", [[], [1.0], [0.0, 0.0, 1.0], [np.nan] * 9])
def test_too_few_invocations_have_no_modes(values: list[float]) -> None:
    assert modes(np.array(values)) == ()


def test_equal_values_have_no_modes_and_two_values_have_two() -> None:
    assert modes(np.zeros(10)) == ()
    assert [mode.share for mode in modes(np.repeat([0.0, 1.0], 5))] == [0.5, 0.5]


def drifting(clients: int, moded: int, rounds: int = 20) -> np.ndarray:
    y = 0.01 * rng().standard_normal((rounds, clients)) + 0.3 * rng(1).standard_normal((rounds, 1))
    y[::4, moded] += 0.2
    return y


@pytest.mark.parametrize("clients", [3, 8])
def test_what_the_machine_does_to_all_is_no_mode(clients: int) -> None:
    y = drifting(clients, moded=1)
    found = [modes_of(y, client) for client in range(clients)]
    assert [len(one) for one in found] == [2 if c == 1 else 0 for c in range(clients)]
    assert found[1][1].share == 0.25


def test_of_a_pair_the_one_that_has_the_modes_is_told() -> None:
    y = 0.005 * rng().standard_normal((20, 2)) + 0.01 * rng(1).standard_normal((20, 1))
    y[::4, 0] += 0.2
    cheap, dear = modes_of(y, 0)
    assert (dear.share, round(dear.centre - cheap.centre, 2)) == (0.25, 0.2)
    assert modes_of(y, 1) == ()


def test_modes_that_differ_by_less_than_matters_are_not_told() -> None:
    y = 0.0003 * rng().standard_normal((20, 3))
    y[::4, 1] += 0.01
    assert modes_of(y, 1) == ()
    assert len(modes_of(y, 1, apart=0.005)) == 2


def test_a_client_alone_has_nothing_to_be_compared_with() -> None:
    assert np.isnan(own_part(np.zeros((9, 1)), 0)).all()
    assert modes_of(np.zeros((9, 1)), 0) == ()
