"""Find clients whose arithmetic mean over processes is far above their geometric one:
docs/analysis.md#absolute-costs.

The two differ by about half the variance of the logarithms. So they are apart only where processes
of one client differ by 20 % and more, and then what is paid over many processes, total ÷ total, is
more than the geometric mean that ratios compare.
"""

from __future__ import annotations

from math import expm1, log

import numpy as np
from scipy.special import fdtrc

from fetchoff.model.estimate import MINIMUM_ROUNDS
from fetchoff.stats.within import Array, as_costs

NOTABLE = 0.02
LEVEL = 0.01  # over all clients
ENOUGH_TO_SHARE = 4  # clients of a round, to tell what they have in common


def above_geometric(y: Array, client: int) -> float | None:
    """By what share the arithmetic mean of a client of `y[round, client]` is above its geometric
    mean; None where that is less than `NOTABLE`, or chance explains it.

    Chance is what the others show on the same rounds: their median variance, and what it comes to,
    is noise of the machine. The variance must be larger by an F test at `LEVEL`, shared among all
    clients. With few clients, the noise that they have in common counts in full.
    """
    known = [r[np.isfinite(r)] for r in _residuals(as_costs(y)).T]
    own, others = known[client], [r for i, r in enumerate(known) if i != client]
    others = [r for r in others if r.size >= MINIMUM_ROUNDS]
    if own.size < MINIMUM_ROUNDS or not others:
        return None
    more = _excess(own) - float(np.median([_excess(r) for r in others]))
    noise = float(np.median([r.var(ddof=1) for r in others]))
    degrees = float(np.median([r.size - 1 for r in others]))
    if more <= log(1 + NOTABLE) or noise <= 0:
        return None
    p = float(fdtrc(own.size - 1, degrees, own.var(ddof=1) / noise))
    return expm1(more) if p < LEVEL / len(known) else None


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


def _excess(logs: Array) -> float:
    """Of the logarithm of the arithmetic mean over that of the geometric one."""
    return float(np.log(np.exp(logs).mean()) - logs.mean())
