"""Pretended fleets: the figures of docs/decisions/0020-fleets.md.

    python -m benches.stats.fleets [--trials N] [--seed N]

Clients cost the same on the average of all hosts. On a host, the log-ratio of two of them has
an effect of that host, and in each round a noise with a standard deviation of 1 %. An error of a
ranking: any two clients are said to differ. An error of the question whether hosts differ: they are
said to, and don't. An interval covers if it holds the true ratio.

Where hosts stop by their own rule, they look after every round from the fifth on, up to 40, each at
its share of the error.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import exp, log1p, sqrt

import numpy as np
from benches.stats.tables import table
from benches.stats.trials import stopped
from numpy.typing import NDArray
from scipy.special import chdtrc, fdtrc, stdtrit

from fetchoff.model.estimate import Estimate, StoppingRule, Verdict
from fetchoff.model.host import PARTS
from fetchoff.stats import heterogeneity, levels_of_host, rank, rank_over_hosts, shown_to_differ
from fetchoff.stats.hosts import errors_of_host

Array = NDArray[np.float64]
Draw = np.random.Generator
ALPHA = 0.01
NOISE = 0.01
HOSTS = (3, 4, 6, 12, 20, 50)
MOST_ROUNDS = StoppingRule().horizon


@dataclass(frozen=True)
class Scenario:
    """`between`: draws an effect for each (host, client); `noise`: of each host's rounds."""

    name: str
    between: Callable[[Draw, int, int], Array]
    noise: Callable[[Draw, int], Array] = lambda _draw, hosts: np.full(hosts, NOISE)


def _none(_draw: Draw, hosts: int, clients: int) -> Array:
    return np.zeros((hosts, clients))


def _normal(share: float) -> Callable[[Draw, int, int], Array]:
    return lambda draw, hosts, clients: draw.normal(0, share, (hosts, clients))


def _camps(draw: Draw, hosts: int, clients: int) -> Array:
    """Half of the clients gain on some hosts what they lose on others, as by an architecture."""
    camp = np.where(np.arange(clients) % 2, 0.05, -0.05)
    return draw.normal(0, 1, (hosts, 1)) * camp + draw.normal(0, 0.01, (hosts, clients))


def _one_odd(draw: Draw, hosts: int, clients: int) -> Array:
    """One host is unlike all others."""
    effects = draw.normal(0, 0.01, (hosts, clients))
    effects[draw.integers(hosts)] *= 20
    return effects


def _skewed(draw: Draw, hosts: int, clients: int) -> Array:
    """A few hosts cost some clients much more: exponential effects."""
    return draw.exponential(0.05, (hosts, clients)) - 0.05


def _unlike(draw: Draw, hosts: int) -> Array:
    """Quiet and noisy hosts, up to 27 times apart."""
    return NOISE * np.exp(draw.uniform(-1, 2.3, hosts))


SCENARIOS = (
    Scenario("no effects", _none),
    Scenario("no effects, unlike noise", _none, _unlike),
    Scenario("5 % between hosts", _normal(0.05)),
    Scenario("5 %, unlike noise", _normal(0.05), _unlike),
    Scenario("two camps", _camps),
    Scenario("one odd host", _one_odd),
    Scenario("skewed, 5 %", _skewed),
)


def fleet(
    scenario: Scenario,
    draw: Draw,
    *,
    hosts: int,
    clients: int,
    rounds: int,
    costs: Array | float = 0.0,
) -> list[Array]:
    """`y[round, client]` of each host; `costs`: true log-costs of the clients, if not equal."""
    machine = draw.normal(0, 1, hosts)
    effects = scenario.between(draw, hosts, clients)
    noise = scenario.noise(draw, hosts)
    return [
        machine[h] + costs + effects[h] + draw.normal(0, noise[h], (rounds, clients))
        for h in range(hosts)
    ]


