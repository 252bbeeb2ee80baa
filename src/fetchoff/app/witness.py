"""Count what base and head do in an exchange, in recordings of both beside the measurement."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from fetchoff.analysis.witness import by_allocations, by_calls, by_ledger
from fetchoff.app.loopbacks import best
from fetchoff.catalog.paths import cache
from fetchoff.diagnosis.calls import table
from fetchoff.model.allocations import Allocated, AllocationsBy
from fetchoff.model.calls import CallTable
from fetchoff.model.client import Client
from fetchoff.model.course import Course
from fetchoff.model.errors import FetchoffError
from fetchoff.model.experiment import Experiment
from fetchoff.model.loopback import Loopback
from fetchoff.model.observation import Record
from fetchoff.model.recording import Missing, Source
from fetchoff.model.witness import Counter, Uncounted, Witness
from fetchoff.model.workload import Placement
from fetchoff.run.host.alone import alone
from fetchoff.run.os.scratch import scratch
from fetchoff.run.recording.allocator import NotCounted, Tally, allocated, counted, library
from fetchoff.run.recording.recorder import record_calls, traced_iterations_of
from fetchoff.run.recording.tracer import why_not
from fetchoff.run.recording.warm_client import Subject, WarmClient, warm_client

Say = Callable[[str], None]

REPETITIONS = 3
RECORDED = (Counter.STRACE, Counter.ALLOCATOR)


@dataclass
class _Counts:
    """What was counted of each repetition, by counter and client, and why a counter is left out."""

    calls: dict[str, list[CallTable]] = field(default_factory=dict)
    allocations: dict[str, list[Allocated]] = field(default_factory=dict)
    missing: dict[Counter, Uncounted] = field(default_factory=dict)

    @property
    def is_over(self) -> bool:
        """Whether nobody counts any more."""
        return all(counter in self.missing for counter in RECORDED)


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
        counts = _Counts(missing=_unable(base, head))
        try:
            _record(base, head, course, experiment.placement, say, counts, waits=waits)
        except FetchoffError as error:  # the gate has its answer, whatever becomes of this
            reason = Uncounted(error.message)
            counts.missing = dict.fromkeys(RECORDED, reason) | counts.missing
        yield from _found(base, head, course, counts)


def _unable(base: Client, head: Client) -> dict[Counter, Uncounted]:
    """Which counters can't count here, and why."""
    missing = {}
    with scratch() as folder:
        untraced = why_not(folder)
    if untraced:
        missing[Counter.STRACE] = _uncounted(untraced)
    try:
        for client in (base, head):
            _counting_library(client)
    except NotCounted as error:
        missing[Counter.ALLOCATOR] = Uncounted(str(error), error.hint)
    return missing


def _counting_library(client: Client) -> Path | None:
    """What is loaded before its libraries, if anything is. NotCounted where nobody counts what it
    allocates."""
    assert client.launch is not None
    if client.launch.allocations is None:
        raise NotCounted(f"nobody counts what {client.id} allocates")
    by_libc = client.launch.allocations.by is AllocationsBy.LIBC
    return library(cache() / "allocations") if by_libc else None


def _record(
    base: Client,
    head: Client,
    course: Course,
    placement: Placement | None,
    say: Say,
    counts: _Counts,
    *,
    waits: bool,
) -> None:
    """Fill in the counts: fresh processes of both, in turns."""
    if counts.is_over:
        return
    say(f"counting {_what(counts.missing)} on {course.id}")
    with alone(waits=waits, say=say):
        for seed in range(1, REPETITIONS + 1):
            for client in (base, head):
                _record_one(client, course, placement, seed, counts)
                if counts.is_over:
                    return


def _what(missing: Mapping[Counter, Uncounted]) -> str:
    names = {Counter.STRACE: "system calls", Counter.ALLOCATOR: "allocations"}
    return " and ".join(name for counter, name in names.items() if counter not in missing)


def _record_one(
    client: Client, course: Course, placement: Placement | None, seed: int, counts: _Counts
) -> None:
    """A fresh, warm process: first its allocations, at full speed, and then its system calls."""
    assert client.launch is not None
    loopback = Loopback.MACHINE if course.link.is_emulated else best()
    with scratch() as folder:
        launch, tally = client.launch, None
        if Counter.ALLOCATOR not in counts.missing:
            tally = Tally.new(folder)
            launch = counted(launch, tally, _counting_library(client))
        subject = Subject(client.id, launch, course, seed, loopback, placement)
        with warm_client(subject, folder) as warm:
            if tally is not None:
                _count_allocations(warm, tally, counts)
            if Counter.STRACE not in counts.missing:
                _count_calls(warm, counts)


def _count_allocations(warm: WarmClient, tally: Tally, counts: _Counts) -> None:
    try:
        found = allocated(warm, tally)
    except NotCounted as error:
        counts.missing[Counter.ALLOCATOR] = Uncounted(f"{warm.subject.client}: {error}", error.hint)
        return
    counts.allocations.setdefault(warm.subject.client, []).append(found)


def _count_calls(warm: WarmClient, counts: _Counts) -> None:
    client = warm.subject.client
    recording = record_calls(warm, traced_iterations_of(warm))
    found = table(recording)
    if found is not None:
        counts.calls.setdefault(client, []).append(found)
        return
    refused = (gap for gap in recording.missing if gap.source is Source.CALLS)
    untraced = Missing(Source.CALLS, f"no whole exchange of {client} was traced")
    counts.missing[Counter.STRACE] = _uncounted(next(refused, untraced))


def _uncounted(missing: Missing) -> Uncounted:
    return Uncounted(missing.reason, missing.hint)


def _found(base: Client, head: Client, course: Course, counts: _Counts) -> Iterator[Witness]:
    for counter in RECORDED:
        if counter in counts.missing:
            yield Witness(course.id, counter, 0, missing=counts.missing[counter])
        elif counter is Counter.STRACE:
            yield by_calls(course, counts.calls[base.id], counts.calls[head.id])
        else:
            yield by_allocations(course, counts.allocations[base.id], counts.allocations[head.id])
