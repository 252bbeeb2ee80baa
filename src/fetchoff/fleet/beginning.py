"""Begin a run on the hosts of a cluster: what they have, what each measures, and the run folder."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import fetchoff
from fetchoff.fleet.asking import answered, ask
from fetchoff.fleet.host import work
from fetchoff.fleet.seam.cluster import Cluster, Job
from fetchoff.fleet.seam.told import Look, Prepared, Preparing, Wanted
from fetchoff.model.client import Client, Readiness
from fetchoff.model.errors import HostError, InputError, StoreError
from fetchoff.model.experiment import Experiment
from fetchoff.model.host import FleetMode, HostRecord, can_measure, dealt
from fetchoff.model.loopback import Loopback
from fetchoff.store.run_folder import SCHEMA, ClientRecord, Header, RunFolder

LOOK_S = 600.0
PREPARE_S = 300.0

Warn = Callable[[str], None]


@dataclass(frozen=True)
class Asked:
    """What the user asks of a fleet. `rank`: the experiment for the clients that there are."""

    title: str
    out: Path | None
    wanted: Wanted
    rank: Callable[[Sequence[Client]], Experiment]
    mode: FleetMode = FleetMode.REPLICATE
    loopback: Loopback | None = None


@dataclass(frozen=True)
class Jobs:
    """The functions that hosts are given: others in tests."""

    look: Callable[..., Look] = work.look
    prepare: Callable[..., Prepared] = work.prepare


THE_JOBS = Jobs()


def begin(
    cluster: Cluster, hosts: Sequence[str], asked: Asked, warn: Warn, jobs: Jobs = THE_JOBS
) -> RunFolder:
    """Create the run folder of an experiment on these hosts.

    Hosts that cannot take part are left out, and the user is told. Raises InputError if none is
    left, or hosts have different versions of Fetchoff.
    """
    looks: dict[str, Look] = _of_those_who_can(
        ask(cluster, {host: Job(jobs.look, asked.wanted) for host in hosts}, LOOK_S), warn
    )
    must_agree({host: look.fetchoff for host, look in looks.items()})
    experiment = asked.rank(merged(looks))
    records = _hosts_that_measure(experiment, looks, asked.mode, warn)
    now = datetime.now(UTC)
    header = Header(
        run_id=f"{now:%Y%m%d-%H%M%S}-{experiment.seed}",
        title=asked.title,
        started=now.isoformat(timespec="seconds"),
        fetchoff=fetchoff.__version__,
        experiment=experiment,
        clients=_client_records(experiment, [looks[host.id] for host in records]),
        environment={},
        origin=next(iter(looks.values())).origin,
        schema=SCHEMA,
        mode=asked.mode,
    )
    prepared: dict[str, Prepared] = _of_those_who_can(
        ask(cluster, _preparing(records, header, looks, asked.loopback, jobs), PREPARE_S), warn
    )
    loopbacks = {one.loopback for one in prepared.values()}
    header = replace(
        header,
        experiment=replace(
            experiment,
            loopback=Loopback.OWN if loopbacks == {Loopback.OWN} else Loopback.MACHINE,
        ),
        hosts=tuple(prepared[one.id].host for one in records if one.id in prepared),
        notes=(
            *_on_one_machine(prepared, looks),
            *_of_other_versions(records, looks),
            *_measured_nowhere(experiment, prepared),
        ),
    )
    return RunFolder.create(asked.out or Path("runs") / header.run_id, header)


def must_agree(versions: Mapping[str, str]) -> None:
    """Raise InputError if hosts have another Fetchoff than this one."""
    others = {host: version for host, version in versions.items() if version != _version()}
    if others:
        told = ", ".join(f"{host} has {version}" for host, version in others.items())
        raise InputError(
            f"this is Fetchoff {_version()}, but {told}",
            "install the same version everywhere, or hosts cannot be compared",
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


def _version() -> str:
    return fetchoff.__version__


def _of_those_who_can(found: Mapping[str, Any], warn: Warn) -> dict[str, Any]:
    """The answers of the hosts that gave one, of which there must be some."""
    results, errors = answered(found)
    for host, error in errors.items():
        warn(f"{host} is left out: {error.message}{f' ({error.hint})' if error.hint else ''}")
    if not results:
        first = next(iter(errors.values()), HostError("no host is there"))
        raise InputError(f"no host can take part: {first.message}", first.hint)
    return results


def _hosts_that_measure(
    experiment: Experiment, looks: Mapping[str, Look], mode: FleetMode, warn: Warn
) -> list[HostRecord]:
    everything = tuple(course.id for course in experiment.courses)
    divided = dealt(everything, list(looks))
    found = []
    for host, look in sorted(looks.items()):
        record = HostRecord(
            id=host,
            clients=tuple(client.id for client in look.ready),
            absent=tuple(
                (c.id, f"{c.reason} ({c.hint})" if c.hint else c.reason)
                for c in look.clients
                if c.readiness is not Readiness.READY
            ),
            courses=divided[host] if mode is FleetMode.SHARD else everything,
        )
        if can_measure(experiment, record):
            found.append(record)
        else:
            what = "no client to rank is ready there" if record.courses else "no workload is left"
            warn(f"{host} is left out: {what}")
    if not found:
        raise InputError(
            "no host can take part: none has a client to rank",
            "'fetchoff fleet setup' sets them up",
        )
    return found


def _preparing(
    records: Sequence[HostRecord],
    header: Header,
    looks: Mapping[str, Look],
    loopback: Loopback | None,
    jobs: Jobs,
) -> dict[str, Job]:
    """Each host gets the header with the records of its own clients: it is what they must stay."""
    taking_part = {entrant.client for entrant in header.experiment.entrants}
    own = {
        host.id: tuple(r for r in looks[host.id].records if r.id in taking_part) for host in records
    }
    return {
        host.id: Job(
            jobs.prepare,
            Preparing(host, replace(header, clients=own[host.id]), loopback),
        )
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


def _on_one_machine(hosts: Mapping[str, Prepared], looks: Mapping[str, Look]) -> list[str]:
    machines: dict[str, list[str]] = {}
    for host in sorted(hosts):
        machines.setdefault(looks[host].machine, []).append(host)
    return [
        f"{', '.join(names)} are on one machine: they take turns, and say nothing of other machines"
        for machine, names in machines.items()
        if machine and len(names) > 1
    ]


def _of_other_versions(hosts: Sequence[HostRecord], looks: Mapping[str, Look]) -> list[str]:
    """Which clients have different versions, or were built from different files, on some hosts."""
    versions: dict[str, dict[tuple[str, str], list[str]]] = {}
    for host in hosts:
        for record in looks[host.id].records:
            key = (record.version, record.runtime)
            versions.setdefault(record.id, {}).setdefault(key, []).append(host.id)
    return [
        f"{client} is not the same everywhere: "
        + "; ".join(
            f"{version} on {runtime}: {', '.join(names)}"
            for (version, runtime), names in found.items()
        )
        for client, found in versions.items()
        if len(found) > 1
    ]


def _measured_nowhere(experiment: Experiment, hosts: Mapping[str, Prepared]) -> list[str]:
    """Courses that were given to hosts that cannot take part."""
    given = {course for one in hosts.values() for course in one.host.courses}
    return [
        f"{course.id} is not measured: its host cannot take part"
        for course in experiment.courses
        if course.id not in given
    ]


def must_be_resumable(header: Header, path: Path) -> None:
    """Raise InputError or StoreError if this is no run of a fleet, or of another Fetchoff."""
    if not header.hosts:
        raise InputError(
            f"{path} is a run of one machine", f"continue it with 'fetchoff resume {path}'"
        )
    if header.schema != SCHEMA:
        raise StoreError(
            f"this run was started by Fetchoff {header.fetchoff}, which measured differently",
            "start a new run; 'fetchoff report' still shows this one",
        )
