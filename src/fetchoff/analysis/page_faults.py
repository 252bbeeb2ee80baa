"""Clients whose memory goes back to the kernel, and is fetched anew in each exchange."""

from __future__ import annotations

from collections import defaultdict
from statistics import median

from fetchoff.analysis.series import Series
from fetchoff.model.course import Course
from fetchoff.model.experiment import Role
from fetchoff.model.finding import Finding, PageFaults
from fetchoff.model.observation import Outcome

FEW = 16
"""An exchange, that are no finding: 64 KiB of memory. A fault costs 0.5 to 2 µs."""

Place = tuple[int, str, int, str]  # round, host, attempt, process


def page_faults(course: Course, series: Series) -> tuple[Finding, ...]:
    """A finding for each ranked client that has many of them, most first.

    Whether an allocator keeps memory depends on what else lies on the heap, so another program with
    the same client may have none: docs/analysis.md#plain-loops. None over a link, where an
    exchange mostly waits.
    """
    if course.link.is_emulated:
        return ()
    done, found = _exchanges(series), {}
    for entrant in series.entrants:
        if entrant.role is not Role.RANKED:
            continue
        faults = [
            i.usage.page_faults / done[place]
            for i in series.invocations
            if i.process == entrant.process
            and i.outcome is Outcome.OK
            and i.usage.page_faults is not None
            and done.get(place := (i.round, i.host, i.attempt, i.process))
        ]
        if faults and median(faults) > FEW:
            found[entrant.key] = median(faults)
    most_first = sorted(found.items(), key=lambda item: -item[1])
    return tuple(Finding(PageFaults(faults), (client,)) for client, faults in most_first)


def _exchanges(series: Series) -> dict[Place, int]:
    """What each process has done while its faults were counted, leads included."""
    process_of = {entrant.key: entrant.process for entrant in series.entrants}
    done: dict[Place, int] = defaultdict(int)
    in_turns = set()
    for turns in series.given_turns:
        place = (turns.round, turns.host, turns.attempt, process_of[turns.entrant])
        in_turns.add(place)
        done[place] += turns.done
    for batch in series.batches:
        place = (batch.round, batch.host, batch.attempt, process_of[batch.entrant])
        if place not in in_turns:  # each batch of a process that takes turns stands for its turns
            done[place] += batch.done
    return done
