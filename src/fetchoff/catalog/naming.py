"""What finds a client again: its id, or its folder if it isn't shipped."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path

from fetchoff.catalog.paths import shipped
from fetchoff.model.client import ClientId, Manifest


def name_of(manifest: Manifest, client: ClientId) -> str:
    """What finds a client of the manifest's folder: its id, or `FOLDER+variant@version~runtime`."""
    return f"{_place(manifest)}{_marks(client)}"


def asked_as(manifest: Manifest) -> str:
    """How a command line names the client, in the words of a shell.

    Where its version only tells two folders apart, as the name of a branch does, it is the version
    that is built.
    """
    has_default = manifest.id.version == ""
    client = manifest.id if has_default else manifest.built_as
    return f"{shlex.quote(_place(manifest))}{_marks(client)}"  # a `~` amid a word needs no quotes


def asked_at_any_version(manifest: Manifest) -> str:
    """How a command line names the client without its version."""
    return asked_as(replace(manifest, id=replace(manifest.id, version="")))


def is_shipped(folder: Path, among: str) -> bool:
    """Whether a folder is one of those that come with Fetchoff; `among`: `adapters`, `catalog`."""
    return folder.resolve().is_relative_to(shipped(among).resolve())


def _place(manifest: Manifest) -> str:
    if is_shipped(manifest.folder, "adapters"):
        return f"{manifest.id.language}/{manifest.id.library}"
    return str(manifest.folder)


def _marks(client: ClientId) -> str:
    return str(client).removeprefix(f"{client.language}/{client.library}")
