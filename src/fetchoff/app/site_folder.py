"""Replace a site's folder as a whole."""

from __future__ import annotations

import contextlib
import json
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from fetchoff.model.errors import InputError

MARKER = "fetchoff-site.json"
FORMAT = 1


@contextlib.contextmanager
def staged(out: Path) -> Iterator[Path]:
    """A new folder that takes the place of `out` if the context ends well; else nothing is left.

    InputError if `out` is there and isn't a site.
    """
    must_be_a_site_or_nothing(out)
    target = out.resolve()
    target.parent.mkdir(parents=True, exist_ok=True)
    stage = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
    new, old = stage / "new", stage / "old"
    try:
        new.mkdir()
        yield new
        (new / MARKER).write_text(json.dumps({"format": FORMAT}) + "\n", encoding="utf-8")
        if target.exists():
            target.rename(old)
        new.rename(target)
    finally:
        if old.exists() and not target.exists():
            old.rename(target)
        shutil.rmtree(stage, ignore_errors=True)


def must_be_a_site_or_nothing(out: Path) -> None:
    """InputError if something else would be overwritten."""
    if not out.exists() or is_site(out):
        return
    if out.is_dir() and not any(out.iterdir()):
        return
    raise InputError(
        f"{out} is not a site that Fetchoff has built, so it isn't overwritten",
        "choose another folder with --out",
    )


def is_site(folder: Path) -> bool:
    """Whether it was built by `fetchoff site build`."""
    return (folder / MARKER).is_file()
