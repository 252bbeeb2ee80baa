"""What a reader must know of the hosts of a run, because they aren't alike."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from fetchoff.fleet.seam.told import Look
from fetchoff.model.client import Client
from fetchoff.model.experiment import Experiment, Role
from fetchoff.model.program import ProgramRecord

DIGITS = 12
"""Of a digest, in a note."""


def on_one_machine(looks: Mapping[str, Look]) -> list[str]:
    """Which hosts are on one machine, and whether they take turns there."""
    machines: dict[str, list[str]] = {}
    for host, look in sorted(looks.items()):
        machines.setdefault(look.machine, []).append(host)
    return [
        f"{', '.join(names)} are on one machine{_turns([looks[host] for host in names])}, and say "
        "nothing of other machines"
        for machine, names in machines.items()
        if machine and len(names) > 1
    ]


def _turns(looks: Sequence[Look]) -> str:
    """Hosts of one machine whose files of the lock are not the same, as in containers, don't wait
    for each other."""
    locks = {look.lock for look in looks}
    if len(locks) == 1 and "" not in locks:
        return ": they take turns"
    return ", and don't see each other's lock: they can disturb each other"


def of_controls(
    experiment: Experiment, clients: Iterable[Client], looks: Mapping[str, Look]
) -> list[str]:
    """Which hosts lack the client of a kit that has its controls: without it, no self-check finds
    whether equal processes of the kit differ there, or whether its CPU time is read well.

    `clients`: of all hosts that were asked. Those that have it may all be left out.
    """
    controlled = {one.client for one in experiment.entrants if one.role is Role.CONTROL}
    kits = {client.manifest.kit: client.id for client in clients if client.id in controlled}
    ranked = {one.client for one in experiment.entrants if one.role is Role.RANKED}
    lacking: dict[str, list[str]] = {}
    for host, look in sorted(looks.items()):
        ready = {client.id for client in look.ready}
        for kit in sorted({c.manifest.kit for c in look.ready if c.id in ranked}):
            if kit in kits and kits[kit] not in ready:
                lacking.setdefault(kit, []).append(host)
    return [
        f"on {', '.join(hosts)}, no self-check covers the kit {kit}: {kits[kit]}, which they are "
        "made with, is not ready there"
        for kit, hosts in lacking.items()
    ]


def of_programs(
    looks: Mapping[str, Look], programs: Mapping[str, Sequence[ProgramRecord]]
) -> list[str]:
    """Which of Fetchoff's own programs are not the same file on hosts of one architecture.

    What `--version` tells is the same for all commits of a version. Each host may have compiled
    them by itself, so this needn't be a fault.
    """
    versions: dict[str, dict[str, list[str]]] = {}
    for host, records in sorted(programs.items()):
        for one in records:
            what = f"the program {one.name} for {looks[host].architecture}"
            told = f"{one.version or 'an unknown version'}, {one.sha256[:DIGITS] or 'unreadable'}"
            versions.setdefault(what, {}).setdefault(told, []).append(host)
    return [
        f"{note} (version and SHA-256; hosts may have compiled it themselves)"
        for note in _not_the_same(versions)
    ]


def of_versions(looks: Mapping[str, Look]) -> list[str]:
    """Which clients have different versions or runtimes on some hosts."""
    found = [
        (record.id, f"{record.version} on {record.runtime}", host)
        for host, look in looks.items()
        for record in look.records
    ]
    return _unlike(found)


def of_origins(looks: Mapping[str, Look]) -> list[str]:
    """Which versions an origin has, if hosts have different ones."""
    found = [
        (f"origin '{look.origin.id}'", look.origin.version or "an unknown version", host)
        for host, look in looks.items()
    ]
    return _unlike(found)


def _unlike(found: Iterable[tuple[str, str, str]]) -> list[str]:
    """Of (what, its version, host): what has different versions, and where."""
    versions: dict[str, dict[str, list[str]]] = {}
    for what, version, host in found:
        versions.setdefault(what, {}).setdefault(version, []).append(host)
    return _not_the_same(versions)


def _not_the_same(versions: Mapping[str, Mapping[str, Sequence[str]]]) -> list[str]:
    """Of hosts by version of something."""
    return [
        f"{what} is not the same everywhere: "
        + "; ".join(f"{version}: {', '.join(names)}" for version, names in own.items())
        for what, own in versions.items()
        if len(own) > 1
    ]
