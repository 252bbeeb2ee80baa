"""Versions from a registry, resolved once: their lock files, and which packages are in them."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from fetchoff.build.machine import of_the_machine
from fetchoff.build.sources import digest_of
from fetchoff.catalog.paths import cache
from fetchoff.model.client import Manifest, Package
from fetchoff.model.errors import SetupError
from fetchoff.model.placeholders import filled

PACKAGES = "packages.txt"
"""What the steps say about the lock files: a line `NAME VERSION HASH` for each package."""


@dataclass(frozen=True)
class Lock:
    """The lock files of one version in the cache, and what they lock."""

    folder: Path
    packages: tuple[Package, ...]

    @property
    def files(self) -> Path:
        """A folder with the lock files, at their places in the adapter's folder."""
        return self.folder / "files"

    @property
    def digest(self) -> str:
        return digest_of(self.folder)


def lock_folder(manifest: Manifest) -> Path:
    """The cache folder that is named after the version, and everything that resolving it reads.

    A client and its variants share it.
    """
    client = replace(manifest.built_as, variant="")
    hasher = hashlib.sha256("\0".join(_read_by(manifest)).encode())
    return cache() / "locks" / f"{str(client).replace('/', '--')}-{hasher.hexdigest()[:16]}"


def known(manifest: Manifest) -> Lock | None:
    """The lock of a client's version; None if it was never resolved."""
    folder = lock_folder(manifest)
    try:
        text = (folder / PACKAGES).read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    return Lock(folder, packages_of(text))


def keep(manifest: Manifest, adapter: Path, packages: Path) -> None:
    """Store the lock files that the steps left in the folder `adapter`, and what is in them.

    SetupError where one is missing: then the kit is at fault.
    """
    assert manifest.releases is not None
    folder = lock_folder(manifest)
    part = folder.with_name(f"{folder.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    try:
        for name in lock_files(manifest):
            place = part / "files" / name
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(adapter / name, place)
        shutil.copy(packages, part / PACKAGES)
        if not packages_of((part / PACKAGES).read_text(encoding="utf-8")):
            raise SetupError(f"resolving its version locked no package: {packages} has none")
        part.replace(folder)
    except FileNotFoundError as error:
        raise SetupError(f"resolving its version left no {error.filename}") from error
    finally:
        shutil.rmtree(part, ignore_errors=True)


def packages_of(text: str) -> tuple[Package, ...]:
    """The packages of lines `NAME VERSION HASH`, by name."""
    lines = (line.split() for line in text.splitlines())
    return tuple(sorted((Package(*line) for line in lines if len(line) == 3), key=_by_name))


def lock_files(manifest: Manifest) -> tuple[str, ...]:
    """The paths of the lock files within the adapter's folder."""
    assert manifest.releases is not None
    places = {name: " ".join(words) for name, words in manifest.set.items()}
    return tuple(filled(name, places) for name in manifest.releases.locks)


def _by_name(package: Package) -> tuple[str, str]:
    return (package.name, package.version)


def _read_by(manifest: Manifest) -> Iterator[str]:
    """What resolving depends on: the recipe, the kits, and the lock files that there are."""
    yield repr((manifest.releases, manifest.set))
    yield from of_the_machine(manifest)
    for _, folder in manifest.kit_folders:
        yield digest_of(folder)
    for name in lock_files(manifest):
        path = manifest.folder / name
        yield path.read_text(encoding="utf-8") if path.is_file() else ""
