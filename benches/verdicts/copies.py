"""Copy adapter folders, so that the same code runs under other ids."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from fetchoff.app.choose import chosen
from fetchoff.app.setup import set_up
from fetchoff.catalog.manifests import Family
from fetchoff.model.client import Client, Manifest, Readiness

NAMES = ("copy-of", "second-copy-of")
_LITTER = shutil.ignore_patterns("__pycache__", "node_modules", "target")


def clients(names: Sequence[str]) -> dict[str, Client]:
    """The ready clients, by their given names: ids or adapter folders.

    Of the others it is said why; nobody else is held up by them.
    """
    manifests = {name: chosen([name])[0] for name in names}
    states = {c.id: c for c in set_up(list(manifests.values()))}
    found = {name: states[str(manifest.id)] for name, manifest in manifests.items()}
    return {name: one for name, one in found.items() if one.readiness is Readiness.READY}


def families(originals: Mapping[str, Client], copies: int, place: Path) -> list[list[Client]]:
    """Each client and this many copies of it; `place`: the folder for their folders.

    A copy is built once: the cache goes by the content of a folder and by the id in it.
    """
    made = {
        name: [
            str(copied(client.manifest, f"{word}-{client.manifest.id.library}", place))
            for word in NAMES[:copies]
        ]
        for name, client in originals.items()
    }
    built = clients([folder for folders in made.values() for folder in folders])
    return [
        [originals[name], *(built[folder] for folder in folders)]
        for name, folders in made.items()
        if built.keys() >= set(folders)
    ]


def copied(manifest: Manifest, name: str, place: Path) -> Path:
    """A copy of a client's folder, whose client has this name."""
    original, id_ = manifest.folder, manifest.id
    folder = place / id_.language / name
    shutil.copytree(original, folder, ignore=_LITTER)
    document = folder / "adapter.toml"
    text, count = re.subn(
        r'^client = ".*"$',
        f'client = "{id_.language}/{name}"',
        document.read_text(encoding="utf-8"),
        flags=re.M,
    )
    assert count == 1, f"{original}/adapter.toml names {count} clients"
    document.write_text(text, encoding="utf-8")
    kit = folder.parent / "_kit"
    if not kit.exists():
        kit.symlink_to(Family.of(original).kit_folder)
    return folder
