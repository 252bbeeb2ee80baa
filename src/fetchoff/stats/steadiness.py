"""Test whether costs still fall over successive exchanges: docs/analysis.md#the-steady-state."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

Chosen = np.ndarray[tuple[int, ...], np.dtype[np.bool_]]

TOLERATED_DROP = 0.02
SIGNIFICANT = 2.0
LEAST_STRETCHES = 8
GAP_TO_SIGMA = 1.4826


def can_be_tested(exchanges: Sequence[int]) -> bool:
    """Whether there are stretches enough to look for a trend; without them none is steady."""
    if len(exchanges) < LEAST_STRETCHES:
        return False
    return all(quarter.sum() >= 2 for quarter in _last_quarters(exchanges))


def is_steady(exchanges: Sequence[int], costs: Sequence[float]) -> bool:
    """Whether successive stretches are steady: `exchanges` in each, and `costs` of one exchange.

    The last quarter of all exchanges is compared with the quarter before. Both quarters grow with
    the number of exchanges, so that the steps of a compiler are seen as long as they keep coming at
    a similar rate. Costs are not steady if they fell by more than 2 %, and either by more than
    chance explains, or in every stretch of the two quarters. Chance explains twice the standard
    error of the difference of medians. That error comes from median absolute deviations, so that
    one disturbance doesn't look like a trend.
    """
    if not can_be_tested(exchanges):
        return False
    third, fourth = _last_quarters(exchanges)
    logs = np.log(np.maximum(np.asarray(costs, dtype=np.float64), 1e-9))
    before, late = logs[third], logs[fourth]
    drop = float(np.median(before) - np.median(late))
    if drop <= TOLERATED_DROP:
        return True
    # What varies within the quarters may be the fall itself, so they alone would call it chance.
    falls_throughout = bool((np.diff(logs[third | fourth]) < 0).all())
    error = float(np.hypot(_error(before), _error(late)))
    return drop <= SIGNIFICANT * error and not falls_throughout


def _last_quarters(exchanges: Sequence[int]) -> tuple[Chosen, Chosen]:
    """Which stretches end in the third quarter of all exchanges, and which in the fourth."""
    done = np.cumsum(exchanges)
    fourth = done > 0.75 * done[-1]
    return (done > 0.5 * done[-1]) & ~fourth, fourth


def _error(values: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> float:
    """The standard error of a median, for values that are nearly normal: 1.2533 σ / √n."""
    deviation = np.median(np.abs(values - np.median(values)))
    return float(1.2533 * GAP_TO_SIGMA * deviation / np.sqrt(values.size))
