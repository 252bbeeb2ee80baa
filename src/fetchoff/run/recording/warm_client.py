"""A client that is warm and in its place, with an origin and a network of its own."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event

from fetchoff.model.client import Launch
from fetchoff.model.course import Course
from fetchoff.model.errors import AdapterError, InputError, StoreError
from fetchoff.model.loopback import Loopback
from fetchoff.model.workload import Placement, required_features
from fetchoff.protocol.adapter import Spool, fill, prepare
from fetchoff.run.adapters import adapter, sizing
from fetchoff.run.adapters.adapter import Adapter
from fetchoff.run.adapters.seam import ProcessSpec, Timed, no_cpu
from fetchoff.run.adapters.warming import Work, warm_up
from fetchoff.run.host.machine import usable_cores
from fetchoff.run.host.placement import Layout, lay_out, on_core, strongest_urgency
from fetchoff.run.network.own_loopback import laying
from fetchoff.run.network.seam import Network
from fetchoff.run.origins.built_in import BuiltInLedger, BuiltInOrigin
from fetchoff.run.origins.reference import do_before, fetch
from fetchoff.run.os import procfs
from fetchoff.run.recording.unkept import nothing_is_kept

REHEARSED = 8
"""Iterations before the recorded ones, in their place and over their link: connections are open,
and TCP no longer acknowledges at once as it does after a pause."""

PATIENCE = 3.0  # times what a loop should take

NAMED_MS = 500.0
"""What is allowed for an iteration where the origin has a name: twice the time after which a client
should have tried another address (RFC 8305, section 5)."""


@dataclass(frozen=True)
class Subject:
    """Which client to record, on which course, and on which loopback where the course has no link.

    `seed`: of the link's losses. `placement`: the user's choice; None: as the workload says.
    """

    client: str
    launch: Launch
    course: Course
    seed: int = 1
    loopback: Loopback = Loopback.MACHINE
    placement: Placement | None = None


@dataclass(frozen=True)
class WarmClient:
    """A client process that has run its workload until it was steady.

    `subject`: with the lengths of answers, which the workload may leave open.
    `iteration_ms`: what an iteration takes over this link. `folder`: for what is recorded.
    `ready_kb`: its resident memory before its first exchange, None where it can't be read.
    `looked_up`: whether it has asked the link's name server.
    """

    subject: Subject
    adapter: Adapter
    ledger: BuiltInLedger
    origin: BuiltInOrigin
    network: Network
    iteration_ms: float
    folder: Path
    ready_kb: int | None = None
    looked_up: bool = False

    def run(self, iterations: int, slower: float = 1.0, *, allocations: bool = False) -> Timed:
        """One loop of so many iterations; AdapterError if the client breaks the protocol.

        `slower`: how many times as long an iteration may take as it does. `allocations`: its kit is
        asked what it allocates meanwhile.
        """
        course = self.subject.course
        expected_s = slower * iterations * self.iteration_ms / 1e3
        usual_s = sizing.timeout_s(course, course.workload, iterations)
        timeout_s = max(usual_s, PATIENCE * expected_s)
        clock = self.origin.cpu_clock
        return self.adapter.run_timed(iterations, timeout_s, clock, allocations=allocations)


@contextlib.contextmanager
def warm_client(subject: Subject, folder: Path) -> Iterator[WarmClient]:
    """Start and warm up a client; everything ends with the context.

    `folder`: an empty one, for what the processes write. Raises InputError where the client does
    not support the workload, AdapterError, OriginError and LinkError, and StoreError where there is
    no room for what it sends.
    """
    course = subject.course
    layout = lay_out(course, usable_cores(), strongest_urgency(), subject.placement)
    spool = _filled(folder / "spool", course)
    with contextlib.ExitStack() as undo:
        undo.enter_context(nothing_is_kept())
        undo.enter_context(on_core(layout.harness_core))
        network = undo.enter_context(laying(subject.loopback)(course, folder))
        origin = BuiltInOrigin(folder, layout.origin_cores, network)
        undo.callback(origin.end)
        process = adapter.start(_spec(subject, folder, layout, network))
        undo.callback(process.end)
        ledger, found = _prepared(subject, process, origin, network, spool)
        ready_kb = _resident_kb(process)
        process.place(layout.client_cores, layout.urgency)
        origin.place(layout.origin_cores, layout.urgency)
        iteration_ms = _warm_up(found, process, network)
        asked = network.queries()
        looked_up = asked is not None and bool(asked.queries)
        yield WarmClient(
            found, process, ledger, origin, network, iteration_ms, folder, ready_kb, looked_up
        )


def _filled(folder: Path, course: Course) -> Spool:
    spool = Spool(folder)
    try:
        spool.folder.mkdir()
        fill(spool, course.workload)
    except OSError as error:
        raise StoreError(
            f"{spool.folder} cannot be written: {error.strerror}",
            "make room there, or let TMPDIR name a folder with more",
        ) from error
    return spool


def _spec(subject: Subject, folder: Path, layout: Layout, network: Network) -> ProcessSpec:
    return ProcessSpec(
        subject.client, subject.client, subject.launch, folder, layout.client_cores, network
    )


def _prepared(
    subject: Subject,
    process: Adapter,
    origin: BuiltInOrigin,
    network: Network,
    spool: Spool,
) -> tuple[BuiltInLedger, Subject]:
    """Its ledger, and the subject with the lengths of answers that the workload leaves open."""
    workload = subject.course.workload
    process.say_hello()
    lacking = set(required_features(workload)) - process.description().features
    if lacking:
        raise InputError(
            f"{subject.client} does not support workload '{workload.id}': "
            f"{', '.join(sorted(lacking))}",
            "choose another workload: 'fetchoff workloads'",
        )
    plain = origin.open()
    do_before(workload, plain.base_url, network)
    workload = fetch(workload, plain.base_url, network).workload
    plain.close()
    opened = origin.open if subject.course.link.is_emulated else origin.open_for_turns
    ledger = opened(workload.settings)  # as it is measured: a link needs buffers that grow
    found_at = ledger.base_url.replace(network.origin_address, network.origin_name)
    answer = process.prepare(prepare(workload, found_at, spool, tls_ca=ledger.tls_ca))
    refusal = answer.unsupported or answer.error
    if refusal:
        raise AdapterError(
            f"{subject.client} cannot prepare '{workload.id}': {refusal}",
            f"'fetchoff check {subject.client}' tries it by itself",
        )
    return ledger, replace(subject, course=replace(subject.course, workload=workload))


def _resident_kb(process: Adapter) -> int | None:
    procfs.reset_peak(process.pid)  # it begins anew with what is resident now
    try:
        return procfs.read(process.pid).peak_kb
    except OSError:
        return None


def _warm_up(subject: Subject, process: Adapter, network: Network) -> float:
    """Run until it is steady, with the link wide open. Returns the milliseconds of an iteration."""
    course, launch = subject.course, subject.launch
    network.open_wide()
    exchanges = len(course.workload.exchanges)
    work = Work.unchecked(process, exchanges)
    curve = warm_up(process, work, launch.warm_up_exchanges, Event())
    if not course.link.is_emulated:
        process.run_timed(REHEARSED, sizing.LEAST_TIMEOUT_S, no_cpu)
        return curve.wall_us * exchanges / 1e3
    network.shape(course.link, subject.seed)
    if course.link.names:
        return NAMED_MS / course.workload.settings.concurrency  # nobody knows: it may not end
    timeout_s = sizing.timeout_s(course, course.workload, 1)
    return process.run_timed(1, timeout_s, no_cpu).wall_ns / 1e6
