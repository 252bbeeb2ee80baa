"""What a reader must know of the hosts of a run, because they aren't alike."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from fetchoff.fleet.seam.told import Look


def on_one_machine(looks: Mapping[str, Look]) -> list[str]:
    """Which hosts are on one machine."""
    machines: dict[str, list[str]] = {}
    for host, look in sorted(looks.items()):
        machines.setdefault(look.machine, []).append(host)
    return [
        f"{', '.join(names)} are on one machine: they take turns, and say nothing of other machines"
        for machine, names in machines.items()
        if machine and len(names) > 1
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
    return [
        f"{what} is not the same everywhere: "
        + "; ".join(f"{version}: {', '.join(names)}" for version, names in own.items())
        for what, own in versions.items()
        if len(own) > 1
    ]
