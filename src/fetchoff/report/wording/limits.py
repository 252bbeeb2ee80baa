"""Limits in words: what a client takes, beside its baseline."""

from __future__ import annotations

from fetchoff.model.finding import Clock
from fetchoff.model.limit import Kept


def spent(kept: Kept) -> str:
    """`a/y takes 1.050 (1.041–1.059) times the CPU time of a/x on small-get`."""
    ratio = kept.ratio
    found = f"{ratio.point:.3f} ({ratio.low:.3f}–{ratio.high:.3f})"
    clock = "CPU" if kept.clock is Clock.CPU else "wall"
    return (
        f"{kept.client} takes {found} times the {clock} time of {kept.baseline} on {kept.workload}"
    )
