"""Count the system calls of base and head, in recordings of both beside the measurement."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from fetchoff.analysis.witness import by_calls, by_ledger
from fetchoff.app.loopbacks import best
from fetchoff.diagnosis.calls import table
from fetchoff.model.calls import CallTable
from fetchoff.model.client import Client
from fetchoff.model.course import Course
from fetchoff.model.errors import AdapterError
from fetchoff.model.experiment import Experiment
from fetchoff.model.loopback import Loopback
from fetchoff.model.observation import Record
from fetchoff.model.recording import Missing, Source
from fetchoff.model.witness import Counter, Witness
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
) -> Iterator[Witness]:
    """What can be counted on each course: by the ledger in the run, and by recordings made now."""
    for course in experiment.courses:
        yield by_ledger(experiment, records, course)
        yield _of_calls(base, head, course, say)


def _of_calls(base: Client, head: Client, course: Course, say: Say) -> Witness:
    with scratch() as folder:
        missing = why_not(folder)
    if missing:
        return Witness(course.id, Counter.STRACE, 0, missing=missing)
    say(f"counting system calls on {course.id}")
    found: dict[str, list[CallTable]] = {base.id: [], head.id: []}
    with alone(waits=True, say=say):
        for seed in range(1, REPETITIONS + 1):
            for client in (base, head):
                try:
                    calls = _calls(client, course, seed)
                except AdapterError as error:
                    return _nothing(course, error.message)
                if calls is None:
                    return _nothing(course, f"no whole exchange of {client.id} was traced")
                found[client.id].append(calls)
    return by_calls(course, found[base.id], found[head.id])


def _nothing(course: Course, reason: str) -> Witness:
    return Witness(course.id, Counter.STRACE, 0, missing=Missing(Source.CALLS, reason))


def _calls(client: Client, course: Course, seed: int) -> CallTable | None:
    """The system calls of a fresh, warm process."""
    assert client.launch is not None
    loopback = Loopback.MACHINE if course.link.is_emulated else best()
    subject = Subject(client.id, client.launch, course, seed, loopback)
    with scratch() as folder, warm_client(subject, folder) as warm:
        return table(record_calls(warm, traced_iterations_of(warm)))
