"""Which rounds over a link count, by the calibration before them: docs/analysis.md#links.

A link is calibrated once by each process that measures: in a fleet in every round, otherwise when a
run begins or goes on. So each calibration says something of the rounds that follow it on its host,
and nothing of those before it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fetchoff.model.course import Course
from fetchoff.model.link import Calibration
from fetchoff.model.observation import LinkCalibrated, Record, Sample, SectionDone


def of_rounds(course: Course, records: Sequence[Record]) -> dict[Sample, Calibration | None]:
    """The last calibration before each round of a course that was measured whole, in order."""
    last: dict[str, Calibration] = {}
    found: dict[Sample, Calibration | None] = {}
    for record in records:
        if isinstance(record, LinkCalibrated) and record.calibration.link == course.link.id:
            last[record.host] = record.calibration
        elif isinstance(record, SectionDone) and record.workload == course.id:
            found[record.sample] = last.get(record.host)
    return found


def at_fault(found: Mapping[Sample, Calibration | None]) -> dict[Sample, Calibration]:
    """The rounds to leave out: the link wasn't as asked then, but was in others.

    Where it never was, none is left out: the ranking is withheld, and what was measured is shown.
    """
    out = {sample: one for sample, one in found.items() if one is not None and one.faults}
    return out if len(out) < len(found) else {}
