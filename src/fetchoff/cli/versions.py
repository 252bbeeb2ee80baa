"""`fetchoff versions`: the versions of a client that can be had."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from fetchoff.cli import options

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fetchoff.cli.listings import ReleaseListing
    from fetchoff.model.client import Manifest
    from fetchoff.model.release import Release

NAME = "versions"


def command(
    client: options.Client,
    pre: Annotated[bool, typer.Option("--pre", help="Show pre-releases too.")] = False,
    as_json: options.Json = False,
) -> None:
    """List the versions of a client that its language's registry has, newest first.

    Each can be measured as CLIENT@VERSION. Pre-releases are left out unless you ask for them.
    """
    from fetchoff.app.releases import releases_of
    from fetchoff.cli.compare import one
    from fetchoff.cli.console import print_json, say

    manifest = one(client)
    found = releases_of(manifest, say)
    shown = [release for release in found if pre or not release.is_pre]
    if as_json:
        print_json([_document(manifest, release) for release in shown])
        return
    _show(shown)
    if len(shown) < len(found):
        say(f"{len(found) - len(shown)} pre-releases are not shown; --pre shows them")


def _show(releases: Sequence[Release]) -> None:
    from rich.table import Table

    from fetchoff.cli.console import data_console

    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("version", "released", ""):
        table.add_column(column, no_wrap=True)
    for release in releases:
        table.add_row(
            release.version, release.released or "–", "pre-release" if release.is_pre else ""
        )
    data_console().print(table)


def _document(manifest: Manifest, release: Release) -> ReleaseListing:
    from dataclasses import replace

    return {
        "client": str(replace(manifest.id, version=release.version)),
        "version": release.version,
        "released": release.released or None,
        "pre_release": release.is_pre,
    }
