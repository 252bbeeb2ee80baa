"""Histories of pretended releases: the figures of docs/decisions/0016-history.md.

    python -m benches.stats.histories [--trials N] [--seed N]

Log-ratios of a round are normal with a standard deviation of 1 %, on both clocks the same. False: a
step between releases of equal cost. Found: every step, each between its own two releases.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import nan

import numpy as np
from benches.stats.tables import table

from fetchoff.app.history import REPEATS, Search
from fetchoff.model.analysis import Relative
from fetchoff.model.course import Course
from fetchoff.model.estimate import EVERY_ROUND, Estimate, StoppingRule, Verdict
from fetchoff.model.history import Compared, History, HistoryPlan, Measured
from fetchoff.model.release import Release
from fetchoff.model.workload import Workload
from fetchoff.stats import compare

NOISE = 0.01
ALPHA = 0.01
ROUND_S = 2.0
ENOUGH_S = 1e9


@dataclass
class Pretended:
    """Compares releases whose true log-costs are known, as a run does: round by round, until both
    clocks have a verdict or the budget is spent."""

    plan: HistoryPlan
    costs: dict[str, float]
    random: np.random.Generator
    noise: float = NOISE
    rounds: list[int] = field(default_factory=list)

    def __call__(self, older: str, newer: str, budget_s: float, _: int = 1) -> Compared:
        rule = StoppingRule(alpha=self.plan.alpha_of_one)
        most = int(min(budget_s / ROUND_S, rule.horizon))
        truth = self.costs[newer] - self.costs[older]
        y = np.zeros((most, 2, 2))  # round, release, clock
        y[:, 1] = truth + self.random.normal(0, self.noise, (most, 2))
        for count in [*(look for look in EVERY_ROUND if look < most), most]:
            wall, cpu = (
                _judged(y[:count, :, clock], rule, final=count == most) for clock in (0, 1)
            )
            if Verdict.UNDECIDED not in (wall.verdict, cpu.verdict):
                break
        self.rounds.append(count)
        return Compared(_pretended(older), _pretended(newer), wall, cpu, count, ROUND_S * count, "")


def _judged(y: np.ndarray, rule: StoppingRule, *, final: bool) -> Relative:
    found = compare(y, rule=rule, final=final)
    return Relative(found.ratio, found.verdict)


def _pretended(version: str) -> Measured:
    unknown = Estimate(nan, nan, nan, 0.0)
    return Measured(version, unknown, unknown, nan, nan)


def plan_of(releases: int, *, alpha: float = ALPHA, budget_s: float = ENOUGH_S) -> HistoryPlan:
    """A plan for `releases` pretended releases, called 0, 1, 2, …"""
    course = Course(Workload("pretended", "", ()))
    versions = tuple(Release(str(number)) for number in range(releases))
    return HistoryPlan(
        "a/b", "a/b", course, versions, 1, budget_s, "", "", alpha=alpha, repeats=REPEATS
    )


def history(
    costs: Sequence[float], random: np.random.Generator, *, alpha: float = ALPHA
) -> tuple[History, list[int]]:
    """The history of releases with these log-costs, and the rounds of each comparison."""
    plan = plan_of(len(costs), alpha=alpha)
    versions = [release.version for release in plan.releases]
    pretended = Pretended(plan, dict(zip(versions, costs, strict=True)), random)
    return Search(plan).run(pretended, lambda _: None), pretended.rounds


def steps_of(found: History) -> set[tuple[str, str]]:
    return {(step.older, step.newer) for step in found.steps}


def true_steps(costs: Sequence[float]) -> set[tuple[str, str]]:
    return {
        (str(number), str(number + 1))
        for number, (older, newer) in enumerate(pairwise(costs))
        if older != newer
    }


def with_steps(releases: int, steps: dict[int, float]) -> list[float]:
    """Log-costs that rise by `steps[n]` at release n."""
    sizes = [steps.get(number, 0.0) for number in range(releases)]
    return [float(cost) for cost in np.cumsum(sizes)]


SCENARIOS: dict[str, list[float]] = {
    "10 equal": with_steps(10, {}),
    "30 equal": with_steps(30, {}),
    "30, 4 % at one": with_steps(30, {11: 0.04}),
    "30, 10 % at one": with_steps(30, {11: 0.10}),
    "30, 6 % at one, 10 % at another": with_steps(30, {11: 0.06, 12: 0.10}),
    "30, 10 % at one, −6 % at another": with_steps(30, {7: 0.10, 21: -0.06}),
    "100, 10 % at one": with_steps(100, {64: 0.10}),
}


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--trials", type=int, default=500)
    arguments.add_argument("--seed", type=int, default=1)
    asked = arguments.parse_args()
    rows = []
    for name, costs in SCENARIOS.items():
        random = np.random.default_rng(asked.seed)
        truth = true_steps(costs)
        trials = [history(costs, random) for _ in range(asked.trials)]
        false = sum(bool(steps_of(found) - truth) for found, _ in trials)
        right = sum(steps_of(found) == truth for found, _ in trials)
        comparisons = np.mean([len(rounds) for _, rounds in trials])
        rounds = np.mean([sum(each) for _, each in trials])
        rows.append(
            [
                name,
                f"{false / asked.trials:.1%}",
                f"{right / asked.trials:.1%}",
                f"{comparisons:.1f}",
                f"{rounds:.0f}",
            ]
        )
    table(["releases", "false", "found", "comparisons", "rounds"], rows)


if __name__ == "__main__":
    main()
