"""Clients that are given much of their memory anew in each exchange."""

from __future__ import annotations

from statistics import median

import numpy as np

from fetchoff.analysis.series import Series
from fetchoff.model.course import Course
from fetchoff.model.experiment import Role
from fetchoff.model.finding import Finding, PageFaults
from fetchoff.model.observation import Outcome

FAULT_US = 1.0  # measured: 0.5 to 2
SMALL = 0.03
"""A share of an exchange's CPU time that is no finding."""


def page_faults(course: Course, series: Series) -> tuple[Finding, ...]:
    """A finding for each ranked client that has many of them, most first.

    Whether an allocator keeps memory depends on what else lies on the heap, so another program with
    the same client may have none: docs/decisions/0028. None over a link, where an exchange mostly
    waits.
    """
    if course.link.is_emulated:
        return ()
    found = {}
    for column, entrant in enumerate(series.entrants):
        if entrant.role is not Role.RANKED:
            continue
        faults = _an_exchange(series, entrant.process)
        costs_ns = series.cpu_ns[np.isfinite(series.cpu_ns[:, column]), column]
        if not faults or not costs_ns.size:
            continue
        if median(faults) * FAULT_US > SMALL * costs_ns.mean() / 1e3:
            found[entrant.key] = median(faults)
    most_first = sorted(found.items(), key=lambda item: -item[1])
    return tuple(Finding(PageFaults(faults), (client,)) for client, faults in most_first)


def _an_exchange(series: Series, process: str) -> list[float]:
    """Page faults of an exchange, for each round that tells."""
    used = [i.usage for i in series.invocations if i.process == process and i.outcome is Outcome.OK]
    return [u.page_faults / u.exchanges for u in used if u.page_faults is not None and u.exchanges]
