"""What stands beside a client's figures."""

from __future__ import annotations

import math

import pytest

from fetchoff.analysis.ranking_rows import over_centre
from fetchoff.model.observation import Batch, Cost, Seen


def batch(number: int, block: int, cpu_ns: int) -> Batch:
    return Batch(
        *(number, 0, "w", block, 0, "a/x"),
        *(100, 100, 100, 100, 0),
        Cost(cpu_ns, cpu_ns, 0, cpu_ns, 0),
        Seen(100, 0, 0, 0, 0),
    )


def test_what_rare_dear_batches_add_is_told_beside_the_mean() -> None:
    batches = [batch(n, k, 2000 if k == 0 else 1000) for n in range(3) for k in range(6)]
    assert over_centre(batches) == pytest.approx(7 / 6)


def test_a_dear_batch_is_told_where_a_round_has_three() -> None:
    """As in a ranking: one of three is no tail that trimming would find, one of six is."""
    dear = [(n, k) for n in range(8) for k in range(3) if n % 2 == k == 0]
    batches = [batch(n, k, 1000 + 1000 * ((n, k) in dear)) for n in range(8) for k in range(3)]
    assert over_centre(batches) == pytest.approx(7 / 6)


def test_rounds_that_differ_are_no_dear_batches() -> None:
    assert over_centre([batch(n, k, 1000 * (n + 1)) for n in range(3) for k in range(6)]) == 1


def test_without_batches_nothing_is_told() -> None:
    assert math.isnan(over_centre([]))
