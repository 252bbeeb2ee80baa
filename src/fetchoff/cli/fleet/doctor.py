"""`fetchoff fleet doctor`: are these hosts fit for measuring?"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated

import typer

from fetchoff.cli import options
from fetchoff.cli.fleet import options as fleet_options

if TYPE_CHECKING:
    from rich.table import Table

    from fetchoff.fleet.seam.cluster import Cluster
    from fetchoff.fleet.seam.told import Examined
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
    from fetchoff.cli.fleet.joining import Where, joined
    from fetchoff.fleet.asking import answered

    chosen = workloads.suite(suite)
    where = Where(scheduler, hosts, local, security)
    with joined(where, quiet=as_json) as cluster:
        from fetchoff.fleet.asking import ask
        from fetchoff.fleet.host import work
        from fetchoff.fleet.seam.cluster import Job
        from fetchoff.fleet.seam.told import Wanted

        wanted = Wanted(tuple(chosen.clients), tuple(chosen.without), tuple(chosen.if_ready))
        names = sorted(cluster.present())
        found, errors = answered(
            ask(cluster, {name: Job(work.examine, wanted) for name in names}, LONGEST_S)
        )
        skews = {name: _skew_s(cluster, name) for name in found}
    if as_json:
        print_json({name: _document(found[name], skews[name]) for name in found})
    else:
        data_console().print(_table(found, skews, errors))
        for name, one in found.items():
            data_console().print(_checks(name, one))
    if errors or any(_is_bad(one) for one in found.values()):
        raise typer.Exit(1)


def _skew_s(cluster: Cluster, host: str) -> float:
    """How far a host's clock is ahead, at least: half of what asking took is not known.

    Nothing depends on it: only durations are measured, each by one clock.
    """
    from fetchoff.fleet.asking import ask
    from fetchoff.fleet.host import work
    from fetchoff.fleet.seam.cluster import Job

    before = time.time()
    there = ask(cluster, {host: Job(work.clock, None)}, LONGEST_S)[host]
    after = time.time()
    if not isinstance(there, float):
        return float("nan")
    return there - min(max(there, before), after)


def _is_bad(examined: Examined) -> bool:
    from fetchoff.app.doctor import Health

    return any(check.health is Health.BAD for check in examined.checks)


def _table(
    found: dict[str, Examined], skews: dict[str, float], errors: dict[str, HostError]
) -> Table:
    from rich.table import Table

    import fetchoff

    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    for heading in ("host", "fetchoff", "cores", "processor", "kernel"):
        table.add_column(heading, overflow="fold")
    for heading in ("clients ready", "GB free", "clock"):
        table.add_column(heading, justify="right")
    for host, one in found.items():
        same = one.fetchoff == fetchoff.__version__
        table.add_row(
            host,
            one.fetchoff if same else f"[red]{one.fetchoff}, not {fetchoff.__version__}[/]",
            one.facts.get("cores", ""),
            one.facts.get("processor", ""),
            one.facts.get("kernel", ""),
            f"{one.ready} of {one.clients}",
            f"{one.free_gb:.1f}",
            "as here" if abs(skews[host]) < 0.05 else f"{skews[host]:+.1f} s",
        )
    for host, error in errors.items():
        table.add_row(host, f"[red]{error.message}[/]")
    return table


def _checks(name: str, examined: Examined) -> Table:
    """What limits a host; all is well if there is nothing."""
    from rich.table import Table

    from fetchoff.app.doctor import Health
    from fetchoff.cli.doctor import SIGNS

    table = Table(box=None, pad_edge=False, show_header=False, title=name, title_justify="left")
    for check in examined.checks:
        if check.health is not Health.GOOD:
            colour, word = SIGNS[check.health]
            table.add_row(f"[{colour}]{word}[/]", check.text)
    if not table.rows:
        table.add_row("[green]good[/]", "nothing limits it")
    return table


def _document(examined: Examined, skew_s: float) -> dict[str, object]:
    return {
        "fetchoff": examined.fetchoff,
        "facts": examined.facts,
        "checks": [
            {"health": str(check.health), "text": check.text, "hint": check.hint}
            for check in examined.checks
        ],
        "clients_ready": examined.ready,
        "clients": examined.clients,
        "free_gb": round(examined.free_gb, 1),
        "clock_ahead_s": round(skew_s, 3),
    }
