"""Measured costs for claims to be judged by."""

from __future__ import annotations

import math

import numpy as np

from fetchoff.analysis.evidence import Evidence
from fetchoff.analysis.series import Series
from fetchoff.model.claim import (
    Side,
)
from fetchoff.model.course import Course
from fetchoff.model.experiment import Entrant, Experiment, Role
from fetchoff.model.observation import Invocation, Outcome, Usage
from fetchoff.model.workload import Exchange, Workload

ROUNDS, BLOCKS = 8, 4
A, B, C = (Side(f"x/{name}", "w") for name in "abc")
ELSEWHERE = Side("x/a", "other")


def evidence(
    costs: dict[str, float],
    *,
    noise: float = 0.005,
    elsewhere: dict[str, float] | None = None,
    peaks_kb: dict[str, int] | None = None,
    connections: dict[str, int] | None = None,
    count: int = ROUNDS,
    origin_share: float = 0.1,
) -> Evidence:
    """Costs by client, in the workload `w` and in `other`, with noise in each batch."""
    names = list(costs)
    entrants = tuple(Entrant(name, name, name, Role.RANKED) for name in names)
    experiment = Experiment(
        entrants,
        tuple(Course(Workload(name, "", (Exchange("GET", "/"),))) for name in ("w", "other")),
        names[0],
        1,
        blocks=BLOCKS,
    )

    def series(workload: str, of: dict[str, float]) -> Series:
        random = np.random.default_rng(len(workload))
        level = np.array([of[name] for name in names])
        shape = (count, BLOCKS, len(names))
        batches = level * np.exp(noise * random.standard_normal(shape)) * 1e6
        values = batches.mean(1)
        invocations = tuple(
            Invocation(
                *(number, 0, workload, name, name),
                outcome=Outcome.OK if math.isfinite(of[name]) else Outcome.FAILED,
                message="" if math.isfinite(of[name]) else "does not answer",
                usage=Usage(peak_kb=(peaks_kb or {}).get(f"{name} {workload}", 1000)),
                ledger={"requests": 1000, "connections": (connections or {}).get(name, 1)},
            )
            for number in range(count)
            for name in names
        )
        origin = origin_share * values
        samples = tuple(("", number) for number in range(count))
        return Series(workload, entrants, values, values, origin, values, (), invocations, samples)

    both = {"w": series("w", costs), "other": series("other", elsewhere or costs)}
    return Evidence(experiment, both, {"x/absent": "is not installed"})
