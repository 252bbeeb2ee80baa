"""Whether a CPU quota stopped processes while they were measured."""

from __future__ import annotations

from collections.abc import Sequence

from fetchoff.model.course import Course
from fetchoff.model.finding import Advice, Finding, Throttled
from fetchoff.model.observation import Record, SectionDone


def throttled(course: Course, records: Sequence[Record]) -> Finding | None:
    """A finding if one did, in any round that was measured whole."""
    done = [r for r in records if isinstance(r, SectionDone) and r.workload == course.id]
    stopped = [r for r in done if r.throttled_periods]
    if not stopped:
        return None
    found = Throttled(
        periods=sum(r.throttled_periods for r in stopped),
        seconds=sum(r.throttled_us for r in stopped) / 1e6,
        rounds=len(stopped),
        of_rounds=len(done),
    )
    return Finding(found, advice=Advice.LARGER_QUOTA)
