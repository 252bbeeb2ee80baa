"""`fetchoff setup`: get clients ready."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from pathlib import Path

    from fetchoff.model.client import Client, Description, Launch, Manifest

NAME = "setup"


def command(
    clients: Annotated[
        list[str] | None, typer.Argument(help="Ids, globs such as 'ruby/*', or adapter folders.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Every client there is.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Only what went wrong.")] = False,
) -> None:
    """Get clients ready: install, build, and say hello to each.

    Everything is built in a cache folder ($FETCHOFF_CACHE, or ~/.cache/fetchoff), never in the
    source tree. Debian packages are installed when you are root. A client that cannot be had stops
    no other.
    """
    from fetchoff.cli.choose import chosen
    from fetchoff.model.errors import InputError

    if not clients and not everything:
        raise InputError("nothing to set up", "name clients, or give --all")
    manifests = chosen(["*"] if everything else clients or [])
    set_up_all(manifests, quiet=quiet)


def clients_of(manifests: list[Manifest], *, set_up: bool, quiet: bool) -> list[Client]:
    """The clients as they stand; with `set_up`, those that never were are set up first."""
    from fetchoff.cli.choose import states
    from fetchoff.model.client import Readiness

    clients = states(manifests)
    fresh = [c.manifest for c in clients if c.readiness is Readiness.NOT_SET_UP]
    if not set_up or not fresh:
        return clients
    set_up_all(fresh, quiet=quiet)
    return states(manifests)


def set_up_all(manifests: list[Manifest], *, quiet: bool) -> list[Client]:
    """Set up with progress on standard error; the clients as they then stand."""
    from fetchoff.catalog import setup
    from fetchoff.catalog.places import cache
    from fetchoff.cli.console import say
    from fetchoff.cli.progress import counting
    from fetchoff.model.client import Readiness
    from fetchoff.run.adapter import hello

    done = []
    with setup.lock(), counting("setting up clients", len(manifests), quiet=quiet) as count:

        def say_hello(launch: Launch, folder: Path) -> Description:
            return hello(folder.name, launch, folder, folder / "hello.stderr")

        for client in setup.set_up(manifests, say_hello, count.now):
            count.one_more(client.id)
            done.append(client)
    missing = [client for client in done if client.readiness is not Readiness.READY]
    if not quiet:
        ready = len(done) - len(missing)
        say(f"{ready} of {len(done)} clients are ready (built in {cache()})")
    for client in sorted(missing, key=lambda client: client.id):
        say(f"unavailable: {client.id}: {client.reason}")
        if client.hint:
            say(f"  hint: {client.hint}")
    return done
