"""How many iterations are recorded."""

from __future__ import annotations

import pytest

from fetchoff.run.recording.recorder import iterations_of


@pytest.mark.parametrize(
    ("iteration_ms", "at_once", "iterations"),
    [
        (0.1, 1, 300),
        (10.0, 1, 40),
        (40.0, 1, 24),
        (3000.0, 1, 3),
        (0.1, 100, 600),  # each of them several
        (10.0, 8, 48),
        (100.0, 100, 40),  # for four seconds at the most
    ],
)
def test_iterations(iteration_ms: float, at_once: int, iterations: int) -> None:
    assert iterations_of(iteration_ms, at_once) == iterations
