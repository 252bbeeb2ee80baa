"""Shares that something keeps below."""

from __future__ import annotations

import math

from fetchoff.report.wording.figures import MISSING, percent

MOST = 10  # times: a bound that far off says nothing


def at_most(share: float) -> str:
    """`1.1 %`, `17 %`: rounded up, so that it still holds."""
    if not math.isfinite(share) or share >= MOST:
        return MISSING
    digits = 1 if share < 0.1 else 0
    steps = share * 10 ** (digits + 2)
    return percent(math.ceil(round(steps, 9)) / 10 ** (digits + 2), digits)