@dataclass(frozen=True)
class Stopped:
    """Fleets of two clients whose hosts stop when their own rule tells: `ratios[fleet, host,
    round]`, logarithms, of which each host measured the first `rounds[fleet, host]`."""

    ratios: Array
    rounds: Array

    def __iter__(self) -> Iterator[list[Array]]:
        """Each fleet, `y[round, client]` of each host."""
        for ratios, rounds in zip(self.ratios, self.rounds.astype(int), strict=True):
            yield [
                np.column_stack((np.zeros(n), d[:n])) for d, n in zip(ratios, rounds, strict=True)
            ]

    def intervals(self, alpha: float) -> Iterator[Estimate]:
        """Of each fleet, on hosts in general."""
        measured = np.arange(self.ratios.shape[2]) < self.rounds[..., None]
        means = np.where(measured, self.ratios, 0).sum(2) / self.rounds
        squares = np.where(measured, self.ratios - means[..., None], 0) ** 2
        errors = np.sqrt(squares.sum(2) / (self.rounds - 1) / self.rounds)
        for level, error in zip(means, errors, strict=True):
            nothing = np.zeros_like(level)
            ranking = rank_over_hosts(
                np.column_stack((nothing, level)),
                baseline=0,
                alpha=alpha,
                errors=np.column_stack((nothing, error)),
            )
            yield next(one.ratio for one in ranking.clients if one.client == 1)


def as_stopped(
    scenario: Scenario, draw: Draw, trials: int, *, hosts: int, cost: float, alpha: float = ALPHA
) -> Stopped:
    """The second client costs so much more (a log-ratio); hosts are drawn one by one."""
    count = trials * hosts
    first, second = scenario.between(draw, count, 2).T
    noise = scenario.noise(draw, count) * sqrt(2)
    ratios = cost + second - first + draw.normal(0, 1, (MOST_ROUNDS, count)) * noise
    ended = stopped(ratios, 0.0, StoppingRule(alpha / PARTS / hosts)).rounds
    shape = (trials, hosts)
    return Stopped(ratios.T.reshape(*shape, -1), ended.reshape(shape).astype(np.float64))


def by_hosts(found: list[Array], alpha: float = ALPHA) -> bool:
    """Whether our ranking over hosts calls any two clients different."""
    levels = np.array([levels_of_host(y) for y in found])
    return rank_over_hosts(levels, baseline=0, alpha=alpha).pairs_that_differ > 0


def pooled(found: list[Array], alpha: float = ALPHA) -> bool:
    """The same of all rounds of all hosts together, as if hosts were the same."""
    y = np.concatenate(found)
    ranking = rank(y, rule=StoppingRule(alpha, (len(y),)), final=True, baseline=0)
    return ranking.pairs_that_differ > 0


def weighted(found: list[Array], alpha: float = ALPHA) -> bool:
    """Two clients by a random-effects meta-analysis: DerSimonian and Laird (1986), with the
    adjustment of Hartung and Knapp (2001), which takes the hosts' variances for known."""
    d = [y[:, 1] - y[:, 0] for y in found]
    means = np.array([one.mean() for one in d])
    errors = np.array([one.var(ddof=1) / one.size for one in d])
    w = 1 / errors
    q = float((w * (means - (w @ means) / w.sum()) ** 2).sum())
    tau2 = max(0.0, (q - (len(d) - 1)) / (w.sum() - (w**2).sum() / w.sum()))
    v = 1 / (errors + tau2)
    mean = float(v @ means / v.sum())
    error = sqrt(float((v * (means - mean) ** 2).sum()) / (len(d) - 1) / v.sum())
    return bool(abs(mean) > -stdtrit(len(d) - 1, alpha / 2) * error)


def cochran(found: list[Array]) -> float:
    """The p-value of Cochran's Q, which takes the hosts' variances for known."""
    d = [y[:, 1] - y[:, 0] for y in found]
    means = np.array([one.mean() for one in d])
    w = 1 / np.array([one.var(ddof=1) / one.size for one in d])
    q = float((w * (means - (w @ means) / w.sum()) ** 2).sum())
    return float(chdtrc(len(d) - 1, q))


