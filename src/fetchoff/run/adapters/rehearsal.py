"""What a process does right before its turns, alone on their core: find its pace, compile again."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from fetchoff.run.adapters.seam import Timed

REHEARSAL_US, LEAST_REHEARSED, MOST_REHEARSALS = 10_000.0, 0.5, 6
# While a client waits for others to warm up, V8 gives up compiled code: after 6 s, undici's next
# 4,000 exchanges cost twice as much (docs/decisions/0022), and of fetch a lot of 700 tells nothing
# (docs/decisions/0029).
AGAIN_EXCHANGES, LEAST_AGAIN_US, MOST_AGAIN_US = 2500, 250_000, 800_000
# And while others warm up beside it, a compiler gets little of a core: java/jdk-httpclient's 50,000
# exchanges had ended in half-compiled code (docs/decisions/0026).

Run = Callable[[int], Timed]
"""Runs so many iterations."""


@dataclass
class Rehearsal:
    """The rehearsals of a process so far.

    `iteration_us`: microseconds of an iteration, as they were timed last; 0 before. `exchanges`:
    those in which compilers went on.
    """

    iteration_us: float = 0.0
    exchanges: int = 0

    def find_pace(self, run: Run, guessed_us: float, least: int) -> None:
        """Time some 10 ms of iterations, `least` at least.

        What one took while it warmed up says little: others were at work, and it has been a hundred
        times as long (docs/decisions/0030). So how many are enough is found out here.
        """
        us = guessed_us
        for _ in range(MOST_REHEARSALS):
            n = max(least, round(REHEARSAL_US / us))
            self._timed(run, n)
            us = self.iteration_us
            if n * us >= LEAST_REHEARSED * REHEARSAL_US:
                break

    def compile_on(self, run: Run, us: float, per_iteration: int, lacking: int) -> float:
        """Some thousand exchanges, `lacking` if these are more and time allows; CPU nanoseconds of
        one. `us`: of an iteration."""
        again = max(AGAIN_EXCHANGES, lacking) / per_iteration
        n = math.ceil(min(max(again, LEAST_AGAIN_US / us), MOST_AGAIN_US / us))
        timed = self._timed(run, n)
        self.exchanges += n * per_iteration
        return timed.cpu_ns / (n * per_iteration)

    def _timed(self, run: Run, iterations: int) -> Timed:
        timed = run(iterations)
        self.iteration_us = max(1.0, timed.wall_ns / 1e3 / iterations)
        return timed
