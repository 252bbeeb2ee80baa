"""Clients whose processes cost more on average than their geometric mean says."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from benches.stats.scenarios import WORLDS, Scenario

from fetchoff.stats import above_geometric

TRIALS = 200
WILD = WORLDS["one wild"]  # the last client: an exponential effect of 25 %
ALL_ALIKE = Scenario(between=0.2, within=0.1)


def told(world: Scenario, clients: int, rounds: int) -> list[tuple[float | None, ...]]:
    """For each trial, what is said of each client."""
    rng = np.random.default_rng(1000 * clients + rounds)
    effects = np.linspace(0, 1, clients)
    drawn = (world.costs(effects, rounds, rng, turns=6) for _ in range(TRIALS))
    return [above_geometric(y) for y in drawn]


def share_of(told_of: list[float | None]) -> float:
    return float(np.mean([one is not None for one in told_of]))


@pytest.mark.parametrize("clients", [2, 3, 12])
def test_a_client_with_dear_processes_is_told_of_and_no_other(clients: int) -> None:
    found = told(WILD, clients, rounds=20)
    assert share_of([one[-1] for one in found]) > 0.5
    assert share_of([one for trial in found for one in trial[:-1]]) == 0


@pytest.mark.parametrize("clients", [2, 3, 12])
@pytest.mark.parametrize("rounds", [5, 7, 20])
def test_noise_of_the_machine_is_no_property_of_a_client(clients: int, rounds: int) -> None:
    """Even so much of it that the means of all are 2 % apart."""
    found = told(ALL_ALIKE, clients, rounds)
    assert np.mean([any(one is not None for one in trial) for trial in found]) <= 0.03


@pytest.mark.parametrize("name", ["typical", "noisy", "this machine", "heavy tails", "two layouts"])
def test_usual_noise_is_never_told(name: str) -> None:
    found = told(WORLDS[name], 5, rounds=7)
    assert share_of([one for trial in found for one in trial]) == 0


def test_how_much_more_it_is() -> None:
    """1 ÷ (1 - s) ÷ exp(s) for an exponential effect s: 3.8 % for 25 %."""
    found = told(replace(WILD, within=0.0), 5, rounds=300)
    last = [one[-1] for one in found if one[-1] is not None]
    assert len(last) > 0.95 * TRIALS
    assert np.mean(last) == pytest.approx(0.038, abs=0.004)


def test_what_is_missing_is_left_out() -> None:
    y = np.full((6, 3), np.nan)
    assert above_geometric(y) == (None, None, None)
    y[:, 0] = [0, 0, 0, 0, 0, 1.5]
    assert above_geometric(y)[0] is None
    y[:4, 1] = [0.0, 0.01, 0.0, 0.01]
    y[:, 2] = [0.0, 0.01, 0.02, 0.0, 0.01, 0.02]
    first, second, _ = above_geometric(y)
    assert first == pytest.approx(0.234, abs=0.01)
    assert second is None
