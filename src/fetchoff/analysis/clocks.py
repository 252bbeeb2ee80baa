"""Whether an adapter's own clock and the harness's agree, where batches are measured."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import median

from fetchoff.model.observation import Batch

AGREE = 0.10


def apart(batches: Iterable[Batch]) -> float:
    """How far the adapter's own clock is off the harness's on a client's batches, as a share."""
    off = [abs(1 - b.cost.own_wall_ns / b.cost.wall_ns) for b in batches]
    return median(off) if off else 0.0


def withholds(off: float, ratio: float) -> bool:
    """Whether clocks so far apart leave no verdict in wall time: the difference lies between."""
    return off > AGREE and off > abs(ratio - 1)
