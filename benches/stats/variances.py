"""Which variance for the pairs of many clients? The figures of docs/decisions/0002-*.md.

    python benches/stats/variances.py [--trials N] [--rounds N] [--seed N]

Each cell, at a family-wise 1 % and one look: trials in which any two clients were said to differ
that do not, when all are equal / when they are equal in threes; and the share of the pairs found
when the clients lie 3 % apart.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import numpy as np
from scipy.special import stdtr

from fetchoff.stats.moderation import moderate
from fetchoff.stats.pairs import holm

ALPHA = 0.01
STEP = 0.03
APART = 0.08
TestOfPairs = Callable[[np.ndarray], np.ndarray]


def pair_differences(scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Means and variances over rounds of all pairs."""
    a, b = np.triu_indices(scores.shape[1], 1)
    d = scores[:, b] - scores[:, a]
    return d.mean(0), d.var(0, ddof=1)


def p_values(mean: np.ndarray, error2: np.ndarray, degrees: np.ndarray | float) -> np.ndarray:
    return 2 * stdtr(degrees, -np.abs(mean) / np.sqrt(np.maximum(error2, 1e-30)))


def plain(scores: np.ndarray) -> np.ndarray:
    """Student's t of each pair alone."""
    mean, variance = pair_differences(scores)
    return p_values(mean, variance / len(scores), len(scores) - 1)


def pooled(scores: np.ndarray) -> np.ndarray:
    """One variance for all: the two-way analysis of variance."""
    mean, variance = pair_differences(scores)
    clients = scores.shape[1]
    error2 = np.full_like(variance, variance.mean() / len(scores))
    return p_values(mean, error2, (clients - 1) * (len(scores) - 1))


def by_client(scores: np.ndarray) -> np.ndarray:
    """A moderated variance for each client from the two-way residuals, pairs by Satterthwaite."""
    rounds, clients = scores.shape
    mean, _ = pair_differences(scores)
    residuals = scores - scores.mean(0)
    residuals = residuals - np.median(residuals, axis=1, keepdims=True)
    own = residuals.var(0, ddof=1)
    found = moderate(own, np.full(clients, rounds - 1.0), clients=clients)
    a, b = np.triu_indices(clients, 1)
    va, vb, da, db = (x[i] for x in (found.variances, found.degrees) for i in (a, b))
    return p_values(mean, (va + vb) / rounds, (va + vb) ** 2 / (va**2 / da + vb**2 / db))


def moderated(scores: np.ndarray) -> np.ndarray:
    """The variances of the pairs, moderated: what Fetchoff does."""
    mean, variance = pair_differences(scores)
    degrees = np.full(variance.size, len(scores) - 1.0)
    found = moderate(variance, degrees, clients=scores.shape[1])
    return p_values(mean, found.variances / len(scores), found.degrees)


METHODS: dict[str, TestOfPairs] = {
    "plain t": plain,
    "one pooled variance": pooled,
    "moderated by client": by_client,
    "moderated by pair": moderated,
}


def noise(kind: str, rounds: int, clients: int, rng: np.random.Generator) -> np.ndarray:
    """Log-costs of rounds with nothing but noise, of mean 0 and a standard deviation around 1 %."""
    shape = (rounds, clients)
    unlike = 0.01 * np.exp(rng.normal(0, 0.6, clients))
    normal = rng.standard_normal(shape)
    third = np.arange(clients) < clients // 3
    match kind:
        case "alike":
            return 0.01 * normal
        case "unlike clients":
            return unlike * normal
        case "a noisy third":
            return np.where(third, 0.03, 0.005) * normal
        case "two quiet ones":
            return np.where(np.arange(clients) < 2, 0.001, 0.02) * normal
        case "heavy tails":
            return unlike * rng.standard_t(3, shape) / np.sqrt(3)
        case "spikes":
            return unlike * (normal + 20 * ((rng.random(shape) < 0.02) - 0.02))
        case "two layouts":
            return 0.003 * normal + 0.02 * ((rng.random(shape) < 0.3) - 0.3)
        case "two layouts, unlike":
            return unlike * (0.3 * normal + 2.2 * ((rng.random(shape) < 0.3) - 0.3))
        case "two camps":
            camp = np.where(np.arange(clients) % 2, 0.02, -0.02)
            return 0.01 * normal + camp * rng.standard_normal((rounds, 1))
    raise ValueError(kind)


KINDS = ("alike", "unlike clients", "a noisy third", "two quiet ones", "heavy tails")
KINDS += ("spikes", "two layouts", "two layouts, unlike", "two camps")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trials", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    rng = np.random.default_rng(chosen.seed)
    print("| clients | noise |", " | ".join(METHODS), "|")
    print("|---" * (len(METHODS) + 2) + "|")
    for clients in (4, 6, 10, 30):
        for kind in KINDS:
            cells = cells_of(kind, chosen.rounds, clients, chosen.trials, rng)
            print("|", clients, "|", kind, "|", " | ".join(cells), "|", flush=True)


def cells_of(
    kind: str, rounds: int, clients: int, trials: int, rng: np.random.Generator
) -> list[str]:
    counted = {name: np.zeros(3) for name in METHODS}
    for _ in range(trials):
        scores = noise(kind, rounds, clients, rng)
        group = rng.permutation(clients) // 3
        a, b = np.triu_indices(clients, 1)
        for name, test in METHODS.items():
            equal, threes, ladder = (
                holm(test(scores + shift), ALPHA, family=a.size)
                for shift in (0.0, APART * group, STEP * np.arange(clients))
            )
            counted[name] += equal.any(), threes[group[a] == group[b]].any(), ladder.mean()
    shares = {name: 100 * counts / trials for name, counts in counted.items()}
    return [f"{equal:.1f} / {threes:.1f}, {found:.0f}" for equal, threes, found in shares.values()]


if __name__ == "__main__":
    main()
