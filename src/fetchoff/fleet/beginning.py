"""Begin a run on the hosts of a cluster: what they have, what each measures, and the run folder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import fetchoff
from fetchoff.app.own_code import code
from fetchoff.app.results import named
from fetchoff.app.unchanged import must_have_measured_alike
from fetchoff.fleet import notes
from fetchoff.fleet.asking import answered, ask
from fetchoff.fleet.host import work
from fetchoff.fleet.host.own_folder import is_of_a_host
from fetchoff.fleet.left_out import LeftOut
from fetchoff.fleet.seam.cluster import Cluster, HostAway, Job
from fetchoff.fleet.seam.told import Look, Prepared, Preparing, Wanted
from fetchoff.model.client import Client, Kind, Readiness
from fetchoff.model.errors import HostError, InputError
from fetchoff.model.experiment import Experiment
from fetchoff.model.host import (
    ClientOnHost,
    FleetMode,
    HostRecord,
    can_measure,
    dealt,
    has_baseline,
)
from fetchoff.model.loopback import Loopback
from fetchoff.model.origin import OriginRecord
from fetchoff.store.run_folder import (
    RUNS,
    SCHEMA,
    ClientRecord,
    Header,
    RunFolder,
    must_hold_no_run,
)

LOOK_S = 600.0
PREPARE_S = 300.0


@dataclass(frozen=True)
class Asked:
    """What the user asks of a fleet. `rank`: the experiment for the clients that there are, and how
    many of the hosts that can rank any have each."""

    title: str
    out: Path | None
    wanted: Wanted
    rank: Callable[[Sequence[Client], Mapping[str, int]], Experiment]
    mode: FleetMode = FleetMode.REPLICATE
    loopback: Loopback | None = None


@dataclass(frozen=True)
class Jobs:
    """The functions that hosts are given: others in tests."""

    look: Callable[..., Look] = work.look
    prepare: Callable[..., Prepared] = work.prepare


THE_JOBS = Jobs()


def begin(
    cluster: Cluster, hosts: Sequence[str], asked: Asked, left_out: LeftOut, jobs: Jobs = THE_JOBS
) -> RunFolder:
    """Create the run folder of an experiment on these hosts.

    Hosts that cannot take part are left out; the user is told, and the run keeps it. Raises
    InputError if none is left, or hosts have another Fetchoff than this machine, HostError if none
    is there, and StoreError if there is a run where this one is to be kept.
    """
    if asked.out is not None:
        must_hold_no_run(asked.out)
    looks: dict[str, Look] = _of_those_who_can(
        ask(cluster, {host: Job(jobs.look, asked.wanted) for host in hosts}, LOOK_S), left_out
    )
    must_agree(looks)
    looks = _of_the_same_clients(looks, left_out)
    everybody = merged(looks)
    experiment = asked.rank(everybody, _had_by(looks))
    able = _able(experiment, looks, asked.mode, left_out)
    header = _planned(experiment, everybody, asked)
    prepared = _prepared(cluster, able, header, looks, asked, jobs, left_out)
    header = _with_hosts(header, prepared, looks, able)
    measuring = {host.id: looks[host.id] for host in header.hosts}
    told = (
        *notes.on_one_machine(measuring),
        *notes.of_origins(measuring),
        *notes.of_versions(measuring),
        *notes.of_controls(experiment, everybody, measuring),
        *notes.of_programs(measuring, {host.id: host.programs for host in header.hosts}),
        *left_out.notes(),
    )
    return RunFolder.create(asked.out or RUNS / header.run_id, replace(header, notes=told))


def _planned(experiment: Experiment, everybody: Sequence[Client], asked: Asked) -> Header:
    """The header of a run, without its hosts and what they have."""
    now = datetime.now(UTC)
    return Header(
        run_id=f"{now:%Y%m%d-%H%M%S}-{experiment.seed}",
        title=asked.title,
        started=now.isoformat(timespec="seconds"),
        fetchoff=fetchoff.__version__,
        experiment=experiment,
        clients=(),
        environment={},
        absent=_not_ready(everybody),
        schema=SCHEMA,
        mode=asked.mode,
        code=code(),
    )


def _with_hosts(
    header: Header,
    prepared: Sequence[Prepared],
    looks: Mapping[str, Look],
    able: Sequence[HostRecord],
) -> Header:
    """The header with its hosts: clients and origin are those of the first that has them. `able`:
    also those that fell out, which may be the only ones that have a client."""
    names = dict.fromkeys([*(one.host.id for one in prepared), *(host.id for host in able)])
    clients = _client_records(header.experiment, [looks[name] for name in names])
    origin = looks[prepared[0].host.id].origin
    has_own = all(one.loopback is Loopback.OWN for one in prepared)
    loopback = Loopback.OWN if has_own else Loopback.MACHINE
    return replace(
        header,
        experiment=replace(header.experiment, loopback=loopback),
        clients=clients,
        origin=origin,
        hosts=tuple(
            _with_its_own(one.host, looks[one.host.id], clients, origin) for one in prepared
        ),
    )


def must_agree(looks: Mapping[str, Look]) -> None:
    """Raise InputError if hosts have another Fetchoff than this machine."""
    here, own = fetchoff.__version__, code()
    others = {
        host: look.fetchoff if look.fetchoff != here else f"other code of {here}"
        for host, look in looks.items()
        if (look.fetchoff, look.code) != (here, own)
    }
    if others:
        told = ", ".join(f"{host} has {version}" for host, version in others.items())
        raise InputError(
            f"this is Fetchoff {here}, but {told}",
            "install the same version, of the same commit, everywhere, or hosts cannot be compared",
        )


def merged(looks: Mapping[str, Look]) -> list[Client]:
    """Every client once: as it is on a host where it is ready, if there is one."""
    found: dict[str, Client] = {}
    for look in looks.values():
        for client in look.clients:
            known = found.get(client.id)
            if known is None or known.readiness is not Readiness.READY:
                found[client.id] = client
    return list(found.values())


def _had_by(looks: Mapping[str, Look]) -> Counter[str]:
    """How many hosts have each client, of those that have any to rank."""
    return Counter(
        client.id
        for look in looks.values()
        if any(one.manifest.kind is not Kind.FLOOR for one in look.ready)
        for client in look.ready
    )


def _of_those_who_can(found: Mapping[str, Any], left_out: LeftOut) -> dict[str, Any]:
    """The answers of the hosts that gave one, of which there must be some."""
    results, errors = answered(found)
    _leave_out(errors, left_out)
    if not results:
        raise _nobody(errors)
    return results


def _leave_out(errors: Mapping[str, HostError], left_out: LeftOut) -> None:
    for host, error in errors.items():
        left_out.add(host, error.message, error.hint)


def _nobody(errors: Mapping[str, HostError]) -> InputError | HostError:
    """What ends a run without hosts: an InputError if any of them could say why."""
    told = [error for error in errors.values() if not isinstance(error, HostAway)]
    first = next(iter([*told, *errors.values()]), HostError("no host is there"))
    kind = InputError if told else HostError
    return kind(f"no host can take part: {first.message}", first.hint)


def _of_the_same_clients(looks: Mapping[str, Look], left_out: LeftOut) -> dict[str, Look]:
    """The hosts whose clients are built from the same sources as those of the hosts before them."""
    others = of_other_files(looks)
    for host, reason in others.items():
        left_out.add(host, reason)
    return {host: look for host, look in looks.items() if host not in others}


def of_other_files(looks: Mapping[str, Look]) -> dict[str, str]:
    """The hosts whose clients are not built from the same sources as those of the hosts before
    them, which are taken by their names, and which."""
    first: dict[str, tuple[str, str]] = {}
    found = {}
    for host, look in sorted(looks.items()):
        for client, sources in look.sources.items():
            other, expected = first.get(client, (host, sources))
            if sources != expected:
                found[host] = (
                    f"its {client} is built from other files (adapter, kit or lock file) than "
                    f"that of {other}"
                )
                break
        else:
            for client, sources in look.sources.items():
                first.setdefault(client, (host, sources))
    return found


def _able(
    experiment: Experiment, looks: Mapping[str, Look], mode: FleetMode, left_out: LeftOut
) -> list[HostRecord]:
    """The hosts that can measure, with all courses."""
    found = []
    for host, look in sorted(looks.items()):
        record = HostRecord(
            id=host,
            clients=tuple(client.id for client in look.ready),
            absent=_not_ready(look.clients),
            courses=tuple(course.id for course in experiment.courses),
        )
        if not can_measure(experiment, record):
            left_out.add(host, "no client to rank is ready there")
        elif mode is FleetMode.SHARD and not has_baseline(experiment, record):
            left_out.add(
                host,
                f"the baseline {experiment.baseline}, without which hosts that share the "
                "workloads cannot be compared, is not ready there",
            )
        else:
            found.append(record)
    if not found:
        raise InputError(
            "no host can take part: none has a client to rank",
            "'fetchoff fleet setup' sets them up",
        )
    return found


def _not_ready(clients: Sequence[Client]) -> tuple[tuple[str, str], ...]:
    """The clients that are not ready, and why."""
    return tuple(
        (c.id, f"{c.reason} ({c.hint})" if c.hint else c.reason)
        for c in clients
        if c.readiness is not Readiness.READY
    )


def _prepared(
    cluster: Cluster,
    able: Sequence[HostRecord],
    header: Header,
    looks: Mapping[str, Look],
    asked: Asked,
    jobs: Jobs,
    left_out: LeftOut,
) -> list[Prepared]:
    """The hosts with their run folders. Courses that were dealt to one that can't make its own are
    dealt again, to the others."""
    everything = tuple(course.id for course in header.experiment.courses)
    is_shared = asked.mode is FleetMode.SHARD
    faults: dict[str, HostError] = {}
    while left := [host for host in able if host.id not in faults]:
        hosts = _with_courses(left, everything) if is_shared else left
        found: dict[str, Prepared]
        found, unfit = answered(
            ask(cluster, _preparing(hosts, header, looks, asked.loopback, jobs), PREPARE_S)
        )
        _leave_out(unfit, left_out)
        faults |= unfit
        if found and not (unfit and is_shared):
            for host in left[len(hosts) :]:
                left_out.add(host.id, "no workload is left")
            return [found[host.id] for host in hosts if host.id in found]
    raise _nobody(faults)


def _with_courses(hosts: Sequence[HostRecord], courses: Sequence[str]) -> list[HostRecord]:
    """The hosts to which courses are dealt: the first, if there are more hosts than courses."""
    divided = dealt(courses, [host.id for host in hosts])
    return [replace(host, courses=divided[host.id]) for host in hosts if divided[host.id]]


def _preparing(
    records: Sequence[HostRecord],
    header: Header,
    looks: Mapping[str, Look],
    loopback: Loopback | None,
    jobs: Jobs,
) -> dict[str, Job]:
    """Each host gets the header with the records of its own clients and origin: it is what they
    must stay."""
    taking_part = {entrant.client for entrant in header.experiment.entrants}

    def own(look: Look) -> Header:
        clients = tuple(record for record in look.records if record.id in taking_part)
        return replace(header, clients=clients, origin=look.origin)

    return {
        host.id: Job(jobs.prepare, Preparing(host, own(looks[host.id]), loopback))
        for host in records
    }


def _client_records(experiment: Experiment, looks: Sequence[Look]) -> tuple[ClientRecord, ...]:
    """Of every client that takes part, as the first host has it that does."""
    found: dict[str, ClientRecord] = {}
    for look in looks:
        for record in look.records:
            found.setdefault(record.id, record)
    names = dict.fromkeys(entrant.client for entrant in experiment.entrants)
    return tuple(found[name] for name in names if name in found)


def _with_its_own(
    host: HostRecord, look: Look, clients: Sequence[ClientRecord], origin: OriginRecord
) -> HostRecord:
    """A host with what it has in another version, or on another runtime, than the run."""
    of_run, own = (
        {one.id: ClientOnHost(one.id, one.version, one.runtime, one.engine) for one in records}
        for records in (clients, look.records)
    )
    return replace(
        host,
        unlike=tuple(own[name] for name in of_run if own.get(name, of_run[name]) != of_run[name]),
        origin=named(look.origin) if named(look.origin) != named(origin) else "",
    )


def must_be_resumable(header: Header, path: Path) -> None:
    """Raise InputError or StoreError if this is no run of a fleet, or of another Fetchoff."""
    if header.machine or is_of_a_host(path):
        raise InputError(
            f"{path} is what one host of a fleet has measured",
            "continue the whole run, where it was begun: 'fetchoff fleet resume RUN'",
        )
    if not header.hosts:
        raise InputError(
            f"{path} is a run of one machine", f"continue it with 'fetchoff resume {path}'"
        )
    must_have_measured_alike(header)
