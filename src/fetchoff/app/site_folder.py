"""Replace a site's folder as a whole."""

from __future__ import annotations

import contextlib
import json
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from fetchoff.catalog.paths import is_there
from fetchoff.model.errors import InputError, StoreError
from fetchoff.store.new_folder import try_to_make

MARKER = "fetchoff-site.json"
STAGE = ".fetchoff-site-"
FORMAT = 1


@contextlib.contextmanager
def staged(out: Path) -> Iterator[Path]:
    """A new folder that takes the place of `out` if the context ends well; else nothing is left.

    InputError if `out` is there and isn't a site.
    """
    must_be_a_site_or_nothing(out)
    target = out.resolve()
    target.parent.mkdir(parents=True, exist_ok=True)
    stage = Path(tempfile.mkdtemp(prefix=STAGE, dir=target.parent))
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
    if not is_there(out) or is_site(out):
        return
    try:
        if out.is_dir() and not any(out.iterdir()):
            return
    except OSError as error:
        raise cannot_be_written(out, error) from error
    raise InputError(
        f"{out} is not a site that Fetchoff has built, so it isn't overwritten",
        "choose another folder with --out",
    )


def is_site(folder: Path) -> bool:
    """Whether it was built by `fetchoff site build`."""
    marker = folder / MARKER
    return is_there(marker) and marker.is_file()


def must_be_writable(out: Path) -> None:
    """StoreError if no folder can be made there, before it takes minutes to fill one."""
    target = out.resolve()
    try:  # a site that is there is replaced as a whole
        try_to_make(target.parent if is_there(target) else target)
    except OSError as error:
        raise cannot_be_written(out, error) from error


def cannot_be_written(path: str | Path, error: OSError) -> StoreError:
    """The error that says why, and what to do."""
    return StoreError(
        f"the site cannot be written: {path}: {error.strerror}",
        "make room, or choose another --out; nothing was changed",
    )
