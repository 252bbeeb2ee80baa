"""Count the system calls of base and head, in recordings of both beside the measurement."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from fetchoff.analysis.witness import by_calls, by_ledger
from fetchoff.app.loopbacks import best
from fetchoff.diagnosis.calls import table
from fetchoff.model.calls import CallTable
from fetchoff.model.client import Client
from fetchoff.model.course import Course
from fetchoff.model.errors import FetchoffError
from fetchoff.model.experiment import Experiment
from fetchoff.model.loopback import Loopback
from fetchoff.model.observation import Record
from fetchoff.model.recording import Missing, Source
from fetchoff.model.witness import Counter, Witness
from fetchoff.model.workload import Placement
from fetchoff.run.host.alone import alone
from fetchoff.run.os.scratch import scratch
from fetchoff.run.recording.recorder import record_calls, traced_iterations_of
from fetchoff.run.recording.tracer import why_not
from fetchoff.run.recording.warm_client import Subject, warm_client

Say = Callable[[str], None]

REPETITIONS = 3


def witnesses(
    base: Client,
    head: Client,
    experiment: Experiment,
    records: Sequence[Record],
    say: Say,
    *,
    waits: bool = False,
) -> Iterator[Witness]:
    """What can be counted on each course: by the ledger in the run, and by recordings made now.

    `waits`: while another run is measured on this machine; otherwise nothing is recorded then. An
    error in these is why nothing was counted, and never one of the gate.
    """
    for course in experiment.courses:
        yield by_ledger(experiment, records, course)
        try:
            yield _of_calls(base, head, course, experiment.placement, say, waits=waits)
        except FetchoffError as error:  # the gate has its answer, whatever becomes of this
            yield _nothing(course, Missing(Source.CALLS, error.message))


def _of_calls(
    base: Client,
    head: Client,
    course: Course,
    placement: Placement | None,
    say: Say,
    *,
    waits: bool,
) -> Witness:
    with scratch() as folder:
        missing = why_not(folder)
    if missing:
        return _nothing(course, missing)
    say(f"counting system calls on {course.id}")
    found: dict[str, list[CallTable]] = {base.id: [], head.id: []}
    with alone(waits=waits, say=say):
        for seed in range(1, REPETITIONS + 1):
            for client in (base, head):
                calls = _calls(client, course, placement, seed)
                if isinstance(calls, Missing):
                    return _nothing(course, calls)
                found[client.id].append(calls)
    return by_calls(course, found[base.id], found[head.id])


def _nothing(course: Course, missing: Missing) -> Witness:
    return Witness(course.id, Counter.STRACE, 0, missing=missing)


def _calls(
    client: Client, course: Course, placement: Placement | None, seed: int
) -> CallTable | Missing:
    """The system calls of a fresh, warm process, or why there are none."""
    assert client.launch is not None
    loopback = Loopback.MACHINE if course.link.is_emulated else best()
    subject = Subject(client.id, client.launch, course, seed, loopback, placement)
    with scratch() as folder, warm_client(subject, folder) as warm:
        recording = record_calls(warm, traced_iterations_of(warm))
    refused = (gap for gap in recording.missing if gap.source is Source.CALLS)
    untraced = Missing(Source.CALLS, f"no whole exchange of {client.id} was traced")
    return table(recording) or next(refused, untraced)
