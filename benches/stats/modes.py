"""How often two modes are found in noise without and with modes. For docs/analysis.md.

python -m benches.stats.modes [--samples N] [--seed N]
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import numpy as np
from benches.stats.tables import table

from fetchoff.stats.modes import least_gap, widest_gap

SIZES = (5, 6, 7, 8, 10, 12, 14, 17, 20, 24, 28, 34, 40)
Noise = Callable[[np.random.Generator, tuple[int, int]], np.ndarray]
WITHOUT: dict[str, Noise] = {
    "normal": lambda rng, shape: rng.standard_normal(shape),
    "Student's t, 3 degrees": lambda rng, shape: rng.standard_t(3, shape),
    "exponential": lambda rng, shape: rng.standard_exponential(shape),
    "lognormal, σ = 0.5": lambda rng, shape: np.exp(0.5 * rng.standard_normal(shape)),
    "uniform": lambda rng, shape: rng.random(shape),
}
WITH = ((5, 0.5), (7, 0.2), (7, 0.4), (10, 0.2), (10, 0.4), (18, 0.2))


def seen(values: np.ndarray) -> float:
    relative, _ = widest_gap(np.sort(values, axis=1))
    return 100 * float((relative >= least_gap(values.shape[1])).mean())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    print(f"seed {chosen.seed}\n")
    rng = np.random.default_rng(chosen.seed)
    rows = []
    for size in SIZES:
        shape = (chosen.samples, size)
        false = [f"{seen(noise(rng, shape)):.2f}" for noise in WITHOUT.values()]
        found = [
            f"{seen(rng.standard_normal(shape) + gap * (rng.random(shape) < share)):.0f}"
            for gap, share in WITH
        ]
        rows.append([size, *false, *found])
    print("Samples in which two modes are seen, in %; gaps in standard deviations of the noise.\n")
    table(["invocations", *WITHOUT, *(f"{gap} σ, {share:.0%}" for gap, share in WITH)], rows)


if __name__ == "__main__":
    main()
