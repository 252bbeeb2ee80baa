"""Limits in words: what a client takes, beside its baseline."""

from __future__ import annotations

from fetchoff.model.finding import Clock
from fetchoff.model.limit import Kept
from fetchoff.report.wording.figures import interval_in_words, ratio


def spent(kept: Kept) -> str:
    """`a/y takes 1.050 (1.041–1.059) times the CPU time of a/x on small-get`."""
    found = f"{ratio(kept.ratio.point)} ({interval_in_words(kept.ratio)})"
    clock = "CPU" if kept.clock is Clock.CPU else "wall"
    return (
        f"{kept.client} takes {found} times the {clock} time of {kept.baseline} on {kept.workload}"
    )
