"""The interval of a ratio over several rounds of fresh processes."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, inf

import numpy as np
from numpy.typing import NDArray

from fetchoff.model.estimate import Estimate
from fetchoff.stats import student

LEVEL = 0.95


def ratio_of(logs: Sequence[float] | NDArray[np.float64], level: float = LEVEL) -> Estimate:
    """Student's interval of log ratios, one per round; a single round has none."""
    values = np.asarray(logs, dtype=np.float64)
    mean = float(values.mean())
    if values.size < 2:
        return Estimate(exp(mean), 0.0, inf, level)
    half = student.critical(1 - level, values.size - 1) * float(values.std(ddof=1))
    half /= values.size**0.5
    return Estimate(exp(mean), exp(mean - half), exp(mean + half), level)


def in_words(ratio: Estimate) -> str:
    """`×1.002 (0.997 to 1.007)`."""
    return f"×{ratio.point:.4f} ({ratio.low:.4f} to {ratio.high:.4f})"


def is_within(ratio: Estimate, margin: float) -> bool:
    """Whether the whole interval is this near to 1."""
    return ratio.low >= 1 - margin and ratio.high <= 1 + margin
