"""Which error-spending function? The figures of docs/decisions/0003-stopping-rule.md.

    python benches/stats/spending.py [--paths N] [--seed N]

Normal log-ratios with a standard deviation of 1 %, verdicts with a margin of 2 %.
"""

from __future__ import annotations

import argparse

import numpy as np
from scipy.special import ndtr, ndtri, stdtrit

from fetchoff.model.estimate import StoppingRule
from fetchoff.stats.boundary import nominal_levels

RULE = StoppingRule()
LOOKS = np.array(RULE.looks)
FRACTION = LOOKS / LOOKS[-1]
EFFECTS = (0.0, 1.0, 2.0, 3.0, 4.0)
MARGIN = 2.0


def hwang_shih_de_cani(gamma: float) -> np.ndarray:
    return np.expm1(-gamma * FRACTION) / np.expm1(-gamma)


SPENDING = {
    "O'Brien-Fleming-like": 2 * ndtr(ndtri(RULE.alpha / 2) / np.sqrt(FRACTION)) / RULE.alpha,
    "linear": FRACTION,
    "Pocock-like": np.log1p((np.e - 1) * FRACTION),
    "square root": FRACTION**0.5,
    "the same at each look": np.arange(1, LOOKS.size + 1) / LOOKS.size,
    **{f"Hwang-Shih-De Cani, gamma {g:g}": hwang_shih_de_cani(g) for g in (2, 3, 4, 5)},
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--paths", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    x = np.random.default_rng(chosen.seed).standard_normal((chosen.paths, LOOKS[-1]))
    mean = x.cumsum(1)[:, LOOKS - 1] / LOOKS
    variance = ((x**2).cumsum(1)[:, LOOKS - 1] - LOOKS * mean**2) / (LOOKS - 1)
    error = np.sqrt(variance / LOOKS)
    print("| spending | critical t at", ", ".join(map(str, LOOKS)), "| rounds to a verdict |")
    print("|---|---|---|")
    for name, share in SPENDING.items():
        spends = tuple(RULE.alpha * np.diff(share, prepend=0.0))
        critical = -stdtrit(LOOKS - 1, np.array(nominal_levels(RULE.looks, spends)) / 2)
        needed = [rounds(mean + effect, critical * error) for effect in EFFECTS]
        print("|", name, "|", row(critical, 2), "|", row(needed, 1), "|")


def rounds(point: np.ndarray, half_width: np.ndarray) -> float:
    """Mean number of rounds at which runs stop."""
    decided = (np.abs(point) > half_width) | (np.abs(point) + half_width < MARGIN)
    stopped = np.where(decided.any(1), decided.argmax(1), LOOKS.size - 1)
    return float(LOOKS[stopped].mean())


def row(values: np.ndarray | list[float], digits: int) -> str:
    return " · ".join(f"{value:.{digits}f}" for value in values)


if __name__ == "__main__":
    main()
