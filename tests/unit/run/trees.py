"""Pretended trees of /sys and /proc."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path


def written(folder: Path, files: Mapping[str, str]) -> Path:
    """The folder, with these files in it."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{text}\n")
    return folder


def cores(
    folder: Path, threads: Mapping[int, str], sizes: Mapping[str, Mapping[int, int]] | None = None
) -> Path:
    """A /sys that has these cores, with what it says of their threads, and files on their size."""
    of = "devices/system/cpu/cpu{}/{}"
    files = {of.format(c, "topology/thread_siblings_list"): text for c, text in threads.items()}
    for name, told in (sizes or {}).items():
        files |= {of.format(core, name): str(size) for core, size in told.items()}
    return written(folder, files)
