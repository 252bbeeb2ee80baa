"""What `fetchoff fleet doctor` finds when it compares hosts, with each other and this machine."""

from __future__ import annotations

import platform
from collections.abc import Iterator, Mapping

import fetchoff
from fetchoff.app.doctor import Health, MachineCheck
from fetchoff.app.own_code import code
from fetchoff.fleet.beginning import of_other_files
from fetchoff.fleet.host import work
from fetchoff.fleet.notes import of_programs
from fetchoff.fleet.seam.told import Examined, Look
from fetchoff.model.client import Kind

Told = Mapping[str, tuple[Look, Examined]]


def findings(told: Told) -> dict[str, list[MachineCheck]]:
    """Of each host, by its name: why `fleet run` would not take it, and what limits its results."""
    others = of_other_files({host: look for host, (look, _) in told.items()})
    own = code()
    found = {host: [*_of(look, examined, own)] for host, (look, examined) in told.items()}
    for host, reason in others.items():
        found[host].append(MachineCheck(Health.BAD, reason, "set it up from the same files"))
    for host, reason in _of_programs(told):
        found[host].append(
            MachineCheck(Health.LIMITED, reason, "install from the same commit everywhere")
        )
    return found


def _of(look: Look, examined: Examined, own_code: str) -> Iterator[MachineCheck]:
    here = fetchoff.__version__
    if examined.fetchoff != here:
        text = f"it has Fetchoff {examined.fetchoff}, and this is {here}"
        yield MachineCheck(Health.BAD, text, "install the same version everywhere")
    elif look.code != own_code:
        text = f"its Fetchoff {here} has other code than that of this machine"
        yield MachineCheck(Health.BAD, text, "install from the same commit everywhere")
    if all(client.manifest.kind is Kind.FLOOR for client in look.ready):
        text = "no client of the suite that would be ranked is ready"
        yield MachineCheck(Health.BAD, text, "'fetchoff fleet setup' sets them up")
    for name, there, own in (
        ("Dask", examined.dask, work.dask_version()),
        ("Python", _minor(examined.python), _minor(platform.python_version())),
    ):
        if there and own and there != own:
            text = f"it has {name} {there}, and this machine has {own}"
            yield MachineCheck(Health.LIMITED, text, "use the same version everywhere")


def _of_programs(told: Told) -> Iterator[tuple[str, str]]:
    """Hosts of an architecture on which not all have the same programs, and which."""
    looks: dict[str, dict[str, Look]] = {}
    for host, (look, _) in told.items():
        looks.setdefault(look.architecture, {})[host] = look
    for alike in looks.values():
        for note in of_programs(alike, {host: told[host][1].programs for host in alike}):
            yield from ((host, note) for host in alike)


def _minor(python: str) -> str:
    """`3.13` of `3.13.5`."""
    return ".".join(python.split(".")[:2])
