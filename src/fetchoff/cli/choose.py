"""Which clients a command means."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from fetchoff.catalog.manifests import discover, read_manifest
from fetchoff.catalog.workshop import state
from fetchoff.model.client import Client, Manifest, matching
from fetchoff.model.errors import InputError, UnknownName


def chosen(patterns: Iterable[str]) -> list[Manifest]:
    """The adapters that ids, globs or paths of adapter folders pick, each once."""
    known = discover()
    picked: dict[str, Manifest] = {}
    for pattern in patterns:
        picked |= _matches(pattern, known)
    return list(picked.values())


def _matches(pattern: str, known: Mapping[str, Manifest]) -> dict[str, Manifest]:
    names = matching(pattern, list(known))
    if names:
        return {name: known[name] for name in names}
    folder = _adapter_folder(pattern)
    if folder is not None:
        manifest = read_manifest(folder)
        return {str(manifest.id): manifest}
    if any(mark in pattern for mark in "*?["):
        raise InputError(f"no client matches '{pattern}'", "'fetchoff clients' lists them all")
    if pattern.startswith((".", "/")):
        raise InputError(
            f"{pattern} is no adapter folder: it holds no adapter.toml", "see docs/adapters.md"
        )
    raise UnknownName("client", pattern, known)


def _adapter_folder(text: str) -> Path | None:
    path = Path(text)
    return path if (path / "adapter.toml").is_file() else None


def states(manifests: Iterable[Manifest]) -> list[Client]:
    """The clients as they stand on this machine."""
    return [state(manifest) for manifest in manifests]
