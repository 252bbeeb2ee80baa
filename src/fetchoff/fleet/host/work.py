"""The jobs that hosts are given. Each can be done again: what was done is not done twice."""

from __future__ import annotations

import platform
import shutil
import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from importlib import metadata
from pathlib import Path

import fetchoff
from fetchoff.analysis.fleet import is_decided_on
from fetchoff.app.choose import chosen, recorded, states
from fetchoff.app.doctor import Health, MachineCheck, check_machine
from fetchoff.app.explaining import explain_ranked
from fetchoff.app.loopbacks import on_loopback
from fetchoff.app.measure import (
    client_record,
    launches,
    placement_notes,
    programs_of,
    programs_there,
    running,
    tree_notes,
)
from fetchoff.app.own_code import code
from fetchoff.app.results import analysis_of
from fetchoff.app.same_machine import identity
from fetchoff.app.serving import must_serve, ready_or_built_in, record_of
from fetchoff.app.setup import set_up
from fetchoff.app.unchanged import must_be_this_fetchoff, must_have_the_same, unchanged_of
from fetchoff.build.build_dir import BuildDir
from fetchoff.catalog.paths import cache
from fetchoff.fleet.host.own_folder import (
    discard_unless_measured,
    folders,
    must_have_a_cache,
    opened,
    telling_of_the_host,
    telling_what_goes_on,
)
from fetchoff.fleet.host.same_machine import must_be_the_same_machine
from fetchoff.fleet.seam.cluster import Here, Step
from fetchoff.fleet.seam.told import (
    Block,
    Examined,
    Explaining,
    Look,
    Prepared,
    Preparing,
    SetUp,
    Told,
    Wanted,
)
from fetchoff.model.client import Client, Readiness
from fetchoff.model.errors import FetchoffError, HostError
from fetchoff.model.experiment import Experiment
from fetchoff.model.explanation import Explanation
from fetchoff.model.host import measured_on
from fetchoff.model.observation import Record, SectionDone
from fetchoff.run.host.alone import alone, lock_id
from fetchoff.run.host.machine import facts
from fetchoff.run.host.placement import on_core
from fetchoff.run.schedule.events import Nobody
from fetchoff.store.journal import JOURNAL
from fetchoff.store.run_folder import HEADER, RunFolder

WAITING = "waiting for the machine"
MACHINE = Path("/proc/sys/kernel/random/boot_id")


def look(wanted: Wanted, here: Here) -> Look:
    """What the host has of what is wanted; InputError or OriginError if its origin cannot serve."""
    here.enter()
    must_have_a_cache()
    must_serve(wanted.origin, wanted.courses, allow_remote=wanted.allow_remote)
    clients = _clients(wanted)
    ready = [client for client in clients if client.readiness is Readiness.READY]
    return Look(
        fetchoff=fetchoff.__version__,
        machine=machine(),
        clients=tuple(clients),
        records=tuple(client_record(client) for client in ready),
        origin=record_of(wanted.origin),
        code=code(),
        sources={client.id: BuildDir.of(client.manifest).sources for client in ready},
        lock=lock_id(),
        architecture=platform.machine(),
    )


def examine(wanted: Wanted, here: Here) -> Examined:
    """Whether the host is fit for measuring, and has the server that is wanted."""
    here.enter()
    clients = _clients(wanted)
    return Examined(
        fetchoff=fetchoff.__version__,
        machine=machine(),
        facts=facts(),
        checks=(*check_machine(), *of_origin(wanted)),
        ready=sum(client.readiness is Readiness.READY for client in clients),
        clients=len(clients),
        free_gb=shutil.disk_usage(cache()).free / 1e9,
        clock_s=time.time(),
        python=platform.python_version(),
        dask=dask_version(),
        programs=programs_there(),
    )


def of_origin(wanted: Wanted) -> Iterator[MachineCheck]:
    """That the origin that is wanted can't serve there, if it can't."""
    try:
        must_serve(wanted.origin, wanted.courses, allow_remote=wanted.allow_remote)
    except FetchoffError as error:
        yield MachineCheck(Health.BAD, error.message, error.hint)


def clock(_request: object, _here: Here) -> float:
    """The host's clock: seconds since 1970."""
    return time.time()


def set_up_clients(wanted: Wanted, here: Here) -> tuple[SetUp, ...]:
    """Install and build what can be had on the host, and the server that is wanted.

    A server that can't be had is told by `look`.
    """
    here.enter()
    ready_or_built_in(wanted.origin, set_up=True)

    def told(client: str) -> None:
        here.tell(Step(client, "setting up"))

    done = set_up(chosen(wanted.clients, without=wanted.without), told)
    return tuple(
        SetUp(client.id)
        if client.readiness is Readiness.READY
        else SetUp(client.id, client.reason, client.hint)
        for client in done
    )


def prepare(asked: Preparing, here: Here) -> Prepared:
    """Make the host's run folder, or make it anew: before anything is measured its courses may
    change."""
    here.enter()
    path = folder_of(asked.header.run_id, asked.host.id)
    on = on_loopback(measured_on(asked.header.experiment, asked.host), asked.loopback)
    clients = states(recorded(asked.header))
    host = replace(
        asked.host,
        environment=facts() | on.facts,
        notes=(
            *asked.host.notes,
            *tree_notes(clients),
            *placement_notes(on.experiment),
            *on.notes,
        ),
        programs=programs_of(on.experiment),
    )
    header = replace(
        asked.header,
        experiment=on.experiment,
        environment=host.environment,
        notes=host.notes,
        absent=host.absent,
        programs=host.programs,
        machine=identity(asked.header.run_id),
    )
    if (path / HEADER).exists():
        discard_unless_measured(path)
    with telling_of_the_host():
        RunFolder.create(path, header).close()
    return Prepared(host, on.experiment.loopback)