def welch(found: list[Array]) -> float:
    """The p-value of Welch (1951), which weighs hosts by their precision as well."""
    d = [y[:, 1] - y[:, 0] for y in found]
    count = len(d)
    means = np.array([one.mean() for one in d])
    w = 1 / np.array([one.var(ddof=1) / one.size for one in d])
    lost = sum((1 - w / w.sum()) ** 2 / np.array([one.size - 1 for one in d]))
    centre = (w @ means) / w.sum()
    f = (w * (means - centre) ** 2).sum() / (count - 1)
    f /= 1 + 2 * (count - 2) * lost / (count**2 - 1)
    return float(fdtrc(count - 1, (count**2 - 1) / (3 * lost), f))


def ours(found: list[Array]) -> float:
    _, judged = heterogeneity(found, 0)
    assert judged is not None
    return judged.p


def rankings(trials: int, seed: int) -> Iterator[list[str]]:
    """Errors of rankings of equal clients, for each scenario and number of hosts."""
    for scenario in SCENARIOS:
        for hosts in HOSTS:
            draw = np.random.default_rng([seed, hosts])
            counts = np.zeros(4)
            for _ in range(trials):
                two = fleet(scenario, draw, hosts=hosts, clients=2, rounds=5)
                ten = fleet(scenario, draw, hosts=hosts, clients=10, rounds=5)
                counts += [by_hosts(two), by_hosts(ten), weighted(two), pooled(two)]
            yield [scenario.name, str(hosts), *(f"{100 * c / trials:.1f}" for c in counts)]


def questions(trials: int, seed: int) -> Iterator[list[str]]:
    """Errors and power of the question whether hosts differ."""
    quiet, unlike, apart = SCENARIOS[0], SCENARIOS[1], Scenario("", _normal(0.03))
    for rounds in (5, 20):
        for hosts in HOSTS:
            draw = np.random.default_rng([seed, hosts, rounds])
            row = []
            for scenario in (quiet, unlike, apart):
                found = [
                    fleet(scenario, draw, hosts=hosts, clients=2, rounds=rounds)
                    for _ in range(trials)
                ]
                tests = (ours, welch, cochran) if scenario is not apart else (ours,)
                row += [100 * float(np.mean([test(y) < ALPHA for y in found])) for test in tests]
            yield [str(rounds), str(hosts), *(f"{value:.1f}" for value in row)]


COSTS = (0.005, 0.01, 0.015, 0.02, 0.05, 0.1)
"""How much more the second client costs, where hosts stop: by noise of 1 %, the first four keep
them measuring longest."""


def questions_of_stopped(trials: int, seed: int) -> Iterator[list[str]]:
    """Errors of the question whether hosts differ, where they stop by their own rule: in % at 1 %,
    and at a third of it."""
    for scenario in SCENARIOS[:2]:
        for hosts in HOSTS:
            row = []
            for cost in COSTS:
                draw = np.random.default_rng([seed, hosts, round(1000 * cost)])
                found = as_stopped(scenario, draw, trials, hosts=hosts, cost=log1p(cost))
                p = [ours(y) for y in found]
                shares = (100 * float(np.mean(np.array(p) < level)) for level in LEVELS)
                row.append(" / ".join(f"{share:.1f}" for share in shares))
            yield [scenario.name, str(hosts), *row]


LEVELS = (ALPHA, ALPHA / PARTS)


def families(trials: int, seed: int) -> Iterator[list[str]]:
    """How often hosts that are the same are said to differ in any of many clients, at a third of
    1 % for all of them, in %."""
    for scenario in SCENARIOS[:2]:
        for hosts in HOSTS:
            draw = np.random.default_rng([seed, hosts, 3])
            row = []
            for clients in (2, 10, 20, 50):
                more = {"hosts": hosts, "clients": clients, "rounds": 5}
                shown = [any_differs(fleet(scenario, draw, **more)) for _ in range(trials)]
                row.append(f"{100 * float(np.mean(shown)):.2f}")
            yield [scenario.name, str(hosts), *row]


def any_differs(found: list[Array], alpha: float = ALPHA / PARTS) -> bool:
    """Whether hosts are said to differ in any client, at one error rate for all."""
    return any(shown_to_differ(heterogeneity(found, 0), alpha))


