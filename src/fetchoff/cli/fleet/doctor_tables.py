"""What `fetchoff fleet doctor` shows: the hosts, what limits each, and which clients are where."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from fetchoff.cli.doctor import SIGNS
from fetchoff.model.client import Readiness

if TYPE_CHECKING:
    from fetchoff.cli.fleet.patient import Patient
    from fetchoff.model.errors import HostError

CLOCK_S = 0.05
"""Clocks that are no further apart are called equal; asking takes as long."""


def all_of(patients: Sequence[Patient], errors: Mapping[str, HostError]) -> Iterator[Table]:
    """All tables, in the order in which they are shown."""
    yield _hosts(patients, errors)
    for one in patients:
        yield _checks(one)
    for host, error in errors.items():
        failed = _findings(host)
        _add(failed, "bad", error.message, error.hint)
        yield failed
    if patients:
        yield _clients(patients)


def _hosts(patients: Sequence[Patient], errors: Mapping[str, HostError]) -> Table:
    table = _table("host", "fetchoff", "python", "dask", "cores", "processor", "kernel")
    for heading in ("clients ready", "GB free", "clock"):
        table.add_column(heading, justify="right")
    for one in patients:
        examined, facts = one.examined, one.examined.facts
        table.add_row(
            *map(Text, (one.host, examined.fetchoff, examined.python, examined.dask)),
            *(Text(facts.get(name, "")) for name in ("cores", "processor", "kernel")),
            f"{examined.ready} of {examined.clients}",
            f"{examined.free_gb:.1f}",
            _clock(one.ahead_s),
        )
    for host in errors:
        table.add_row(Text(host), Text("failed", style="red"))
    return table


def _clock(ahead_s: float | None) -> str:
    if ahead_s is None:
        return "unknown"
    return "as here" if abs(ahead_s) < CLOCK_S else f"{ahead_s:+.1f} s"


def _checks(one: Patient) -> Table:
    """What limits it, with hints for what isn't good."""
    table = _findings(one.host)
    for check in one.checks:
        _add(table, str(check.health), check.text, "" if check.health == "good" else check.hint)
    return table


def _findings(host: str) -> Table:
    title = Text(host, style="bold")
    return Table(box=None, pad_edge=False, show_header=False, title=title, title_justify="left")


def _add(table: Table, health: str, text: str, hint: str) -> None:
    colour, word = SIGNS[health]
    told = Text.assemble(text, (f"\n{hint}", "dim")) if hint else Text(text)
    table.add_row(Text(word, style=colour), told)


def _clients(patients: Sequence[Patient]) -> Table:
    """Which clients are ready where, and why not elsewhere."""
    table = _table("client", "ready on", "not on")
    names = dict.fromkeys(client.id for one in patients for client in one.clients)
    for name in sorted(names):
        at = {one.host: client for one in patients for client in one.clients if client.id == name}
        ready = [host for host, client in at.items() if client.readiness is Readiness.READY]
        reasons: dict[str, list[str]] = {}
        for host, client in at.items():
            if host not in ready:
                reasons.setdefault(client.reason or str(client.readiness), []).append(host)
        missing = "; ".join(f"{', '.join(where)}: {why}" for why, where in reasons.items())
        everywhere = len(ready) == len(patients)
        table.add_row(
            Text(name),
            Text("every host" if everywhere else ", ".join(ready)),
            Text(missing, style="yellow"),
        )
    return table


def _table(*headings: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    for heading in headings:
        table.add_column(heading, overflow="fold")
    return table
