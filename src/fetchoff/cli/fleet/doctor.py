"""`fetchoff fleet doctor`: are these hosts fit for measuring?"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fetchoff.cli import options
from fetchoff.cli.fleet import options as fleet_options
from fetchoff.cli.status import Status

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fetchoff.fleet.seam.cluster import Cluster
    from fetchoff.fleet.seam.told import Examined, Wanted
    from fetchoff.model.client import Client
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

    The exit status is 1 if nothing can be measured on some host.
    """
    from fetchoff.catalog import workloads
    from fetchoff.cli.console import data_console, print_json
    from fetchoff.cli.fleet import doctor_tables
    from fetchoff.cli.fleet.joining import Where, joined

    chosen = workloads.suite(suite)
    where = Where(scheduler, hosts, local, security)
    with joined(where, quiet=as_json) as cluster:
        from fetchoff.fleet.seam.told import Wanted

        wanted = Wanted(tuple(chosen.clients), tuple(chosen.without), tuple(chosen.if_ready))
        patients, errors = examined_of(cluster, wanted, one_by_one=local is not None)
    if as_json:
        print_json(_document(patients, errors))
    else:
        for table in doctor_tables.all_of(patients, errors):
            data_console().print(table, "")
    if errors or any(one.is_unfit for one in patients):
        raise typer.Exit(Status.NO)


@dataclass(frozen=True)
class Patient:
    """What is known of a host that answers. `clients`: those of the suite, as they stand there;
    `ahead_s`: how far its clock is ahead, None if it didn't say; `code`: a digest of its Fetchoff.
    """

    host: str
    examined: Examined
    clients: tuple[Client, ...]
    ahead_s: float | None
    code: str

    @property
    def is_of_this_version(self) -> bool:
        import fetchoff

        return self.examined.fetchoff == fetchoff.__version__

    @property
    def has_this_code(self) -> bool:
        from fetchoff.fleet.host import work

        return self.code == work.code()

    @property
    def is_unfit(self) -> bool:
        """Whether nothing can be measured there: `fleet run` refuses other versions and code."""
        from fetchoff.app.doctor import Health

        is_bad = any(check.health is Health.BAD for check in self.examined.checks)
        return is_bad or not (self.is_of_this_version and self.has_this_code)


def examined_of(
    cluster: Cluster, wanted: Wanted, *, one_by_one: bool
) -> tuple[list[Patient], dict[str, HostError]]:
    """What is known of each host, and the errors of those that can't say.

    `one_by_one`: they share a machine, and at once they would find each other's noise.
    """
    from fetchoff.fleet.asking import answered, ask
    from fetchoff.fleet.host import work
    from fetchoff.fleet.seam.cluster import Job

    names = sorted(cluster.present())
    told: dict[str, Any] = {}
    for group in [[name] for name in names] if one_by_one else [names]:
        told |= ask(cluster, {name: Job(work.examine, wanted) for name in group}, LONGEST_S)
    found, errors = answered(told)
    looks, more = answered(
        ask(cluster, {name: Job(work.look, wanted) for name in found}, LONGEST_S)
    )
    patients = [
        Patient(name, found[name], look.clients, _ahead_s(cluster, name), look.code)
        for name, look in sorted(looks.items())
    ]
    return patients, errors | more


def _ahead_s(cluster: Cluster, host: str) -> float | None:
    """How far a host's clock is ahead, at least: half of what asking took is not known.

    Nothing depends on it: only durations are measured, each by one clock.
    """
    from fetchoff.fleet.asking import ask
    from fetchoff.fleet.host import work
    from fetchoff.fleet.seam.cluster import Job

    before = time.time()
    there = ask(cluster, {host: Job(work.clock, None)}, LONGEST_S)[host]
    after = time.time()
    return there - min(max(there, before), after) if isinstance(there, float) else None


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
            for check in examined.checks
        ],
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