def measure_round(block: Block, here: Here) -> Told:
    """Measure what the host's run folder does not hold of a round, and tell what is new in it.

    HostError if the host is not what it was: its Fetchoff has changed, it is another machine, or it
    has lost records.
    """
    must_be_of_this_code(block.code)
    path = folder_of(block.run, block.host)
    folder = opened(path)
    try:
        must_be_the_same_machine(folder.header, here.cores)
        must_have_kept(len(folder.records()), block.known)
        if not is_whole(folder.records(), folder.header.experiment, block.round):
            clients = states(recorded(folder.header))
            must_be_this_fetchoff(folder.header)
            must_have_the_same(folder.header, clients)
            here.tell(Step("", WAITING, waits=True))
            with alone(waits=True, say=lambda _: None):
                here.tell(Step("", "beginning the round"))
                here.enter()
                listener = Steps(here)
                with (
                    telling_what_goes_on(),
                    telling_of_the_host(),
                    running(folder, launches(clients), listener, _never, host=block.host) as one,
                ):
                    one.run_round(block.round)
    finally:
        folder.close()
    judged = replace(folder.header.experiment, alpha=block.alpha)
    with on_core(here.cores[0]):  # another host may have the machine by now
        is_decided = is_decided_on(judged, folder.records())
    return told_of(path, block.known, is_decided=is_decided)


def explain_slowest(asked: Explaining, here: Here) -> tuple[Explanation, ...]:
    """Explain the slowest clients of what the host measured, and those that mostly wait.

    Those that it has explained already aren't explained again, and those that have changed since
    aren't explained. InputError if it measured nothing; HostError as of measure_round.
    """

    def say(text: str) -> None:
        here.tell(Step("", text))

    def wait(_text: str) -> None:
        here.tell(Step("", WAITING, waits=True))

    must_be_of_this_code(asked.code)
    folder = opened(folder_of(asked.run, asked.host), to_append=False)
    must_be_the_same_machine(folder.header, here.cores)
    # Both on the harness's core, because another host may have the machine. Seen from there, the
    # machine has one core: it is compared above, by all of them.
    clients = unchanged_of(replace(folder.header, environment={}), say)
    analysis = analysis_of(folder)
    here.enter()
    return explain_ranked(folder, analysis, clients, say, wait).explanations


def told_of(path: Path, known: int, *, is_decided: bool) -> Told:
    """The lines of a journal beyond the first `known`; HostError if it has fewer."""
    data = (path / JOURNAL).read_bytes()
    lines = data[: data.rfind(b"\n") + 1].splitlines(keepends=True)
    must_have_kept(len(lines), known)
    return Told(tuple(lines[known:]), is_decided)


def must_have_kept(records: int, known: int) -> None:
    """Raise HostError if a host has fewer records than the driver has of it.

    A journal is not synced to the disk, so a power cut may take its last records. What is measured
    after that would stand where the driver has those that are lost, and would never be told.
    """
    if records < known:
        raise HostError(
            f"its run folder has lost {known - records} of {known} records",
            "restore it, or begin a new run",
        )


def must_be_of_this_code(of_driver: str) -> None:
    """Raise HostError if this host has other code than the driver: it may have been changed since
    the run began. `of_driver`: a digest of that."""
    if of_driver != code():
        raise HostError(
            f"its Fetchoff {fetchoff.__version__} has other code than the driver's",
            "install the same version, of the same commit, everywhere",
        )


def is_whole(records: Iterable[Record], experiment: Experiment, number: int) -> bool:
    """Whether a round was measured whole on all courses."""
    done = {r.workload for r in records if isinstance(r, SectionDone) and r.round == number}
    return done >= {course.id for course in experiment.courses}


def folder_of(run: str, host: str) -> Path:
    """The run folder of a host, on that host; HostError if it can have none."""
    must_have_a_cache()
    return folders() / run / host


def dask_version() -> str:
    """Of Dask distributed in this environment; "" where it has none."""
    try:
        return metadata.version("distributed")
    except metadata.PackageNotFoundError:
        return ""


def machine() -> str:
    """The same for all who run on this machine until it is started again."""
    try:
        return MACHINE.read_text().strip()
    except OSError:
        return ""


class Steps(Nobody):
    """Tells the steps of a run."""

    def __init__(self, here: Here) -> None:
        self._here = here

    def step_began(self, workload: str, step: str, of: int) -> None:  # noqa: ARG002
        self._here.tell(Step(workload, step))

    def trouble(self, text: str) -> None:
        self._here.tell(Step("", text, is_trouble=True))


def _clients(wanted: Wanted) -> list[Client]:
    clients = states(chosen(wanted.clients, without=wanted.without))
    taken = {client.id for client in clients}
    more = states(chosen(wanted.if_ready))
    return clients + [c for c in more if c.readiness is Readiness.READY and c.id not in taken]


def _never(_records: object, _rounds: int) -> bool:
    """The driver decides when it is enough."""
    return False
