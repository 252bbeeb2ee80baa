"""From blocks to rounds: one figure a round for a pair, or for each client.

Costs are logarithms, `y[round, block, client]`, NaN where there is none.
See docs/analysis.md#ratios-and-intervals.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from fetchoff.model.estimate import Spread

Array = NDArray[np.float64]

TRIMMED_SHARE = 0.2
FITTING_STEPS = 4
GAP_TO_SIGMA = 1.0483580
"""1 / (sqrt(2) x 0.6745): the median of |x - x'| to the standard deviation, for normal values."""


class Centre(StrEnum):
    HODGES_LEHMANN = "hodges-lehmann"
    TRIMMED_MEAN = "trimmed-mean"


def hodges_lehmann(values: Array) -> Array:
    """Median of the Walsh averages (v[i] + v[j]) / 2, i <= j, of the last axis; NaN is left out."""
    first, second = np.triu_indices(values.shape[-1])
    return _median((values[..., first] + values[..., second]) / 2)


def trimmed_mean(values: Array) -> Array:
    """Mean of the last axis without the lowest and the highest 20 %; NaN is left out."""
    ordered = np.sort(values, axis=-1)  # NaN comes last
    count = np.isfinite(values).sum(-1, keepdims=True)
    cut = np.floor(TRIMMED_SHARE * count)
    place = np.arange(values.shape[-1])
    kept = (place >= cut) & (place < count - cut)
    total = np.where(kept, ordered, 0.0).sum(-1)
    return _divide(total, kept.sum(-1))


CENTRES: dict[Centre, Callable[[Array], Array]] = {
    Centre.HODGES_LEHMANN: hodges_lehmann,
    Centre.TRIMMED_MEAN: trimmed_mean,
}


def pair_differences(y: Array, a: int, b: int, *, centre: Centre = Centre.HODGES_LEHMANN) -> Array:
    """log(cost of b / cost of a) in each round: the robust centre of the differences in its blocks.

    NaN where fewer than half of the blocks have both.
    """
    blocks = block_differences(y, a, b)
    enough = 2 * np.isfinite(blocks).sum(-1) >= max(blocks.shape[-1], 1)
    return np.where(enough, CENTRES[centre](blocks), np.nan)


def block_differences(y: Array, a: int, b: int) -> Array:
    checked = as_costs(y)
    return checked[..., b] - checked[..., a]


def round_scores(y: Array, *, centre: Centre = Centre.HODGES_LEHMANN) -> Array:
    """`x[round, client]`: what a client cost in a round, without what its blocks had in common.

    Only differences between the clients of one round mean anything, and for two clients they are
    those of `pair_differences`. A block's common part is the median over its clients of what is
    left when their own level is taken away; levels and common parts are fitted in turn, beginning
    with least squares. NaN where a client has fewer than half of its blocks.
    """
    costs = as_costs(y)
    clients = costs.shape[-1]
    enough = 2 * np.isfinite(costs).sum(1) >= max(costs.shape[1], 1)
    costs = np.where(enough[:, None, :], costs, np.nan)
    if clients > 1:
        shared = np.isfinite(costs).sum(-1, keepdims=True) > 1
        costs = np.where(shared, costs, np.nan)
    scores = two_way_levels(costs)
    for _ in range(FITTING_STEPS if clients > 1 else 0):
        common = _median(costs - scores[:, None, :])
        scores = CENTRES[centre](np.swapaxes(costs - common[:, :, None], 1, 2))
    return scores


def two_way_levels(values: Array) -> Array:
    """Least-squares effects of the last axis, in a fit of effects of the last two axes.

    Effects are relative to each other. NaN where a member of the last axis has no value.
    """
    present = np.isfinite(values)
    if values.size and present.all():
        means: Array = (values - values.mean(-1, keepdims=True)).mean(-2)
        return means
    weight = present.astype(np.float64)
    known = np.where(present, values, 0.0)
    count = np.maximum(weight.sum(-1, keepdims=True), 1.0)
    turned = np.swapaxes(weight, -1, -2)
    own = weight.sum(-2)[..., None] * np.eye(values.shape[-1])
    left = own - turned @ (weight / count)
    right = known.sum(-2)[..., None] - turned @ (known.sum(-1, keepdims=True) / count)
    effects = (np.linalg.pinv(left, hermitian=True) @ right)[..., 0]
    return np.where(present.any(-2), effects, np.nan)


def as_costs(y: Array) -> Array:
    """`y` as floats of shape (rounds, blocks, clients), everything that is not a number as NaN."""
    costs = np.asarray(y, dtype=np.float64)
    if costs.ndim != 3:
        raise ValueError(f"costs need the axes round, block, client; got shape {costs.shape}")
    return np.where(np.isfinite(costs), costs, np.nan)


def spread(values: Array) -> Spread:
    """Of all finite values; NaN with fewer than two."""
    return spread_in_rounds(values[None, :])


def spread_in_rounds(blocks: Array) -> Spread:
    """Of the blocks of a round, over all rounds: `blocks[round, block]`; NaN without any pair.

    The robust one is the median of |v[i] - v[j]|, i < j within a round, scaled to be a standard
    deviation for normal values (Bickel and Lehmann, Annals of Statistics 1979).
    """
    count = np.isfinite(blocks).sum(-1)
    degrees = int(np.maximum(count - 1, 0).sum())
    if degrees == 0:
        return Spread(float("nan"), float("nan"))
    first, second = np.triu_indices(blocks.shape[-1], 1)
    gaps = np.abs(blocks[..., first] - blocks[..., second])
    residuals = blocks - _divide(np.nansum(blocks, -1), count)[..., None]
    return Spread(
        robust=GAP_TO_SIGMA * float(np.nanmedian(gaps)),
        raw=float(np.sqrt(np.nansum(residuals**2) / degrees)),
    )


def _median(values: Array) -> Array:
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", RuntimeWarning
        )  # a slice without any value is NaN, as wanted
        result: Array = np.nanmedian(values, axis=-1)
    return result


def _divide(total: Array, count: NDArray[np.int64]) -> Array:
    missing = np.full(total.shape, np.nan)
    quotient: Array = np.divide(total, count, out=missing, where=count > 0)
    return quotient
