"""`fetchoff origins`: list the servers to measure against, and whether they are ready."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from fetchoff.cli import completing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fetchoff.cli.listings import OriginListing
    from fetchoff.cli.table import Listing
    from fetchoff.model.origin import Server

NAME = "origins"


def command(
    names: Annotated[
        list[str] | None,
        typer.Argument(help="Ids; default: all.", autocompletion=completing.servers),
    ] = None,
    setup: Annotated[bool, typer.Option("--setup", help="First install and build them.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the servers that you can measure against, and whether they are ready on this machine.

    The built-in origin is always available. 'fetchoff run --origin ID' measures against another
    one; instead of the ID you can give the URL of any server.
    """
    from fetchoff.build import servers
    from fetchoff.catalog import origins
    from fetchoff.cli.console import data_console, print_json, say
    from fetchoff.model.origin import BUILT_IN

    found = []
    for name in names or origins.names():
        if name == BUILT_IN:
            continue  # the table has it anyway
        manifest = origins.origin(name)
        server = servers.state(manifest)
        if setup and server.readiness != "ready":
            say(f"setting up {name}")
            server = servers.set_up(manifest, say)
        found.append(server)
    if as_json:
        print_json([_document(server) for server in found])
    else:
        data_console().print(_table(found), crop=False)


def _table(servers: Sequence[Server]) -> Listing:
    from rich.markup import escape

    from fetchoff.cli.table import Listing
    from fetchoff.model.origin import OriginRecord

    built_in = OriginRecord()
    rows = [(built_in.id, "", escape(built_in.about), "[green]ready[/]")]
    for server in servers:
        state = "[green]ready[/]"
        if server.readiness != "ready":
            hint = f" — {escape(server.hint)}" if server.hint else ""
            state = f"[yellow]{server.readiness}[/]: {escape(server.reason)}{hint}"
        about = escape(server.manifest.about)
        rows.append((server.manifest.id, escape(server.version), about, state))
    return Listing(("origin", "version", "what it is", "state"), rows)


def _document(server: Server) -> OriginListing:
    manifest = server.manifest
    return {
        "origin": manifest.id,
        "about": manifest.about,
        "homepage": manifest.homepage,
        "version": server.version,
        "protocols": sorted(str(protocol) for protocol in manifest.serves.protocols),
        "tls": manifest.serves.tls,
        "methods": sorted(manifest.serves.methods),
        "state": str(server.readiness),
        "reason": server.reason,
        "hint": server.hint,
    }
