"""Evidence in which a test sets the logarithm of what each client costs in each round."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import log, sqrt

import numpy as np
from numpy.typing import NDArray

from fetchoff.analysis.claims import judge_claims
from fetchoff.analysis.evidence import Evidence
from fetchoff.analysis.series import Series
from fetchoff.model.claim import Claim, Side, Statement
from fetchoff.model.course import Course
from fetchoff.model.experiment import Entrant, Experiment, Role
from fetchoff.model.judgement import Judgement
from fetchoff.model.workload import Exchange, Workload
from fetchoff.stats.student import critical

Array = NDArray[np.float64]
WORKLOAD = "w"
COUNT = 8


def sides(count: int) -> tuple[Side, ...]:
    """`x/a`, `x/b`, … on one workload, in the order of the columns of `evidence`."""
    return tuple(Side(f"x/{chr(ord('a') + place)}", WORKLOAD) for place in range(count))


def evidence(logs: Array) -> Evidence:
    """From `logs[round, client]`: wall and CPU time alike; the origin takes no time."""
    experiment = _experiment(logs.shape[1])
    costs = 1e6 * np.exp(logs)
    series = Series(
        *(WORKLOAD, experiment.entrants, costs, costs, 0 * costs, 0 * costs),
        batches=(),
        invocations=(),
        samples=tuple(("", number) for number in range(len(logs))),
    )
    return Evidence(experiment, {WORKLOAD: series}, {})


@cache
def _experiment(clients: int) -> Experiment:
    names = [side.client for side in sides(clients)]
    entrants = tuple(Entrant(name, name, name, Role.RANKED) for name in names)
    course = Course(Workload(WORKLOAD, "", (Exchange("GET", "/"),)))
    return Experiment(entrants, (course,), names[0], 1, blocks=1)


def judged(statement: Statement, found: Evidence, cause: str = "") -> Judgement:
    """The only claim of an article."""
    return article([statement], found, cause)[0]


def article(statements: Sequence[Statement], found: Evidence, cause: str = "") -> list[Judgement]:
    """Every claim of an article."""
    return judge_claims([Claim("id", "text", each, cause) for each in statements], found)


def with_interval(low: float, high: float, *, seed: int = 0) -> Array:
    """Log-ratios of eight rounds whose 95 % t interval reaches from `low` to `high`."""
    shape = np.random.default_rng(seed).standard_normal(COUNT)
    shape = (shape - shape.mean()) / shape.std(ddof=1)
    error = log(high / low) / 2 / critical(0.05, COUNT - 1)
    return np.asarray(log(low * high) / 2 + shape * error * sqrt(COUNT))


def steps(*differences: Array) -> Array:
    """`logs[round, client]` in which each client differs so from the one before it."""
    first = np.zeros(len(differences[0]))
    return np.cumsum(np.column_stack([first, *differences]), axis=1)
