"""Clients on many hosts: docs/analysis.md#many-hosts.

A host is a block, drawn from the hosts that there are. On a host, a client's cost is known but for
the noise of its rounds; between hosts, the ratio of two clients itself may differ. More rounds make
the first smaller, only more hosts the second. So of hosts in general each host is one value, the
mean of its rounds, and all hosts weigh the same.

Student's t is then valid however unlike the hosts are: with unequal variances it errs less often,
not more, at all levels below 8.3 % (Bakirov and Székely, J. of Mathematical Sciences 139, 2006;
Ibragimov and Müller, Journal of Business & Economic Statistics 28, 2010). Weights by the precision
of each host, as meta-analyses use, would be estimated from a few rounds.

A host stops when its own rule tells, sooner where its ratio happens to be far from 1 or its rounds
happen to be alike. So its mean is a little too far out, and its noise seems too small. Two
constants below allow for that; they were chosen by simulation (docs/decisions/0020-fleets.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf, log, nan, sqrt

import numpy as np
from scipy.special import fdtrc

from fetchoff.model.estimate import MINIMUM_ROUNDS, Ranked, Ranking, StoppingRule
from fetchoff.stats.pairs import holm
from fetchoff.stats.ranking import rank
from fetchoff.stats.verdicts import MARGIN, RESOLUTION, doubt, ratio, verdict
from fetchoff.stats.within import Array, as_costs, two_way_levels

LEAST_HOSTS = MINIMUM_ROUNDS
"""Of hosts in general nothing is said with fewer."""

BIAS = 0.2
"""How far a host's mean is out on the average, at most, in standard errors of its own."""

NOISE = 2.0
"""Hosts differ if their means vary more than so many times what their noise explains. That also
makes up for Satterthwaite's degrees of freedom, which are too many where a few hosts have most of
the noise and it happened to be seen too small."""


@dataclass(frozen=True)
class Heterogeneity:
    """What a ratio differs in between hosts: `between`, a standard deviation; `share`, the part of
    the variance of the hosts' means (I²); `p`, that all hosts have the same ratio."""

    hosts: int
    between: float
    share: float
    p: float


def levels_of_host(y: Array) -> Array:
    """The log-costs of the clients of `y[round, client]` on one host, relative to each other.

    NaN for a client with fewer rounds than an interval needs.
    """
    costs = as_costs(y)
    enough = np.isfinite(costs).sum(0) >= MINIMUM_ROUNDS
    return np.where(enough, two_way_levels(np.where(enough, costs, np.nan)), np.nan)


def rank_over_hosts(
    levels: Array,
    *,
    baseline: int,
    alpha: float,
    errors: Array | None = None,
    margin: float = MARGIN,
    resolution: float = RESOLUTION,
) -> Ranking:
    """Rank the clients of `levels[host, client]` on hosts in general, looking once.

    The probability that any two clients that are equal on the average of all hosts are called
    different is at most `alpha`. ValueError with fewer than LEAST_HOSTS hosts.

    `errors[host, client]`: standard errors of the ratios to the baseline, NaN if unknown. Intervals
    are so much wider as hosts that stopped by their own rule may all be out in one direction.
    """
    once = StoppingRule(alpha=alpha, looks=(len(levels),))
    ranking = rank(
        levels, baseline=baseline, rule=once, final=True, margin=margin, resolution=resolution
    )
    if errors is None:
        return ranking
    clients = tuple(
        one if one.client == baseline else _wider(one, errors[:, one.client], margin)
        for one in ranking.clients
    )
    return replace(ranking, clients=clients)


def errors_of_host(y: Array, baseline: int) -> Array:
    """Standard errors of the log-ratios to the baseline of the clients of `y[round, client]` on one
    host. NaN for a client with fewer rounds than an interval needs."""
    counts, _, variances = _ratios_on(as_costs(y), baseline)
    errors: Array = np.sqrt(variances / np.maximum(counts, 1))
    return np.where(counts >= MINIMUM_ROUNDS, errors, np.nan)


def _wider(one: Ranked, errors: Array, margin: float) -> Ranked:
    known = errors[np.isfinite(errors)]
    if not known.size or not (one.ratio.low > 0 and one.ratio.high < inf):
        return one
    bias = BIAS * float(known.mean())
    low, high = log(one.ratio.low) - bias, log(one.ratio.high) + bias
    given = verdict(low, high, margin)
    wider = ratio(log(one.ratio.point), low, high, one.ratio.level)
    return replace(one, ratio=wider, verdict=given, doubt=doubt(given))


def heterogeneity(
    costs: Sequence[Array], baseline: int, *, resolution: float = RESOLUTION
) -> list[Heterogeneity | None]:
    """Of `costs[host][round, client]`: whether each client's ratio to `baseline` differs by host.

    The variance of the hosts' means is compared with that which their rounds explain (Brown and
    Forsythe, Technometrics 16, 1974), hosts weighing the same, with the degrees of freedom of both
    by Satterthwaite (as Mehrotra did, Communications in Statistics 26, 1997). The noise counts
    NOISE times. Cochran's Q weighs hosts by the inverse of variances that five rounds hardly tell,
    and takes them for known.

    None for the baseline, and with fewer than two hosts that have enough rounds of both.
    """
    of_hosts = [_ratios_on(as_costs(y), baseline) for y in costs]
    counts, means, variances = (np.array(part) for part in zip(*of_hosts, strict=True))
    errors = np.maximum(variances / np.maximum(counts, 1), resolution**2)
    enough = counts >= MINIMUM_ROUNDS
    return [
        _between(means[used, client], errors[used, client], counts[used, client] - 1.0)
        if client != baseline and used.sum() > 1
        else None
        for client, used in enumerate(enough.T)
    ]


def _ratios_on(y: Array, baseline: int) -> tuple[Array, Array, Array]:
    """Of each client's log ratios in the rounds of one host: how many, their mean and variance."""
    ratios = y - y[:, [baseline]]
    known = np.isfinite(ratios)
    count = known.sum(0)
    mean = np.where(known, ratios, 0.0).sum(0) / np.maximum(count, 1)
    squares = np.where(known, ratios - mean, 0.0) ** 2
    return count.astype(np.float64), mean, squares.sum(0) / np.maximum(count - 1, 1)


def _between(means: Array, errors: Array, degrees: Array) -> Heterogeneity:
    """Of the hosts' means of one ratio, with their squared standard errors."""
    count = len(means)
    seen, explained = float(means.var(ddof=1)), float(errors.mean())
    squares, total = float((errors**2).sum()), float(errors.sum())
    above = ((1 - 1 / count) * total) ** 2 / (squares * (1 - 2 / count) + (total / count) ** 2)
    below = total**2 / float((errors**2 / degrees).sum())
    return Heterogeneity(
        hosts=count,
        between=sqrt(max(0.0, seen - explained)),
        share=max(0.0, 1 - explained / seen) if seen > 0 else 0.0,
        p=float(fdtrc(above, below, seen / (NOISE * explained))),
    )


def shown_to_differ(found: Sequence[Heterogeneity | None], alpha: float) -> list[bool]:
    """For which of several clients hosts were shown to differ, at one error rate (Holm 1979)."""
    p = np.array([one.p if one is not None else nan for one in found])
    known = np.isfinite(p)
    shown = holm(np.where(known, p, 1.0), alpha, family=int(known.sum()))
    return [bool(flag) for flag in shown]
