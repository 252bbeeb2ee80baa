"""Getting servers ready: installed, built, and asked for their version."""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import subprocess
from collections.abc import Sequence
from pathlib import Path

from fetchoff.build.machine import of_its_tools
from fetchoff.build.prerequisites import check_all, hint_for, install
from fetchoff.build.setup import Told, lock
from fetchoff.build.sources import content_of, files_of
from fetchoff.build.steps import Steps, built_once, has_succeeded, not_run
from fetchoff.build.writing import writing
from fetchoff.catalog.naming import is_shipped
from fetchoff.catalog.paths import cache
from fetchoff.model.client import Readiness
from fetchoff.model.errors import SetupError
from fetchoff.model.origin import OriginManifest, Server
from fetchoff.model.placeholders import filled

VERSION_TIMEOUT_S = 60


def state(manifest: OriginManifest) -> Server:
    """The server as it stands on this machine."""
    built = _built(manifest)
    if manifest.recipe.steps and not has_succeeded(built):
        hint = f"fetchoff origins --setup {_asked_as(manifest)}"
        return Server(manifest, Readiness.NOT_SET_UP, built, reason="not set up yet", hint=hint)
    try:
        check_all(manifest.recipe.check)
        version = _version(manifest, built)
    except SetupError as error:
        hint = error.hint or hint_for(manifest.recipe)
        return Server(manifest, Readiness.UNAVAILABLE, built, reason=error.message, hint=hint)
    return Server(manifest, Readiness.READY, built, version)


def set_up(manifest: OriginManifest, say: Told = lambda _: None) -> Server:
    """Install and build what it needs; never raises for what does not work, but says so.

    As setup of clients does, it waits for any other setup in this cache, and tells `say` so.
    StoreError where the cache cannot be written.
    """
    with lock(say) as held:
        refused = install([manifest.recipe])
        try:
            check_all(manifest.recipe.check)
            if manifest.recipe.steps:
                built, steps = _built(manifest), Steps(held)
                with writing(built):
                    built_once(built, manifest.recipe.steps, _places(manifest), steps)
        except SetupError as error:
            hint = error.hint or hint_for(manifest.recipe, refused)
            return Server(
                manifest, Readiness.UNAVAILABLE, _built(manifest), reason=error.message, hint=hint
            )
        return state(manifest)


def _asked_as(manifest: OriginManifest) -> str:
    """How a command line names the server: its id, or its folder if it isn't shipped."""
    if is_shipped(manifest.folder, "catalog"):
        return manifest.id
    return shlex.quote(str(manifest.folder))


def _built(manifest: OriginManifest) -> Path:
    """Named after everything that it is built from."""
    tools = "".join(of_its_tools(manifest.recipe))
    digest = hashlib.sha256(f"{manifest.recipe.steps!r}{tools}".encode())
    for path in files_of(manifest.folder):
        digest.update(content_of(path))
    return cache() / "origins" / f"{manifest.id}-{digest.hexdigest()[:16]}"


def _places(manifest: OriginManifest) -> dict[str, object]:
    return {
        "built": _built(manifest),
        "recipe": manifest.folder.absolute(),
        "jobs": os.cpu_count() or 1,
    }


def _version(manifest: OriginManifest, built: Path) -> str:
    argv = [filled(part, {"built": built}) for part in manifest.version]
    said = _said(argv)
    try:
        found = re.search(manifest.version_pattern, said)
        if found is None:
            raise SetupError(f"'{' '.join(argv)}' says nothing of its version")
        return found[1]
    except (re.error, IndexError) as error:
        raise SetupError(
            f"the pattern '{manifest.version_pattern}' finds no version: {error}",
            "in origin.toml, version.pattern is a regular expression with a group: docs/origins.md",
        ) from error


def _said(argv: Sequence[str]) -> str:
    try:
        done = subprocess.run(
            argv, capture_output=True, text=True, timeout=VERSION_TIMEOUT_S, check=False
        )
    except OSError as error:
        raise not_run(argv[0], error) from error
    except subprocess.TimeoutExpired as error:
        raise SetupError(f"'{' '.join(argv)}' did not end within a minute") from error
    return done.stdout + done.stderr
