"""`fetchoff clients`: list the clients and whether they are ready."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Annotated

import typer

from fetchoff.cli import completing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fetchoff.cli.listings import ClientListing, FaultListing
    from fetchoff.model.client import Client, Fault

NAME = "clients"


def command(
    patterns: Annotated[
        list[str] | None,
        typer.Argument(help="Ids or globs; default: all.", autocompletion=completing.clients),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    features: Annotated[
        bool, typer.Option("--features", help="Show each client's features and JSON parser.")
    ] = False,
) -> None:
    """List the clients: version, runtime, engine, and whether they are ready on this machine."""
    from fetchoff.app.choose import chosen, sets_up, states, tries_again
    from fetchoff.cli.console import data_console, print_json, say

    found = states(chosen(patterns or ["*"]))
    if as_json:
        print_json([_document(client) for client in found])
        return
    from rich.markup import escape

    from fetchoff.cli.table import Listing

    rows: list[tuple[str, ...]] = []
    for client in found:
        about = client.description
        facts = (about.version, about.runtime, about.engine) if about else ("", "", "")
        rows.append((client.id, *map(escape, facts), _state(client)))
        if features and about:
            parser = escape(client.manifest.json_parser or "–")
            rows.append(("", "", "", "", f"[dim]{' '.join(sorted(about.features))}[/]"))
            rows.append(("", "", "", "", f"[dim]JSON: {parser}[/]"))
    headings = ("client", "version", "runtime", "engine", "state")
    data_console().print(Listing(headings, rows), crop=False)
    say(_summary(found))
    fresh = [client for client in found if client.readiness == "not set up"]
    if fresh:
        say(f"hint: {sets_up(fresh)} sets up what is not set up yet")
    failed = [client for client in found if client.readiness == "unavailable"]
    if failed:
        say(f"hint: {tries_again(failed)} to set up what is unavailable")


def _summary(clients: Sequence[Client]) -> str:
    """`151 clients in 12 languages: 140 ready, 11 unavailable`."""
    states = Counter(str(client.readiness) for client in clients)
    languages = {client.manifest.id.language for client in clients}
    counted = ", ".join(f"{count} {state}" for state, count in sorted(states.items()))
    return f"{len(clients)} clients in {len(languages)} languages: {counted}"


def _state(client: Client) -> str:
    from rich.markup import escape

    trees = f", built from {escape(' and '.join(client.trees))}" if client.trees else ""
    if client.readiness == "ready":
        floor = " (floor line)" if client.manifest.kind == "floor" else ""
        return f"[green]ready[/]{floor}{trees}"
    if client.readiness == "not set up":
        return f"[yellow]not set up[/]{trees}"
    hint = f" — {escape(client.hint)}" if client.hint else ""
    untried = "" if client.manifest.tried else " (written from its documentation, never run yet)"
    return f"[yellow]{client.readiness}[/]: {escape(client.reason)}{untried}{hint}"


def _document(client: Client) -> ClientListing:
    about = client.description
    return {
        "client": client.id,
        "kind": str(client.manifest.kind),
        "about": client.manifest.about,
        "homepage": client.manifest.homepage,
        "tried": client.manifest.tried,
        "json_parser": client.manifest.json_parser,
        "faults": {case: _fault(fault) for case, fault in client.manifest.faults.items()},
        "state": str(client.readiness),
        "reason": client.reason,
        "hint": client.hint,
        "built_from": list(client.trees),
        "version": about.version if about else None,
        "runtime": about.runtime if about else None,
        "engine": about.engine if about else None,
        "features": sorted(about.features) if about else [],
    }


def _fault(fault: Fault) -> FaultListing:
    return {"why": fault.why, "sometimes": fault.sometimes, "breaks": fault.breaks}
