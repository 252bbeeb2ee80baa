"""Synthetic runs whose truth is known, to try the statistics on: docs/analysis.md#trials.

The parts of the noise are those that measuring real clients showed: processes of one program differ
(more than their batches do, and sometimes in two modes), batches have heavy tails and spikes, and
everything drifts.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log1p, pi

import numpy as np

from fetchoff.stats.within import Array

SPIKE = log1p(0.5)
SLOW_LAYOUT = 0.3


@dataclass(frozen=True)
class World:
    """Standard deviations of logarithms.

    `between`: of processes, `unlikeness`: of the logarithm of `between` among clients.
    `within`: of batches. `tails`: degrees of freedom of Student's t for both, 0 for normal.
    `spikes`: share of batches that take half as long again. `layout`: what a process loses that is
    laid out badly, as 3 in 10 are. `drift`: size of a wave over all blocks that hits all clients.
    `camps`: of a disturbance in each round that is good for every other client, bad for the rest.
    """

    between: float = 0.01
    within: float = 0.02
    unlikeness: float = 0.0
    tails: int = 0
    spikes: float = 0.0
    layout: float = 0.0
    drift: float = 0.0
    camps: float = 0.0

    def costs(
        self, effects: Array, rounds: int, rng: np.random.Generator, *, blocks: int = 6
    ) -> Array:
        """`y[round, block, client]` for clients whose true log-costs are `effects`."""
        clients = len(effects)
        unlike = np.exp(self.unlikeness * rng.standard_normal(clients))
        process = self.between * unlike * self._noise(rng, (rounds, 1, clients))
        process += self.layout * ((rng.random(process.shape) < SLOW_LAYOUT) - SLOW_LAYOUT)
        batch = self.within * self._noise(rng, (rounds, blocks, clients))
        batch += SPIKE * (rng.random(batch.shape) < self.spikes)
        camp = np.where(np.arange(clients) % 2, 1.0, -1.0) * self.camps
        common = self._drift(rng, rounds, blocks) + camp * rng.standard_normal((rounds, 1, 1))
        result: Array = effects + process + batch + common
        return result

    def _noise(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
        if not self.tails:
            return rng.standard_normal(shape)
        noise: Array = rng.standard_t(self.tails, shape) * np.sqrt((self.tails - 2) / self.tails)
        return noise

    def _drift(self, rng: np.random.Generator, rounds: int, blocks: int) -> Array:
        time = np.arange(rounds * blocks).reshape(rounds, blocks, 1)
        period = 10 ** rng.uniform(0.5, 2.0)
        wave: Array = self.drift * np.sin(2 * pi * (time / period + rng.random()))
        return wave + self.drift * rng.standard_normal((rounds, blocks, 1)) / 2


WORLDS = {
    "quiet": World(between=0.005, within=0.01),
    "typical": World(between=0.01, within=0.02, drift=0.02),
    "noisy": World(between=0.03, within=0.05, drift=0.05),
    "unlike clients": World(between=0.01, within=0.02, unlikeness=0.6),
    "heavy tails": World(between=0.01, within=0.02, tails=3, unlikeness=0.4),
    "spikes": World(between=0.01, within=0.02, spikes=0.02, drift=0.02),
    "two layouts": World(between=0.003, within=0.01, layout=0.02),
    "two camps": World(between=0.005, within=0.01, camps=0.01),
    "all at once": World(0.01, 0.02, 0.4, 3, spikes=0.02, layout=0.01, drift=0.02, camps=0.005),
}