def coverages_of_stopped(trials: int, seed: int) -> Iterator[list[str]]:
    """How often the interval on hosts in general, at a third of 1 %, misses the true ratio of two
    clients where hosts stop by their own rule, in %."""
    for scenario in (*SCENARIOS[:2], Scenario("1 % between hosts", _normal(0.01))):
        for hosts in HOSTS:
            row = []
            for cost in COSTS:
                draw = np.random.default_rng([seed, hosts, round(1000 * cost), 4])
                true = log1p(cost)
                found = as_stopped(scenario, draw, trials, hosts=hosts, cost=true)
                missed = [not one.contains(exp(true)) for one in found.intervals(ALPHA / PARTS)]
                row.append(f"{100 * float(np.mean(missed)):.2f}")
            yield [scenario.name, str(hosts), *row]


def power(trials: int, seed: int) -> Iterator[list[str]]:
    """How often one of two clients is shown to be faster on hosts in general."""
    for between in (0.0, 0.02, 0.05):
        for hosts in HOSTS:
            draw = np.random.default_rng([seed, hosts])
            row = []
            for cost in (0.05, 0.2, 0.5):
                scenario = Scenario("", _normal(between / sqrt(2)))
                shown = 0
                for _ in range(trials):
                    y = fleet(
                        scenario,
                        draw,
                        hosts=hosts,
                        clients=2,
                        rounds=5,
                        costs=np.array([0.0, cost]),
                    )
                    levels = np.array([levels_of_host(one) for one in y])
                    errors = np.array([errors_of_host(one, 0) for one in y])
                    ranking = rank_over_hosts(levels, baseline=0, alpha=ALPHA / 3, errors=errors)
                    other = next(one for one in ranking.clients if one.client == 1)
                    shown += other.verdict is Verdict.SLOWER
                row.append(f"{100 * shown / trials:.0f}")
            yield [f"{100 * between:.0f} %", str(hosts), *row]


def coverages(trials: int, seed: int) -> Iterator[list[str]]:
    """How often all intervals of a ranking over hosts hold the true ratios: of two clients, and of
    ten, where one that misses counts."""
    for scenario in SCENARIOS:
        for hosts in HOSTS:
            draw = np.random.default_rng([seed, hosts, 2])
            row = []
            for clients in (2, 10):
                kept = sum(_are_kept(scenario, draw, hosts, clients) for _ in range(trials))
                row.append(f"{100 * kept / trials:.1f}")
            yield [scenario.name, str(hosts), *row]


def _are_kept(scenario: Scenario, draw: Draw, hosts: int, clients: int) -> bool:
    found = fleet(scenario, draw, hosts=hosts, clients=clients, rounds=5)
    levels = np.array([levels_of_host(y) for y in found])
    errors = np.array([errors_of_host(y, 0) for y in found])
    ranking = rank_over_hosts(levels, baseline=0, alpha=ALPHA, errors=errors)
    others = [one.ratio for one in ranking.clients if one.client != 0]
    return all(ratio.contains(1.0) for ratio in others)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--trials", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only-coverage", action="store_true")
    parser.add_argument("--only-stopped", action="store_true", help="and many clients")
    arguments = parser.parse_args()
    trials, seed = arguments.trials, arguments.seed
    covered = ("noise", "hosts", "2 clients", "10 clients")
    if arguments.only_coverage:
        table(covered, coverages(trials, seed))
        return
    of_costs = ("noise", "hosts", *(f"{100 * cost:g} %" for cost in COSTS))
    of_clients = ("noise", "hosts", "2 clients", "10 clients", "20 clients", "50 clients")
    table(of_costs, questions_of_stopped(trials, seed))
    table(of_clients, families(trials, seed))
    table(of_costs, coverages_of_stopped(trials, seed))
    if arguments.only_stopped:
        return
    heads = ("noise", "hosts", "2 clients", "10 clients", "weighted", "pooled")
    table(heads, rankings(trials, seed))
    of_hosts = ("ours", "Welch", "Cochran")
    more = ("rounds", "hosts", *of_hosts, *(f"unlike: {name}" for name in of_hosts), "3 %: found")
    table(more, questions(trials, seed))
    table(covered, coverages(trials, seed))
    steps = ("between hosts", "hosts", "5 %", "20 %", "50 %")
    table(steps, power(trials, seed))


if __name__ == "__main__":
    main()
