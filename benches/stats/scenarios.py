"""Synthetic runs with known truth, to test the statistics: docs/analysis.md#trials.

The parts of the noise are those that measuring real clients showed: processes of one program differ
(more than their turns do, and sometimes in two modes), turns have heavy tails and spikes, clients
stop to collect garbage, and everything drifts. Costs are made turn by turn; what the statistics get
is the logarithm of an invocation's total ÷ its exchanges, as in a real run.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log1p, pi

import numpy as np

from fetchoff.stats.within import Array

SPIKE = log1p(0.5)
SLOW_LAYOUT = 0.3
SLOW_MODE = 0.2
PAUSED = 1 / 6
TURNS = 60


@dataclass(frozen=True)
class Scenario:
    """Standard deviations of logarithms.

    `between`: of processes, `unlikeness`: of the logarithm of `between` among clients. `within`: of
    turns. `tails`: degrees of freedom of Student's t for both, 0 for normal. `spikes`: share of
    turns that take half as long again. `layout`: what a process loses that is laid out badly, as 3
    in 10 are. `drift`: size of a wave over all turns that hits all clients. `camps`: of a
    disturbance in each round that is good for every other client, bad for the rest.

    What only some clients have, counted from the last: `wild` processes that differ by a skewed
    (exponential) effect of this size; `gap` of two modes, of which 1 process in 5 has the dearer;
    `pauses`: in every sixth turn a stop that takes as many times the turn. `clients_hit`: how many,
    if below 1 as a share of all.
    """

    between: float = 0.01
    within: float = 0.06
    unlikeness: float = 0.0
    tails: int = 0
    spikes: float = 0.0
    layout: float = 0.0
    drift: float = 0.0
    camps: float = 0.0
    wild: float = 0.0
    gap: float = 0.0
    pauses: float = 0.0
    clients_hit: float = 1

    def costs(
        self, effects: Array, rounds: int, rng: np.random.Generator, *, turns: int = TURNS
    ) -> Array:
        """`y[round, client]` for clients whose true log-costs are `effects`.

        The true cost is the mean over turns and, of its logarithm, over processes.
        """
        turn = np.exp(self.turn_logs(effects, rounds, rng, turns=turns))
        result: Array = np.log(turn.mean(1))
        return result

    def turn_logs(
        self, effects: Array, rounds: int, rng: np.random.Generator, *, turns: int = TURNS
    ) -> Array:
        """Logarithms of the costs of all turns, `[round, turn, client]`, equally many exchanges."""
        clients = len(effects)
        unlike = np.exp(self.unlikeness * rng.standard_normal(clients))
        process = self.between * unlike * self._noise(rng, (rounds, 1, clients))
        process += self.layout * ((rng.random(process.shape) < SLOW_LAYOUT) - SLOW_LAYOUT)
        process += self._hit(clients) * self._own_ways(rng, process.shape)
        turn = self.within * self._noise(rng, (rounds, turns, clients))
        turn += SPIKE * (rng.random(turn.shape) < self.spikes)
        if self.pauses:
            stopped = np.arange(turns)[None, :, None] % round(1 / PAUSED) == rng.integers(
                round(1 / PAUSED), size=process.shape
            )
            stop = np.log1p(self.pauses * stopped) - log1p(self.pauses * PAUSED)
            turn += self._hit(clients) * stop
        camp = np.where(np.arange(clients) % 2, 1.0, -1.0) * self.camps
        common = self._drift(rng, rounds, turns) + camp * rng.standard_normal((rounds, 1, 1))
        result: Array = effects + process + turn + common
        return result

    def _hit(self, clients: int) -> Array:
        """1 for clients that are noisy, have modes or pause."""
        wanted = self.clients_hit if self.clients_hit >= 1 else self.clients_hit * clients
        return (np.arange(clients) >= clients - round(wanted)).astype(np.float64)

    def _own_ways(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
        """With mean 0: how processes of one client differ beyond the common noise."""
        ways: Array = np.zeros(shape)
        if self.wild:
            ways = self.wild * (rng.standard_exponential(shape) - 1)
        if self.gap:
            ways += self.gap * ((rng.random(shape) < SLOW_MODE) - SLOW_MODE)
        return ways

    def _noise(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
        if not self.tails:
            return rng.standard_normal(shape)
        noise: Array = rng.standard_t(self.tails, shape) * np.sqrt((self.tails - 2) / self.tails)
        return noise

    def _drift(self, rng: np.random.Generator, rounds: int, turns: int) -> Array:
        if not self.drift:
            return np.zeros((rounds, 1, 1))
        time = np.arange(rounds * turns).reshape(rounds, turns, 1)
        period = turns * 10 ** rng.uniform(-0.3, 1.2)
        wave: Array = self.drift * np.sin(2 * pi * (time / period + rng.random()))
        return wave + self.drift * rng.standard_normal((rounds, turns, 1)) / 2


WORLDS = {
    "quiet": Scenario(between=0.005, within=0.03),
    "typical": Scenario(between=0.01, within=0.06, drift=0.02),
    "noisy": Scenario(between=0.03, within=0.15, drift=0.05),
    "this machine": Scenario(between=0.02, within=0.20, drift=0.20),
    "unlike clients": Scenario(between=0.01, within=0.06, unlikeness=0.6),
    "heavy tails": Scenario(between=0.01, within=0.06, tails=3, unlikeness=0.4),
    "spikes": Scenario(between=0.01, within=0.06, spikes=0.02, drift=0.02),
    "two layouts": Scenario(between=0.003, within=0.03, layout=0.02),
    "two camps": Scenario(between=0.005, within=0.03, camps=0.01),
    "all at once": Scenario(0.01, 0.06, 0.4, 3, spikes=0.02, layout=0.01, drift=0.02, camps=0.005),
    "pauses": Scenario(between=0.01, within=0.06, pauses=1.0),
    "one wild": Scenario(between=0.01, within=0.06, wild=0.25),
    "two wild": Scenario(between=0.01, within=0.06, wild=0.25, clients_hit=2),
    "one with modes": Scenario(between=0.01, within=0.06, gap=0.10),
    "one with far modes": Scenario(between=0.004, within=0.02, gap=0.10),
    "a quarter with modes": Scenario(between=0.01, within=0.06, gap=0.10, clients_hit=0.25),
}
"""The last five have the noise of an audit in which earlier rules failed. Modes that lie far apart
compared to all other noise defeat any rule until both have been seen."""
