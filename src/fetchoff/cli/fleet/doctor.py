"""`fetchoff fleet doctor`: are these hosts fit for measuring?"""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fetchoff.cli import options
from fetchoff.cli.fleet import options as fleet_options
from fetchoff.cli.fleet.patient import Patient
from fetchoff.cli.status import Status

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from fetchoff.fleet.seam.cluster import Cluster
    from fetchoff.fleet.seam.told import Look, Wanted
    from fetchoff.model.errors import HostError

NAME = "doctor"
LONGEST_S = 300.0


def command(
    suite: Annotated[str, typer.Argument(help="Count the clients of this suite.")] = "default",
    scheduler: fleet_options.Scheduler = None,
    hosts: fleet_options.Hosts = None,
    local: fleet_options.Local = None,
    security: fleet_options.Secure = False,
    as_json: options.Json = False,
) -> None:
    """Check every host: versions, clock, cores, noise, free disk, and which clients are ready.

    The exit status is 1 if 'fleet run' would not take some host.
    """
    from fetchoff.app.courses import courses
    from fetchoff.app.serving import located
    from fetchoff.catalog import workloads
    from fetchoff.cli.console import data_console, print_json
    from fetchoff.cli.fleet import doctor_tables
    from fetchoff.cli.fleet.joining import Where, joined

    chosen = workloads.suite(suite)
    where = Where(scheduler, hosts, local, security)
    with joined(where, quiet=as_json) as there:
        from fetchoff.fleet.seam.told import Wanted

        wanted = Wanted(
            tuple(chosen.clients),
            tuple(chosen.without),
            tuple(chosen.if_ready),
            courses=tuple(courses(chosen.workloads)),
            origin=located(chosen.origin),
        )
        names = there.names()
        patients, errors = examined_of(there.cluster, names, wanted)
        errors |= there.absent_from(names)
    if as_json:
        print_json(_document(patients, errors))
    else:
        for table in doctor_tables.all_of(patients, errors):
            data_console().print(table, "")
    if errors or any(one.is_unfit for one in patients):
        raise typer.Exit(Status.NO)


def examined_of(
    cluster: Cluster, hosts: Sequence[str], wanted: Wanted
) -> tuple[list[Patient], dict[str, HostError]]:
    """What is known of each host, and the errors of those that can't say.

    Those that share a machine are examined one after the other: at once, they would find each
    other's noise.
    """
    from fetchoff.cli.fleet import comparing
    from fetchoff.fleet.asking import answered, ask
    from fetchoff.fleet.host import work
    from fetchoff.fleet.seam.cluster import Job
    from fetchoff.model.origin import BUILT_IN

    # Whether the suite's server is ready there is a finding, and no reason to find nothing else.
    has = replace(wanted, origin=BUILT_IN)
    looks, errors = answered(ask(cluster, {host: Job(work.look, has) for host in hosts}, LONGEST_S))
    told: dict[str, Any] = {}
    for group in _apart(looks):
        told |= ask(cluster, {host: Job(work.examine, wanted) for host in group}, LONGEST_S)
    found, more = answered(told)
    ahead = _ahead_s(cluster, found)
    compared = comparing.findings({host: (looks[host], one) for host, one in found.items()})
    patients = [
        Patient(host, one, looks[host].clients, ahead.get(host), (*compared[host], *one.checks))
        for host, one in sorted(found.items())
    ]
    return patients, errors | more


def _apart(looks: Mapping[str, Look]) -> list[list[str]]:
    """Groups of hosts, in none of which two are on one machine."""
    groups: list[list[str]] = []
    taken: Counter[str] = Counter()
    for host, look in sorted(looks.items()):
        turn = taken[look.machine or host]
        taken[look.machine or host] += 1
        groups += [[]] * (turn == len(groups))
        groups[turn] = [*groups[turn], host]
    return groups


def _ahead_s(cluster: Cluster, hosts: Iterable[str]) -> dict[str, float]:
    """How far the clock of each host that tells it is ahead, at least: nobody knows when it told it
    between asking and the last answer.

    Nothing depends on it: only durations are measured, each by one clock.
    """
    from fetchoff.fleet.asking import answered, ask
    from fetchoff.fleet.host import work
    from fetchoff.fleet.seam.cluster import Job

    before = time.time()
    told, _ = answered(ask(cluster, {host: Job(work.clock, None) for host in hosts}, LONGEST_S))
    after = time.time()
    return {host: there - min(max(there, before), after) for host, there in told.items()}


def _document(patients: Sequence[Patient], errors: dict[str, HostError]) -> dict[str, object]:
    document: dict[str, object] = {one.host: _of_patient(one) for one in patients}
    for host, error in errors.items():
        document[host] = {"error": error.message, "hint": error.hint}
    return document


def _of_patient(one: Patient) -> dict[str, object]:
    examined = one.examined
    return {
        "fetchoff": examined.fetchoff,
        "facts": examined.facts,
        "checks": [
            {"health": str(check.health), "text": check.text, "hint": check.hint}
            for check in one.checks
        ],
        "python": examined.python,
        "dask": examined.dask,
        "clients_ready": examined.ready,
        "clients": [
            {
                "client": client.id,
                "state": str(client.readiness),
                "reason": client.reason,
                "hint": client.hint,
            }
            for client in one.clients
        ],
        "free_gb": round(examined.free_gb, 1),
        "clock_ahead_s": None if one.ahead_s is None else round(one.ahead_s, 3),
    }
