"""Building clients from source trees that the user has."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from fetchoff.app.choose import chosen
from fetchoff.build import trees
from fetchoff.model.client import Client, Manifest, Readiness
from fetchoff.model.errors import InputError, SetupError

SetUp = Callable[[list[Manifest]], list[Client]]


def asked_for(words: Sequence[str]) -> dict[str, list[Path]]:
    """`ID=PATH` words as the paths by id, in their order; `ID=` is an id with no paths.

    InputError where a word does not have that form.
    """
    paths: dict[str, list[Path]] = {}
    for word in words:
        client, sign, path = word.partition("=")
        if not client or not sign:
            raise InputError(
                f"--from '{word}' is not ID=PATH", "e.g. --from perl/ghttp=~/HTTP-GHTTP-1.07"
            )
        known = paths.setdefault(client, [])
        if path:
            known.append(expanded(Path(path)))
    return paths


def expanded(path: Path) -> Path:
    """A path without `~`; InputError where it names nobody's home."""
    try:
        return path.expanduser()
    except RuntimeError as error:
        raise InputError(
            f"'{path}' is in the home of nobody known here", "give its path"
        ) from error


def set_up_from(paths: Mapping[str, Sequence[Path]], set_up: SetUp) -> list[Client]:
    """Set clients up from source trees, and remember that of those that became ready.

    `paths`: by client; no path: from its usual place again, ready or not. `set_up` gets the
    manifests, and returns the clients as they then stand. A client that cannot be built from its
    trees stays as it was: SetupError for the first. InputError where a client or a path cannot be
    used, before anything is set up.
    """
    manifests = {client: _one(client) for client in paths}
    taken = {
        client: tuple(trees.take(str(manifest.id), path) for path in paths[client])
        for client, manifest in manifests.items()
    }
    for client, manifest in manifests.items():
        if not taken[client]:
            trees.choose(manifest, ())
    # Others see a choice only once it has become ready, also if this process is killed.
    clients = set_up([replace(one, trees=taken[c] or None) for c, one in manifests.items()])
    for one in clients:
        if one.manifest.trees and one.readiness is Readiness.READY:
            trees.choose(one.manifest, one.manifest.trees)
    for one in clients:
        if one.manifest.trees and one.readiness is not Readiness.READY:
            where = " and ".join(tree.path for tree in one.manifest.trees)
            raise SetupError(f"{one.id} cannot be built from {where}: {one.reason}", one.hint)
    return [replace(one, manifest=replace(one.manifest, trees=None)) for one in clients]


def _one(text: str) -> Manifest:
    manifests = chosen([text])
    if len(manifests) != 1:
        raise InputError(
            f"'{text}' matches {len(manifests)} clients; --from needs exactly one",
            "name one of 'fetchoff clients'",
        )
    must_be_buildable(manifests[0])
    return manifests[0]


def must_be_buildable(manifest: Manifest) -> None:
    """InputError where nothing says how a client is built from source trees."""
    if manifest.from_trees is None:
        raise InputError(
            f"{manifest.id} cannot be built from a source tree",
            "nothing says how: see 'Built from a source tree' in docs/adapters.md",
        )
