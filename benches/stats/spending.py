"""Compare error-spending functions: the figures of docs/decisions/0003-stopping-rule.md.

    python -m benches.stats.spending [--paths N] [--seed N]

One log-ratio a round, a look after every round from the fifth on, verdicts with a margin of 2 %.
Normal ones with a standard deviation of 1 %: mean rounds to a verdict. And where one of two equal
clients is wild (an exponential effect of 25 % on each process): false differences.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import numpy as np
from benches.stats.tables import table
from scipy.special import ndtr, ndtri

from fetchoff.model.estimate import StoppingRule
from fetchoff.stats import student
from fetchoff.stats.boundary import nominal_levels
from fetchoff.stats.sequential import CAUTIOUS_LEVEL, ENOUGH_ROUNDS
from fetchoff.stats.skewness import reaches, skewness

RULE = StoppingRule()
EFFECTS = (0.0, 0.01, 0.02, 0.03, 0.04)
MARGIN = 0.02
SHOWN = (5, 7, 10, 14, 20, 28, 40)
Spending = Callable[[np.ndarray], np.ndarray]


def hwang_shih_de_cani(gamma: float) -> Spending:
    return lambda f: np.expm1(-gamma * f) / np.expm1(-gamma)


def power(exponent: float) -> Spending:
    return lambda f: f**exponent


SPENDING: dict[str, Spending] = {
    "O'Brien-Fleming-like": lambda f: 2 * ndtr(ndtri(RULE.alpha / 2) / np.sqrt(f)) / RULE.alpha,
    "Hwang-Shih-De Cani, gamma 4": hwang_shih_de_cani(4),
    "linear": power(1),
    **{f"f^{exponent:g}": power(exponent) for exponent in (2, 3, 3.5, 4)},
}


def critical(spent: Spending) -> np.ndarray:
    """Of t at each look."""
    looks = np.array(RULE.looks)
    spends = RULE.alpha * np.diff(spent(looks / RULE.horizon), prepend=0.0)
    levels = nominal_levels(RULE.looks, tuple(spends))
    return np.array([student.critical(p, n - 1) for p, n in zip(levels, looks, strict=True)])


def stop(d: np.ndarray, t: np.ndarray, *, guarded: bool, margin: float) -> tuple[float, float]:
    """Mean rounds to a verdict in `d[round, path]`, and the share of paths with a difference."""
    rounds = np.zeros(d.shape[1])
    differ = np.zeros(d.shape[1], dtype=bool)
    for look, value in zip(RULE.looks, t, strict=True):
        so_far = d[:look]
        error = so_far.std(0, ddof=1) / np.sqrt(look)
        reach = np.full(d.shape[1], value)
        if guarded and look < ENOUGH_ROUNDS:
            reach = np.maximum(reach, student.critical(CAUTIOUS_LEVEL, look - 1))
        skew = skewness(so_far) if guarded else np.zeros(d.shape[1])
        below, above = reaches(reach, skew, np.full(d.shape[1], look))
        low, high = so_far.mean(0) - below * error, so_far.mean(0) + above * error
        found = (low > 0) | (high < 0)
        equivalent = (low > -margin) & (high < margin)
        stops = (rounds == 0) & (found | equivalent)
        differ |= stops & found & ~equivalent
        rounds[stops] = look
    rounds[rounds == 0] = RULE.horizon
    return float(rounds.mean()), float(differ.mean())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--paths", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    print(f"seed {chosen.seed}\n")
    rng = np.random.default_rng(chosen.seed)
    shape = (RULE.horizon, chosen.paths)
    normal = 0.01 * rng.standard_normal(shape)
    skewed = 0.018 * rng.standard_normal(shape) + 0.25 * (rng.standard_exponential(shape) - 1)
    rows = []
    for name, spent in SPENDING.items():
        t = critical(spent)
        for guarded in (False, True):
            needed = [stop(normal + e, t, guarded=guarded, margin=MARGIN)[0] for e in EFFECTS]
            wild = stop(skewed, t, guarded=guarded, margin=0.0)[1]
            rows.append(
                [
                    name + (", guarded" if guarded else ""),
                    " · ".join(f"{t[RULE.looks.index(n)]:.2f}" for n in SHOWN),
                    *(f"{rounds:.1f}" for rounds in needed),
                    f"{100 * wild:.1f} %",
                ]
            )
    effects = ("equal", *(f"+{100 * effect:.0f} %" for effect in EFFECTS[1:]))
    head = ["spending", f"critical t at {', '.join(map(str, SHOWN))}", *effects, "wild: false"]
    table(head, rows)


if __name__ == "__main__":
    main()
