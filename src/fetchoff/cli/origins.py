"""`fetchoff origins`: list the servers to measure against, and whether they are ready."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from fetchoff.cli import completing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.table import Table

    from fetchoff.cli.listings import OriginListing
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

    found = []
    for name in names or origins.names():
        manifest = origins.origin(name)
        server = servers.state(manifest)
        if setup and server.readiness != "ready":
            say(f"setting up {name}")
            server = servers.set_up(manifest)
        found.append(server)
    if as_json:
        print_json([_document(server) for server in found])
    else:
        data_console().print(_table(found))


def _table(servers: Sequence[Server]) -> Table:
    from rich.markup import escape
    from rich.table import Table

    from fetchoff.model.origin import OriginRecord

    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("origin", "version", "what it is", "state"):
        table.add_column(column, overflow="fold", no_wrap=column == "origin")
    built_in = OriginRecord()
    table.add_row(built_in.id, "", built_in.about, "[green]ready[/]")
    for server in servers:
        state = "[green]ready[/]"
        if server.readiness != "ready":
            hint = f" — {escape(server.hint)}" if server.hint else ""
            state = f"[yellow]{server.readiness}[/]: {escape(server.reason)}{hint}"
        table.add_row(server.manifest.id, server.version, server.manifest.about, state)
    return table


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
