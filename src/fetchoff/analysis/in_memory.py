"""Large content that clients keep in memory: its cost is that of one program."""

from __future__ import annotations

from fetchoff.analysis.throughput import MUCH_BYTES
from fetchoff.model.course import Course
from fetchoff.model.experiment import Experiment
from fetchoff.model.finding import ContentInMemory, Finding
from fetchoff.model.workload import Sink

STREAMED = (Sink.DISCARD, Sink.FILE, Sink.HASH)


def content_in_memory(experiment: Experiment, course: Course) -> Finding | None:
    """A finding on the first course of a run that has such content (docs/decisions/0028).

    None over a link, where an exchange mostly waits.
    """
    first = next((course for course in experiment.courses if _kept_bytes(course)), None)
    return Finding(ContentInMemory(_kept_bytes(course))) if course == first else None


def _kept_bytes(course: Course) -> int:
    """The largest content of a response that is kept; 0 where it is small or not kept."""
    workload = course.workload
    if course.link.is_emulated or workload.settings.sink in STREAMED:
        return 0
    largest = max(exchange.expect.bytes or 0 for exchange in workload.exchanges)
    return largest if largest >= MUCH_BYTES else 0
