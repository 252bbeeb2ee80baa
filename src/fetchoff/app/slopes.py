"""Count the round trips of an exchange: the same loop over links of three round-trip times."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from fetchoff.app.explain import one_at_a_time
from fetchoff.diagnosis.slope import round_trips
from fetchoff.model.client import Client
from fetchoff.model.course import Course
from fetchoff.model.errors import AdapterError
from fetchoff.model.link import Link, Profile
from fetchoff.model.recording import Recording, Written
from fetchoff.model.slope import Point, RoundTrips
from fetchoff.model.workload import Workload
from fetchoff.run.host.alone import alone
from fetchoff.run.os.scratch import scratch
from fetchoff.run.recording.recorder import record_wire
from fetchoff.run.recording.warm_client import Subject, WarmClient, warm_client

ROUND_TRIPS_MS = (10.0, 30.0, 60.0)
LOOPS = 6  # over each link
LOOP_MS = 400.0
MOST_ITERATIONS = 8
SETTLING = 2  # iterations, until TCP knows the new round trip


def slope_of(
    client: Client, workload: Workload, seed: int, say: Callable[[str], None]
) -> RoundTrips:
    """Measure the line of a client; links have no limit to their rate. Exchanges are done one at a
    time: of several at once, each has a part of the round trips that they share.

    Raises InputError where the client does not support the workload, SetupError and LinkError where
    no link can be emulated, AdapterError and OriginError.
    """
    assert client.launch is not None
    links = [_link(round_trip_ms) for round_trip_ms in ROUND_TRIPS_MS]
    course = one_at_a_time(Course(workload, links[-1]))
    subject = Subject(client.id, client.launch, course, seed)
    at_once = workload.settings.concurrency
    with alone(waits=True, say=say):
        told = ", ".join(f"{length:g}" for length in ROUND_TRIPS_MS)
        alike = ", one exchange at a time" if at_once > 1 else ""
        say(f"{client.id}: the same over links of {told} ms{alike}")
        with scratch() as folder, warm_client(subject, folder) as warm:
            points = [point for link in links for point in _points(warm, link)]
    found = round_trips(client.id, warm.subject.course.workload, points)
    return replace(found, at_once=at_once)


def _link(round_trip_ms: float) -> Link:
    one_way = Profile(delay_ms=round_trip_ms / 2)
    return Link(f"{round_trip_ms:g} ms", "delay, and nothing else", up=one_way, down=one_way)


def _points(warm: WarmClient, link: Link) -> Iterator[Point]:
    warm.network.shape(link, warm.subject.seed)
    settling = warm.run(SETTLING)
    here = replace(warm, iteration_ms=settling.wall_ns / 1e6 / SETTLING)
    iterations = max(1, min(MOST_ITERATIONS, round(LOOP_MS / max(here.iteration_ms, 1e-3))))
    exchanges = iterations * len(warm.subject.course.workload.exchanges)
    for _ in range(LOOPS):
        found = record_wire(here, iterations)
        if found.fault or found.failed:
            raise AdapterError(found.fault or _failure(found, exchanges, link))
        written = sum(event.size for event in found.events if isinstance(event, Written))
        yield Point(link.round_trip_ms, found.wall_ns / 1e6 / exchanges, written / exchanges)


def _failure(found: Recording, exchanges: int, link: Link) -> str:
    """Exchanges that fail take other round trips than those that succeed."""
    said = f": {found.error}" if found.error else ""
    return f"over a link of {link.id}, {found.failed} of {exchanges} exchanges failed{said}"
