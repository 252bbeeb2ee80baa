"""`fetchoff setup`: get clients ready."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from fetchoff.cli import completing

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fetchoff.model.client import Client, Manifest

NAME = "setup"
NAMED = 5  # clients, in a message


def command(
    clients: Annotated[
        list[str] | None,
        typer.Argument(
            help="Ids, globs such as 'ruby/*', or adapter folders.",
            autocompletion=completing.clients,
        ),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Every client there is.")] = False,
    suite: Annotated[
        str | None,
        typer.Option(
            "--suite",
            metavar="SUITE",
            help="The clients that this suite always has: its name, or a TOML file.",
            autocompletion=completing.suites,
        ),
    ] = None,
    from_trees: Annotated[
        list[str] | None,
        typer.Option(
            "--from",
            metavar="ID=PATH",
            help="Build this client's library from a source tree: a folder or an archive; 'ID=' "
            "undoes it. Repeatable.",
        ),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Only what went wrong.")] = False,
) -> None:
    """Get clients ready: install, build, and say hello to each.

    Everything is built in a cache folder ($FETCHOFF_CACHE, or ~/.cache/fetchoff), never in the
    source tree. Debian packages are installed when you are root. A client that cannot be had stops
    no other; one that cannot be built from the tree that you name ends the command.
    """
    from fetchoff.app.choose import chosen
    from fetchoff.model.errors import InputError

    if not clients and not everything and not suite and not from_trees:
        raise InputError("nothing to set up", "name clients, or give --suite or --all")
    manifests = chosen(["*"] if everything else clients or [])
    if suite:
        known = {one.id for one in manifests}
        manifests += [one for one in _of_suite(suite) if one.id not in known]
    if from_trees:
        _set_up_from(from_trees, quiet=quiet)
    if manifests:
        _tell_how_again(set_up_all(manifests, quiet=quiet))


def _of_suite(name: str) -> list[Manifest]:
    from fetchoff.app.choose import chosen
    from fetchoff.catalog.workloads import suite

    asked = suite(name)
    return chosen(asked.clients, without=asked.without)


def _set_up_from(words: list[str], *, quiet: bool) -> None:
    from fetchoff.app.trees import asked_for, set_up_from
    from fetchoff.cli.console import say

    done = set_up_from(asked_for(words), lambda manifests: _with_progress(manifests, quiet=quiet))
    _tell_missing(done)
    for client in done if not quiet else ():
        if client.trees:
            say(f"{client.id} is ready, built from {' and '.join(client.trees)}")


def clients_of(manifests: list[Manifest], *, set_up: bool, quiet: bool) -> list[Client]:
    """The clients as they stand; with `set_up`, those that never were are set up first."""
    from fetchoff.app.choose import states
    from fetchoff.app.setup import never_set_up
    from fetchoff.model.client import Readiness

    fresh = never_set_up(manifests) if set_up else []
    tried = {client.id: client for client in set_up_all(fresh, quiet=quiet)} if fresh else {}
    # Why a version could not be resolved is kept nowhere else.
    clients = [
        tried.get(client.id, client) if client.readiness is Readiness.NOT_SET_UP else client
        for client in states(manifests)
    ]
    if set_up and not quiet:
        _tell_not_tried(client for client in clients if client.id not in tried)
        _tell_how_again(clients)
    return clients


def _tell_not_tried(clients: Iterable[Client]) -> None:
    from fetchoff.cli.console import say
    from fetchoff.model.client import Readiness

    failed = [client.id for client in clients if client.readiness is Readiness.UNAVAILABLE]
    if failed:
        named = ", ".join(failed[:NAMED]) + (", …" if len(failed) > NAMED else "")
        say(f"not set up again, because an earlier setup failed: {named}")


def set_up_all(manifests: list[Manifest], *, quiet: bool) -> list[Client]:
    """Set up with progress on standard error; the clients as they then stand."""
    from fetchoff.catalog.paths import cache
    from fetchoff.cli.console import say
    from fetchoff.model.client import Readiness

    done = _with_progress(manifests, quiet=quiet)
    if not quiet:
        ready = sum(client.readiness is Readiness.READY for client in done)
        say(f"{ready} of {len(done)} clients are ready (built in {cache()})")
    _tell_missing(done)
    return done


def _tell_missing(clients: list[Client]) -> None:
    from fetchoff.cli.console import say
    from fetchoff.model.client import Readiness

    missing = [client for client in clients if client.readiness is not Readiness.READY]
    for client in sorted(missing, key=lambda client: client.id):
        say(f"unavailable: {client.id}: {client.reason}")
        if client.hint:
            say(f"  hint: {client.hint}")


def _tell_how_again(clients: list[Client]) -> None:
    from fetchoff.app.choose import tries_again
    from fetchoff.cli.console import say
    from fetchoff.model.client import Readiness

    failed = [client for client in clients if client.readiness is Readiness.UNAVAILABLE]
    if failed:
        say(f"hint: {tries_again(failed)}")


def _with_progress(manifests: list[Manifest], *, quiet: bool) -> list[Client]:
    from fetchoff.app.setup import set_up
    from fetchoff.cli.console import say
    from fetchoff.cli.progress import counting

    with counting("setting up clients", len(manifests), quiet=quiet) as count:
        return set_up(manifests, count.now, count.one_more, say)
