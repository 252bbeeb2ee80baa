"""The cost of one client in absolute units: docs/analysis.md#absolute-costs."""

from __future__ import annotations

import numpy as np

from fetchoff.model.estimate import MINIMUM_ROUNDS, Summary
from fetchoff.stats.comparison import mean_and_interval
from fetchoff.stats.verdicts import RESOLUTION, ratio, unknown_ratio
from fetchoff.stats.within import Array, as_costs, spread

LEVEL = 0.95


def summarise(
    y: Array, client: int, *, level: float = LEVEL, resolution: float = RESOLUTION
) -> Summary:
    """The cost of one client over `y[round, client]`, in the unit whose logarithm `y` is.

    The interval describes this client alone. It includes noise that all clients of a round share,
    so don't use two such intervals to compare two clients.
    """
    return summarise_rounds(as_costs(y)[:, client], level=level, resolution=resolution)


def summarise_rounds(
    rounds: Array, *, level: float = LEVEL, resolution: float = RESOLUTION
) -> Summary:
    """Like `summarise`, from the logarithm of one figure per round, NaN if missing."""
    known = rounds[np.isfinite(rounds)]
    median = float(np.exp(np.median(known))) if known.size else float("nan")
    if known.size < MINIMUM_ROUNDS:
        mean = unknown_ratio(float(known.mean()) if known.size else float("nan"))
    else:
        mean = ratio(*mean_and_interval(known, 1 - level, resolution), level)
    return Summary(mean, median, known.size, spread(known))
