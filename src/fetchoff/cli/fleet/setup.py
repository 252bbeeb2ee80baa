"""`fetchoff fleet setup`: get clients ready on all hosts at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from fetchoff.cli import options
from fetchoff.cli.fleet import options as fleet_options

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fetchoff.fleet.seam.cluster import Cluster
    from fetchoff.fleet.seam.told import Wanted

NAME = "setup"
LONGEST_S = 7200.0


def command(
    clients: Annotated[
        list[str] | None, typer.Argument(help="Ids, globs such as 'ruby/*', or adapter folders.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Every client there is.")] = False,
    scheduler: fleet_options.Scheduler = None,
    hosts: fleet_options.Hosts = None,
    local: fleet_options.Local = None,
    security: fleet_options.Secure = False,
    quiet: options.Quiet = False,
) -> None:
    """Get clients ready on every host, in parallel, from the same lock files.

    What cannot be had on a host is told with its reason. It stops no other client and no host.
    """
    from fetchoff.cli.fleet.joining import Where, joined
    from fetchoff.cli.fleet.live import watcher
    from fetchoff.model.errors import HostError, InputError

    if not clients and not everything:
        raise InputError("nothing to set up", "name clients, or give --all")
    where = Where(scheduler, hosts, local, security)
    with joined(where, watcher(quiet=quiet).noted, quiet=quiet) as there:
        from fetchoff.fleet.seam.told import Wanted

        wanted = Wanted(("*",) if everything else tuple(clients or ()))
        names = there.names()
        failed = set_up_on(there.cluster, names, wanted, quiet=quiet)
        failed = sorted({*failed, *there.absent_from(names)})
    if failed:
        raise HostError(
            f"setting up did not come to its end on {', '.join(failed)}",
            "see the reasons above; what is ready there stays ready, and the same command goes on. "
            "'fetchoff fleet doctor' says what each host has",
        )


def set_up_on(cluster: Cluster, hosts: Sequence[str], wanted: Wanted, *, quiet: bool) -> list[str]:
    """Set up on all hosts, and tell what each of them cannot have; the hosts that failed."""
    from fetchoff.cli.console import say
    from fetchoff.fleet.asking import answered, ask
    from fetchoff.fleet.host.work import set_up_clients
    from fetchoff.fleet.seam.cluster import Job

    jobs = {host: Job(set_up_clients, wanted) for host in hosts}
    done, errors = answered(ask(cluster, jobs, LONGEST_S))
    for host, clients in sorted(done.items()):
        missing = [one for one in clients if one.reason]
        if not quiet:
            say(f"{host}: {len(clients) - len(missing)} of {len(clients)} clients are ready")
        for one in missing:
            say(f"unavailable on {host}: {one.client}: {one.reason}")
            if one.hint:
                say(f"  hint: {one.hint}")
    for host, error in sorted(errors.items()):
        say(f"{host}: {error.message}")
        if error.hint:
            say(f"  hint: {error.hint}")
    return sorted(errors)
