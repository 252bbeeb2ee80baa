"""Whether an adapter's own clock and the harness's agree, where batches are measured."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from math import inf, log, log1p
from statistics import median

import numpy as np

from fetchoff.analysis.series import Array, Series
from fetchoff.model.observation import Batch

AGREE = 0.10


def apart(batches: Iterable[Batch]) -> float:
    """How far the adapter's own clock is off the harness's on a client's batches, as a share."""
    off = [abs(1 - b.cost.own_wall_ns / b.cost.wall_ns) for b in batches]
    return median(off) if off else 0.0


def hidden(off: float) -> float:
    """How far apart two clients may seem, as a logarithm, without being so: one is dearer by the
    harness's clock, and may be the cheaper by an adapter's that is so far off.

    It is the same whichever of the two is dearer, and whose clock is off.
    """
    if off <= AGREE:
        return 0.0
    return -log1p(-off) if off < 1 else inf


def withholds(off: float, ratio: float) -> bool:
    """Whether clocks so far apart leave no verdict in wall time: the difference lies between."""
    return abs(log(ratio)) < hidden(off)


def hidden_in(series: Series) -> Array:
    """`hidden` of each of its entrants."""
    batches: dict[str, list[Batch]] = defaultdict(list)
    for batch in series.batches:
        batches[batch.entrant].append(batch)
    return np.array([hidden(apart(batches[entrant.key])) for entrant in series.entrants])
