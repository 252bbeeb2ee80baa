"""What a trial says about a cause: both ways measured by the ordinary statistics.

A prediction is a range, not a point: from the wait alone to the wait and all the work of the client
in an exchange, because work costs more after a long sleep (caches and clock rates), and nobody can
tell from a recording how much.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fetchoff.model.cause import Cause, Tried
from fetchoff.model.cause import Trial as Outcome
from fetchoff.model.estimate import MINIMUM_ROUNDS, Estimate, StoppingRule
from fetchoff.stats import compare_differences, nominal_level
from fetchoff.stats.comparison import complete_looks, mean_and_interval

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Range:
    """What is predicted to be saved, in µs an exchange."""

    low: float
    high: float

    def scaled(self, factor: float) -> Range:
        return Range(factor * self.low, factor * self.high)

    def meets(self, interval: Estimate) -> bool:
        return self.low <= interval.high and interval.low <= self.high


@dataclass(frozen=True)
class Toggled:
    """What was toggled, and what is expected of it. `recorded_us`: of an exchange, by the recording
    that the expectation is from."""

    toggle: str
    expected: Range | None
    recorded_us: float


def predicted(cause: Cause, cpu_us: float) -> Range | None:
    """The range of a cause's prediction; None if it has none. `cpu_us`: of an exchange."""
    if cause.saves_us is None:
        return None
    return Range(cause.saves_us, cause.saves_us + cpu_us * min(1.0, cause.count / max(1, cause.of)))


def judge(plain_us: Array, toggled_us: Array, trial: Toggled, rule: StoppingRule) -> Tried:
    """Compare costs of an exchange, one of each kind from each round (NaN if missing).

    The interval of the ratio is that of two clients that are compared (decision 0003). That of the
    saving is of the differences in the rounds, at the same level, which is low where few rounds
    can't show what kind of noise there is: where little is left of a long wait, the ratio is known
    to a hair, but the wait itself is not.
    """
    together = np.isfinite(plain_us) & np.isfinite(toggled_us)
    logs = np.full(plain_us.shape, np.nan)
    logs[together] = np.log(toggled_us[together]) - np.log(plain_us[together])
    found = compare_differences(logs, rule=rule, final=True)
    nominal = nominal_level(rule, complete_looks(logs, rule), final=True)
    saved = _mean(plain_us[together] - toggled_us[together], nominal, found.ratio.level)
    expected = trial.expected
    if expected is not None and together.any():
        # The recording was another process in other minutes.
        expected = expected.scaled(float(plain_us[together].mean()) / trial.recorded_us)
    return Tried(trial.toggle, found.ratio, saved, found.rounds, outcome(saved, expected))


def _mean(values: Array, nominal: float, level: float) -> Estimate:
    """The mean and its interval, by a test at the level `nominal`; without bounds if there are too
    few values for one. `level`: at which it holds, whenever the trial ends."""
    if values.size < MINIMUM_ROUNDS:
        return Estimate(float("nan"), -np.inf, np.inf, level)
    return Estimate(*mean_and_interval(values, nominal, resolution=0.0), level)


def outcome(saved_us: Estimate, expected: Range | None) -> Outcome:
    """What a saving means for a cause that predicted so much, or nothing in particular."""
    if not np.isfinite(saved_us.low) or not np.isfinite(saved_us.high):
        return Outcome.UNDECIDED
    if saved_us.high <= 0:
        return Outcome.NOT_THE_CAUSE
    as_expected = expected is None or expected.meets(saved_us)
    if saved_us.low > 0:
        return Outcome.CONFIRMED if as_expected else Outcome.IN_PART
    if expected is None or as_expected:
        return Outcome.UNDECIDED
    return Outcome.NOT_THE_CAUSE
