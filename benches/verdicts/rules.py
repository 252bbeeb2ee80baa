"""Rules by which rivals tell from the wall times of whole processes whether B differs from A."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

import numpy as np
from benches.verdicts.trials import Told
from numpy.typing import NDArray

from fetchoff.stats import student

SIGNIFICANCE, CONFIDENCE, NOISE = 0.05, 0.95, 0.01  # criterion's defaults, as are these:
RESAMPLES, LEAST_SAMPLE = 100_000, 10
AT_ONCE = 1_000_000  # drawn values that are held in memory


def paired(a: Sequence[float], b: Sequence[float], alpha: float) -> Told:
    """Student's test on the log ratios of neighbours."""
    logs = [math.log(of_b / of_a) for of_a, of_b in zip(a, b, strict=True)]
    half = student.critical(alpha, len(logs) - 1) * statistics.stdev(logs) / len(logs) ** 0.5
    return _told(statistics.mean(logs), half)


def welch(a: Sequence[float], b: Sequence[float], alpha: float) -> Told:
    """Welch's test on the logarithms of two samples."""
    logs = [[math.log(value) for value in side] for side in (a, b)]
    variances = [statistics.variance(side) / len(side) for side in logs]
    degrees = sum(variances) ** 2 / sum(
        v**2 / (len(side) - 1) for v, side in zip(variances, logs, strict=True)
    )
    point = statistics.mean(logs[1]) - statistics.mean(logs[0])
    return _told(point, student.critical(alpha, degrees) * sum(variances) ** 0.5)


def _told(point: float, half: float) -> Told:
    verdict = "slower" if point > half else "faster" if -point > half else "undecided"
    low, ratio, high = (math.exp(point + sign * half) for sign in (-1, 0, 1))
    return Told(verdict, ratio, low, high)


def criterion(
    a: Sequence[float],
    b: Sequence[float],
    seed: int,
    *,
    noise: float = NOISE,
    resamples: int = RESAMPLES,
) -> Told:
    """What criterion.rs says of a new sample `b` beside a saved one `a`.

    A change is told if the means differ (p < 0.05, by a bootstrapped t) and the interval of their
    ratio (95 %, percentiles of the bootstrap) is on one side of all that is noise, ±1 %. Smaller
    samples than of ten are refused; here they say nothing.

    Source: criterion.rs 0.7.0, `src/analysis/compare.rs` and `compare_to_threshold` in
    `src/report.rs`; defaults in `src/lib.rs` (the book calls 2 % the default noise threshold; the
    code has 1 %); explained at https://bheisler.github.io/criterion.rs/book/analysis.html.
    """
    old, new = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    ratio = float(new.mean() / old.mean())
    if min(old.size, new.size) < LEAST_SAMPLE:
        return Told("undecided", ratio, 0.0, math.inf)
    draw = np.random.default_rng(seed)
    is_different = p_value(old, new, draw, resamples) < SIGNIFICANCE
    low, high = _interval(old, new, draw, resamples)
    is_slower, is_faster = low > 1 + noise, high < 1 - noise
    verdict = "slower" if is_slower else "faster" if is_faster else "undecided"
    return Told(verdict if is_different else "undecided", ratio, low, high)


def p_value(
    old: NDArray[np.float64], new: NDArray[np.float64], draw: np.random.Generator, resamples: int
) -> float:
    """How rarely two samples that are both drawn from all values have a t as far out. Two-sided."""
    both, drawn = np.concatenate([new, old]), []
    for count in _portions(resamples, both.size):
        values = _resampled(both, count, draw)
        drawn.append(_t(values[:, : new.size], values[:, new.size :]))
    ts = np.concatenate(drawn)
    ts = ts[np.isfinite(ts)]  # samples of one value each have none
    below = np.count_nonzero(ts < _t(new[None, :], old[None, :]))
    return 2 * min(below, ts.size - below) / ts.size if ts.size else 1.0


def _t(new: NDArray[np.float64], old: NDArray[np.float64]) -> NDArray[np.float64]:
    """Welch's t of samples in rows."""
    errors = [side.var(axis=1, ddof=1) / side.shape[1] for side in (new, old)]
    with np.errstate(divide="ignore", invalid="ignore"):
        t: NDArray[np.float64] = (new.mean(axis=1) - old.mean(axis=1)) / np.sqrt(sum(errors))
    return t


def _interval(
    old: NDArray[np.float64], new: NDArray[np.float64], draw: np.random.Generator, resamples: int
) -> tuple[float, float]:
    """Of the ratio of means. As criterion does it, each resample of the new sample, of which it
    makes but the root of `resamples`, meets many of the old one's."""
    few = math.ceil(resamples**0.5)
    each = math.ceil(resamples / few)
    of_new = np.repeat(_means(new, few, draw), each)[:resamples]
    ratios = of_new / _means(old, resamples, draw)
    low, high = np.quantile(ratios, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return float(low), float(high)


def _means(
    sample: NDArray[np.float64], resamples: int, draw: np.random.Generator
) -> NDArray[np.float64]:
    return np.concatenate(
        [
            _resampled(sample, count, draw).mean(axis=1)
            for count in _portions(resamples, sample.size)
        ]
    )


def _resampled(
    sample: NDArray[np.float64], count: int, draw: np.random.Generator
) -> NDArray[np.float64]:
    """So many samples of the same size in rows, drawn with replacement."""
    return sample[draw.integers(sample.size, size=(count, sample.size))]


def _portions(resamples: int, size: int) -> list[int]:
    """`resamples` in parts of which each fits into memory."""
    most = max(1, AT_ONCE // size)
    return [min(most, resamples - done) for done in range(0, resamples, most)]
