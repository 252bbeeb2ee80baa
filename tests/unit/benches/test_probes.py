"""What the bench of probes says of planted turns."""

from __future__ import annotations

import math

import numpy as np
import pytest
from benches.probes.bench import Row, Taken, rows


def of(probe: float, count: int = 40, *, slow: float = 1.0, waits: bool = False) -> Taken:
    """Turns of which every fourth has probes, and costs, `slow` times as dear."""
    times = np.where(np.arange(count) % 4 == 0, slow, 1.0)
    return Taken(5 * np.arange(count) // count, 1000 * probe * times, 50 * times, 10 * times, waits)


def row(client: str, **taken: Taken) -> Row:
    (found,) = (one for one in rows("get", taken) if one.client == client)
    return found


def test_a_slow_core_is_seen_by_its_probes_and_costs_as_much_more() -> None:
    seen = row("a", a=of(1.0, slow=1.2), b=of(1.0))
    assert seen.half == pytest.approx(1.0)
    assert (seen.slow, seen.is_apart) == (10, False)
    assert [seen.probe, seen.client_cost, seen.origin_cost] == pytest.approx([1.2] * 3)


def test_probes_that_depend_on_the_client_are_told() -> None:
    """As those did that went through memory: slow in every turn, of a client that wasn't slow."""
    seen = row("a", a=of(1.4), b=of(1.0), c=of(1.0))
    assert seen.nearly_all == pytest.approx(1.4)
    assert (seen.slow, seen.is_apart) == (40, True)
    assert math.isnan(seen.client_cost)


@pytest.mark.parametrize(
    ("probe", "apart"), [(1.09, False), (1.11, True), (0.92, False), (0.90, True)]
)
def test_as_much_is_tolerated_as_in_a_run(probe: float, apart: bool) -> None:
    """Which calls turns disturbed, or probes apart, at 10 %."""
    assert row("a", a=of(probe), b=of(1.0, 400)).is_apart is apart


def test_who_waits_is_not_judged_and_says_nothing_of_others() -> None:
    taken = {"a": of(1.3, 400, waits=True), "b": of(1.0)}
    assert not row("a", **taken).is_apart
    assert row("b", **taken).half == pytest.approx(1.0)


def test_a_client_of_slow_rounds_has_no_probes_of_its_own() -> None:
    """All were slow then: the core was."""
    slow = np.repeat([1, 3], 8)
    seldom = Taken(slow, np.full(16, 1300.0), np.full(16, 50.0), np.full(16, 10.0), waits=False)
    others = of(1.0)
    others.probe_ps[np.isin(others.rounds, slow)] *= 1.3
    assert not row("a", a=seldom, b=others).is_apart
