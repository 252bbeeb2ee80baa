"""What a shell may put after what was typed: names of clients, workloads, links and so on.

A shell waits for these, so they are read from the names of files, and of manifests no more than
must be.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path


def clients(incomplete: str) -> list[str]:
    """Ids of clients; those with variants once a language is there."""
    language, slash, _ = incomplete.partition("/")
    folders = f"{language}/[!_]*" if slash else "[!_]*/[!_]*"
    return [name for folder in _adapters(folders) for name in _ids(folder, variants=bool(slash))]


def workloads() -> list[str]:
    """Ids of workloads."""
    return _files("workloads")


def suites() -> list[str]:
    """Ids of suites."""
    return _files("suites")


def links() -> list[str]:
    """Ids of links."""
    return _files("links")


def articles() -> list[str]:
    """Ids of articles and of reported claims."""
    return ["reported", *_files("claims"), *_files("reported")]


def origins() -> list[str]:
    """What can be measured against: the built-in origin and the servers."""
    return ["built-in", *servers()]


def servers() -> list[str]:
    """Ids of servers."""
    from fetchoff.catalog.paths import shipped

    found = (shipped("catalog") / "origins").glob("*/origin.toml")
    return sorted(path.parent.name for path in found)


def _files(room: str) -> list[str]:
    from fetchoff.catalog.paths import shipped

    return sorted(path.stem for path in (shipped("catalog") / room).glob("*.toml"))


def _adapters(folders: str) -> Iterator[Path]:
    from fetchoff.catalog.paths import shipped

    for manifest in sorted(shipped("adapters").glob(f"{folders}/adapter.toml")):
        yield manifest.parent


def _ids(folder: Path, *, variants: bool) -> Iterator[str]:
    client = f"{folder.parent.name}/{folder.name}"
    yield client
    if variants:
        import tomllib

        manifest = tomllib.loads((folder / "adapter.toml").read_text(encoding="utf-8"))
        yield from (f"{client}+{name}" for name in manifest.get("variants", {}))
