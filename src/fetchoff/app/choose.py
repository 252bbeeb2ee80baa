"""Find the clients that a command line names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from fetchoff.build.build_dir import state
from fetchoff.catalog.manifests import Family, discover, named, read_manifest
from fetchoff.catalog.naming import asked_as
from fetchoff.model.client import Client, ClientId, Manifest, matching
from fetchoff.model.errors import InputError, UnknownName
from fetchoff.store.run_folder import ClientRecord, Header


def chosen(patterns: Iterable[str], without: Sequence[str] = ()) -> list[Manifest]:
    """The clients that ids, globs or paths of adapter folders match, each once.

    `without`: globs to exclude from the matches; a client that is named in full is never excluded.
    """
    known = discover()
    picked: dict[str, Manifest] = {}
    for pattern in patterns:
        found = {
            name: manifest
            for name, manifest in _matches(pattern, known).items()
            if name == pattern or not any(matching(glob, [name]) for glob in without)
        }
        for name, manifest in found.items():
            if name in picked and picked[name].folder != manifest.folder:
                raise InputError(
                    f"{picked[name].folder} and {manifest.folder} both define client '{name}'",
                    f"rename one: set 'client = \"{name}+new\"' in its adapter.toml",
                )
        picked |= found
    return list(picked.values())


def told_apart(a: Manifest, b: Manifest) -> tuple[Manifest, Manifest]:
    """Give two folders of the same client, such as two branches, a distinct version each."""
    if a.id != b.id or a.folder == b.folder:
        return a, b
    backwards = zip(reversed(a.folder.parts), reversed(b.folder.parts), strict=False)
    names = next((pair for pair in backwards if pair[0] != pair[1]), ("a", "b"))
    mark_a, mark_b = (re.sub(r"[^\w.-]", "-", name, flags=re.A).lstrip("_.-") for name in names)
    if not mark_a or not mark_b or mark_a == mark_b:
        mark_a, mark_b = "a", "b"
    return (
        replace(a, id=replace(a.id, version=mark_a)),
        replace(b, id=replace(b.id, version=mark_b)),
    )


def tries_again(clients: Sequence[Client]) -> str:
    """What to say of clients whose set-up failed, which no run tries a second time."""
    one = asked_as(clients[0].manifest) if len(clients) == 1 else "ID"
    return f"'fetchoff setup {one}' tries again"


def sets_up(clients: Sequence[Client]) -> str:
    """What to say of clients that are not set up yet; `--all` means only those that are listed."""
    if len(clients) == 1:
        return f"'fetchoff setup {asked_as(clients[0].manifest)}'"
    known = discover()
    are_listed = all(client.manifest == known.get(client.id) for client in clients)
    return f"'fetchoff setup {'--all' if are_listed else 'ID'}'"


def member_of(adapter: str, client: ClientId) -> Manifest:
    """One client of an adapter, which is an id or a folder; InputError if it has no such client."""
    return Family.of(chosen([adapter])[0].folder).member(client)


def recorded(header: Header) -> list[Manifest]:
    """The clients of an existing run, under the ids that they have in it."""
    return [replace(_recorded(record), trees=record.trees) for record in header.clients]


def _recorded(record: ClientRecord) -> Manifest:
    # A history resolves also what the folder has a lock for.
    return replace(_of_record(record), is_resolved=bool(record.packages))


def _of_record(record: ClientRecord) -> Manifest:
    own_folder = _adapter_folder(record.adapter)
    client = ClientId.parse(record.id)
    if own_folder is None:
        return replace(chosen([record.adapter])[0], id=client)
    family = Family.of(own_folder)
    if record.packages or client.version in family.adapter.versions:
        return family.member(client)
    # a version given by told_apart, or none; older runs had the folder alone for all versions
    return replace(family.member(replace(client, version=family.id.version)), id=client)


def _matches(pattern: str, known: Mapping[str, Manifest]) -> dict[str, Manifest]:
    names = matching(pattern, list(known))
    if names:
        return {name: known[name] for name in names}
    unlisted = named(pattern)
    if unlisted is not None:
        return {str(unlisted.id): unlisted}
    manifest = _in_a_folder(pattern)
    if manifest is not None:
        return {str(manifest.id): manifest}
    if any(mark in pattern for mark in "*?["):
        raise InputError(f"no client matches '{pattern}'", "list them all with 'fetchoff clients'")
    if pattern.startswith((".", "/")):
        raise InputError(
            f"{pattern} is not an adapter folder: it has no adapter.toml",
            "see docs/adapters.md for what a folder needs",
        )
    raise UnknownName("client", pattern, known)


def _in_a_folder(text: str) -> Manifest | None:
    """The client of an adapter folder, or its `FOLDER+variant@version~runtime`.

    None if there is no such folder; InputError if it has no such client.
    """
    if (folder := _adapter_folder(text)) is not None:
        return read_manifest(folder)
    for place, marks in _marked(text):
        if (folder := _adapter_folder(place)) is not None:
            return _marked_member(Family.of(folder), place, marks)
    return None


def _marked(text: str) -> Iterator[tuple[str, str]]:
    """A path as a folder and marks. The folder's own name may have some: so the longest first."""
    for at in reversed(range(text.rfind("/") + 1, len(text))):
        if text[at] in "+@~":
            yield text[:at], text[at:]


def _marked_member(family: Family, place: str, marks: str) -> Manifest:
    client = ClientId.parse(f"{family.id.language}/{family.id.library}{marks}")
    if not family.has(client):
        variants = ", ".join(f"{place}+{name}" for name in family.adapter.variants)
        raise InputError(f"there is no client '{place}{marks}'", f"choose {variants or place}")
    return family.member(client)


def _adapter_folder(text: str) -> Path | None:
    path = Path(text)
    try:
        return path if (path / "adapter.toml").is_file() else None
    except OSError as error:
        if text.startswith((".", "/")):
            raise InputError(f"{text} cannot be read: {error.strerror}") from error
        return None


def states(manifests: Iterable[Manifest]) -> list[Client]:
    """The clients with their state on this machine."""
    return [state(manifest) for manifest in manifests]
