"""Find clients whose arithmetic mean over processes is far above their geometric one:
docs/analysis.md#absolute-costs.

The two differ by about half the variance of the logarithms. So they are apart only where processes
of one client differ by 20 % and more, and then what is paid over many processes, total ÷ total, is
more than the geometric mean that ratios compare.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import expm1, log

import numpy as np
from scipy.special import fdtrc

from fetchoff.model.estimate import MINIMUM_ROUNDS
from fetchoff.stats.within import Array, as_costs

NOTABLE = 0.02
LEVEL = 0.01  # over all clients
ENOUGH_TO_SHARE = 4  # clients of a round, to tell what they have in common


def above_geometric(y: Array) -> tuple[float | None, ...]:
    """By what share the arithmetic mean of each client of `y[round, client]` is above its geometric
    mean; None where that is less than `NOTABLE`, or chance explains it.

    Chance is what the others show on the same rounds: their median variance, and what it comes to,
    is noise of the machine. The variance must be larger by an F test at `LEVEL`, shared among all
    clients. With few clients, the noise that they have in common counts in full.
    """
    spreads = _Spreads.of(_residuals(as_costs(y)))
    return tuple(spreads.more_of(client) for client in range(y.shape[1]))


@dataclass(frozen=True)
class _Spreads:
    """Of each client: how many values it has, their variance, and by what the logarithm of the
    arithmetic mean of their exponentials is above that of the geometric one. All are computed at
    once: with hundreds of clients, one at a time took most of an analysis."""

    sizes: Array
    variances: Array
    excesses: Array

    @classmethod
    def of(cls, residuals: Array) -> _Spreads:
        """NaN where a client has too few values."""
        sizes = np.isfinite(residuals).sum(0)
        known = residuals[:, sizes >= MINIMUM_ROUNDS]
        variances, excesses = np.full((2, sizes.size), np.nan)
        if known.size:
            logs = np.log(np.nanmean(np.exp(known), 0)) - np.nanmean(known, 0)
            excesses[sizes >= MINIMUM_ROUNDS] = logs
            variances[sizes >= MINIMUM_ROUNDS] = np.nanvar(known, 0, ddof=1)
        return cls(sizes, variances, excesses)

    def more_of(self, client: int) -> float | None:
        """What `above_geometric` says of one."""
        others = self.sizes >= MINIMUM_ROUNDS
        if not others[client]:
            return None
        others[client] = False
        if not others.any():
            return None
        more = float(self.excesses[client] - np.median(self.excesses[others]))
        noise = float(np.median(self.variances[others]))
        degrees = float(np.median(self.sizes[others] - 1))
        if more <= log(1 + NOTABLE) or noise <= 0:
            return None
        p = float(fdtrc(self.sizes[client] - 1, degrees, self.variances[client] / noise))
        return expm1(more) if p < LEVEL / self.sizes.size else None


def _residuals(costs: Array) -> Array:
    """Costs without each client's median and what the clients of a round have in common."""
    present = np.isfinite(costs)
    own = costs - _medians(costs, 0)[None, :]
    common = np.where(present.sum(1) >= ENOUGH_TO_SHARE, _medians(own, 1), 0.0)
    result: Array = own - common[:, None]
    return result


def _medians(values: Array, axis: int) -> Array:
    """NaN where there is no value."""
    some = np.isfinite(values).any(axis)
    medians = np.full(some.shape, np.nan)
    medians[some] = np.nanmedian(np.compress(some, values, 1 - axis), axis)
    return medians
