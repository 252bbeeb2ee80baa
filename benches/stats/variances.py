"""Compare variances for the pairs of many clients: the figures of docs/decisions/0002-*.md.

    python -m benches.stats.variances [--trials N] [--rounds N] [--seed N]

Each cell, at a family-wise 1 % and one look: trials in which any two clients were said to differ
when all are equal; and the share of the pairs found when they lie 3 % apart.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import numpy as np
from benches.stats.tables import table
from scipy.special import stdtr

from fetchoff.stats.pairs import holm
from fetchoff.stats.shrinkage import Shrunk, shrink

ALPHA = 0.01
STEP = 0.03
NEVER = 1e-300
TestOfPairs = Callable[[np.ndarray], np.ndarray]


def pair_differences(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Means and variances over rounds of all pairs."""
    a, b = np.triu_indices(y.shape[1], 1)
    d = y[:, b] - y[:, a]
    return d.mean(0), d.var(0, ddof=1)


def p_values(mean: np.ndarray, error2: np.ndarray, degrees: np.ndarray | float) -> np.ndarray:
    p: np.ndarray = 2 * stdtr(degrees, -np.abs(mean) / np.sqrt(np.maximum(error2, 1e-30)))
    return p


def plain(y: np.ndarray) -> np.ndarray:
    """Student's t of each pair alone."""
    mean, variance = pair_differences(y)
    return p_values(mean, variance / len(y), len(y) - 1)


def pooled(y: np.ndarray) -> np.ndarray:
    """One variance for all: the two-way analysis of variance."""
    mean, variance = pair_differences(y)
    clients = y.shape[1]
    error2 = np.full_like(variance, variance.mean() / len(y))
    return p_values(mean, error2, (clients - 1) * (len(y) - 1))


def by_client(y: np.ndarray) -> np.ndarray:
    """A moderated variance for each client from the two-way residuals, pairs by Satterthwaite."""
    rounds, clients = y.shape
    mean, _ = pair_differences(y)
    residuals = y - y.mean(0)
    residuals = residuals - np.median(residuals, axis=1, keepdims=True)
    own = residuals.var(0, ddof=1)
    found = shrink(own, np.full(clients, rounds - 1.0), clients=clients, ordinary=NEVER)
    a, b = np.triu_indices(clients, 1)
    va, vb, da, db = (x[i] for x in (found.variances, found.degrees) for i in (a, b))
    return p_values(mean, (va + vb) / rounds, (va + vb) ** 2 / (va**2 / da + vb**2 / db))


def by_pair(y: np.ndarray) -> np.ndarray:
    """The variances of the pairs, moderated, however large they are."""
    return _moderated(y, lambda _own, moderated: moderated)


def larger(y: np.ndarray) -> np.ndarray:
    """The same, but a pair's own variance and degrees of freedom where that is the larger one."""

    def choose(own: Shrunk, moderated: Shrunk) -> Shrunk:
        grows = own.variances > moderated.variances
        return Shrunk(
            np.where(grows, own.variances, moderated.variances),
            np.where(grows, own.degrees, moderated.degrees),
        )

    return _moderated(y, choose)


def _moderated(y: np.ndarray, choose: Callable[[Shrunk, Shrunk], Shrunk]) -> np.ndarray:
    mean, variance = pair_differences(y)
    degrees = np.full(variance.size, len(y) - 1.0)
    every = shrink(variance, degrees, clients=y.shape[1], ordinary=NEVER)
    found = choose(Shrunk(variance, degrees), every)
    return p_values(mean, found.variances / len(y), found.degrees)


def chosen_one(y: np.ndarray) -> np.ndarray:
    """The same, but large variances are shrunk less or not at all, as Fetchoff does."""
    mean, variance = pair_differences(y)
    degrees = np.full(variance.size, len(y) - 1.0)
    found = shrink(variance, degrees, clients=y.shape[1])
    return p_values(mean, found.variances / len(y), found.degrees)


METHODS: dict[str, TestOfPairs] = {
    "plain t": plain,
    "one pooled variance": pooled,
    "moderated by client": by_client,
    "moderated by pair": by_pair,
    "own where larger": larger,
    "**less for large ones**": chosen_one,
}


def noise(kind: str, rounds: int, clients: int, rng: np.random.Generator) -> np.ndarray:
    """Log-costs of rounds of pure noise, with mean 0 and a standard deviation around 1 %."""
    shape = (rounds, clients)
    unlike = 0.01 * np.exp(rng.normal(0, 0.6, clients))
    normal = rng.standard_normal(shape)
    last = np.arange(clients)[::-1]
    match kind:
        case "alike":
            return 0.01 * normal
        case "unlike clients":
            return unlike * normal
        case "a noisy third":
            return np.where(last < clients // 3, 0.03, 0.005) * normal
        case "two quiet ones":
            return np.where(last < 2, 0.001, 0.02) * normal
        case "heavy tails":
            return np.asarray(unlike * rng.standard_t(3, shape) / np.sqrt(3))
        case "spikes":
            return unlike * (normal + 20 * ((rng.random(shape) < 0.02) - 0.02))
        case "two layouts":
            return 0.003 * normal + 0.02 * ((rng.random(shape) < 0.3) - 0.3)
        case "two camps":
            camp = np.where(last % 2, 0.02, -0.02)
            return 0.01 * normal + camp * rng.standard_normal((rounds, 1))
        case "two wild ones":
            return 0.01 * normal + 0.25 * (last < 2) * (rng.standard_exponential(shape) - 1)
        case "a quarter with modes":
            dear = (rng.random(shape) < 0.2) - 0.2
            return 0.01 * normal + 0.10 * (last < round(clients / 4)) * dear
    raise ValueError(kind)


KINDS = (
    *("alike", "unlike clients", "a noisy third", "two quiet ones", "heavy tails", "spikes"),
    *("two layouts", "two camps", "two wild ones", "a quarter with modes"),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trials", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    print(f"seed {chosen.seed}\n")
    rng = np.random.default_rng(chosen.seed)
    rows = (
        [clients, kind, *cells_of(kind, chosen.rounds, clients, chosen.trials, rng)]
        for clients in (4, 10, 30)
        for kind in KINDS
    )
    table(["clients", "noise", *METHODS], rows)


def cells_of(
    kind: str, rounds: int, clients: int, trials: int, rng: np.random.Generator
) -> list[str]:
    counted = {name: np.zeros(2) for name in METHODS}
    ladder = STEP * np.arange(clients)
    for _ in range(trials):
        y = noise(kind, rounds, clients, rng)
        for name, test in METHODS.items():
            equal, apart = (
                holm(p, ALPHA, family=p.size) for p in (test(y), test(y + rng.permutation(ladder)))
            )
            counted[name] += equal.any(), apart.mean()
    shares = {name: 100 * counts / trials for name, counts in counted.items()}
    return [f"{equal:.1f}, {found:.0f}" for equal, found in shares.values()]


if __name__ == "__main__":
    main()
