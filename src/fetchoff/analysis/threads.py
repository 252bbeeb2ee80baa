"""Clients that work in several threads, and what their placement means for them."""

from __future__ import annotations

from statistics import median

from fetchoff.analysis.series import Series
from fetchoff.model.course import Course
from fetchoff.model.experiment import Experiment, Role
from fetchoff.model.observation import Outcome
from fetchoff.model.workload import Placement

SMALL = 0.1
"""A share of CPU time that is not worth a word: most runtimes have threads that do a little."""
NAMED = 5  # clients


def note_on(experiment: Experiment, course: Course, series: Series) -> str:
    """What they have in further threads; "" if nobody has.

    Over a link nothing is said: there an exchange mostly waits, whatever core it has.
    """
    found = {} if course.link.is_emulated else _further(series)
    if not found:
        return ""
    names = list(found)
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    least, most = (f"{100 * share:.0f}" for share in (min(found.values()), max(found.values())))
    shares = least if least == most else f"{least} to {most}"
    whose = "its" if len(names) == 1 else "their"
    said = f"{', '.join(names[:NAMED])}{more}: {shares} % of {whose} CPU time is in further threads"
    if experiment.placement is Placement.FREE:
        return f"{said}, free to run on other cores"
    return f"{said}, which share one core here: 'fetchoff run --placement free' tells more"


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
