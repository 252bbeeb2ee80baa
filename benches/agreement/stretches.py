"""Divide the exchanges of each process into stretches, and mix those of all processes."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

# Far shorter than the harness waits for a line: one that takes that long hangs, however wrong its
# pace was guessed.
LINE_NS = 200_000_000
# Before a stretch, not counted: caches, and Go's monitor thread (docs/decisions/0011), settle.
LEAD_NS = 50_000_000
STRETCH_NS = 1_000_000_000
LEAST_STRETCHES = 4
LEAST_IN_A_STRETCH = 1000


def fitting(ns: float, ns_per_exchange: float) -> int:
    """The number of exchanges that take this long, at least one."""
    return max(1, int(ns / max(ns_per_exchange, 1.0)))


def stretches_of(exchanges: int, ns_per_exchange: float) -> list[int]:
    """The exchanges of each stretch: of about a second, and several if they are many."""
    by_time = max(LEAST_STRETCHES, round(exchanges * ns_per_exchange / STRETCH_NS))
    return _split(exchanges, max(1, min(by_time, exchanges // LEAST_IN_A_STRETCH)))


def lines_of(exchanges: int, ns_per_exchange: float) -> list[int]:
    """The exchanges of each line of a stretch: what a process is asked for at a time."""
    return _split(exchanges, math.ceil(exchanges / fitting(LINE_NS, ns_per_exchange)))


def mixed(stretches: Sequence[int], rng: random.Random) -> list[int]:
    """The order of all stretches, by process index; those of each process are spread evenly."""
    moments = [
        ((stretch + rng.random()) / count, index)
        for index, count in enumerate(stretches)
        for stretch in range(count)
    ]
    return [index for _, index in sorted(moments)]


def _split(whole: int, parts: int) -> list[int]:
    return [whole * (part + 1) // parts - whole * part // parts for part in range(parts)]
