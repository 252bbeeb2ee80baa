"""Clients that work in several threads, and what their placement means for them."""

from __future__ import annotations

from statistics import median

from fetchoff.analysis.series import Series
from fetchoff.model.course import Course
from fetchoff.model.experiment import Experiment, Role
from fetchoff.model.finding import Advice, Finding, FurtherThreads
from fetchoff.model.observation import Outcome

SMALL = 0.1
"""A share of CPU time that is no finding: most runtimes have threads that do a little."""


def further_threads(experiment: Experiment, course: Course, series: Series) -> tuple[Finding, ...]:
    """A finding for each client that has much in further threads, the largest share first.

    None over a link: there an exchange mostly waits, whatever core it has.
    """
    if course.link.is_emulated:
        return ()
    is_free = experiment.is_free(course)
    has_both = any(experiment.is_free(other) for other in experiment.courses)
    advice = None if is_free or has_both else Advice.FREE_PLACEMENT
    return tuple(
        Finding(FurtherThreads(share, is_free), (client,), advice)
        for client, share in _further(series).items()
    )


def _further(series: Series) -> dict[str, float]:
    """The share of each ranked client that has more than a small one, the largest first."""
    found = {}
    for entrant in series.entrants:
        if entrant.role is not Role.RANKED:
            continue
        shares = [
            i.further_threads
            for i in series.invocations
            if i.process == entrant.process and i.outcome is Outcome.OK
        ]
        if shares and median(shares) > SMALL:
            found[entrant.key] = median(shares)
    return dict(sorted(found.items(), key=lambda item: -item[1]))
