"""Every pair of a course's ranked clients, as the ranking of the whole run judged it."""

from __future__ import annotations

from array import array
from dataclasses import dataclass


@dataclass(frozen=True)
class Pairwise:
    """All pairs of the clients of one course, by one clock.

    `clients`: those that are ranked, the cheapest first. The other sequences have one entry for
    each pair i < j of them, row by row: (0, 1), (0, 2), …, (1, 2), … `differences`: the mean of
    log(cost of j ÷ cost of i) over their common rounds, NaN without any. `below` and `above`: how
    far the interval reaches to either side, infinite with too few rounds; the intervals of all
    pairs hold at the same time, with probability `level`. `shown`: 1 where i was shown to be
    cheaper than j, with the same error for all `tests` pairs together, and clocks are not further
    apart than the two clients.
    """

    clients: tuple[str, ...]
    tests: int
    level: float
    differences: array[float]
    below: array[float]
    above: array[float]
    shown: bytes

    def place(self, i: int, j: int) -> int:
        """Where the pair i < j stands in the sequences."""
        return i * len(self.clients) - i * (i + 1) // 2 + j - i - 1
