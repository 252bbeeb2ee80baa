"""Asking the package manager of a language for a version, and for what versions there are."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from fetchoff.build import locks
from fetchoff.build.build_dir import BuildDir, copy_sources
from fetchoff.build.locks import lock_folder
from fetchoff.build.steps import StepFailed, Steps, not_run, one_at_a_time
from fetchoff.catalog.paths import cache
from fetchoff.model.client import Manifest
from fetchoff.model.errors import SetupError

LIST_TIMEOUT_S = 300


def resolve(manifest: Manifest, steps: Steps) -> None:
    """Lock the version of a client, if that was not done before; SetupError if it cannot be had."""
    if not manifest.is_resolved or manifest.releases is None:
        return
    with one_at_a_time(lock_folder(manifest)):
        if locks.known(manifest) is not None:
            return
        folder = lock_folder(manifest)
        workplace = BuildDir(manifest, folder.with_name(f"{folder.name}.work"))
        copy_sources(workplace)
        log = workplace.folder / "resolve.log"
        try:
            for step in manifest.releases.resolve:
                steps.run(workplace.argv(step), workplace.adapter, log)
        except StepFailed as error:
            raise SetupError(
                f"this version cannot be had: {error.said}", _hint(manifest)
            ) from error
        locks.keep(manifest, workplace.adapter, workplace.folder / "build" / locks.PACKAGES)
        shutil.rmtree(workplace.folder, ignore_errors=True)


def listed(manifest: Manifest) -> str:
    """What the kit's command prints about the versions of a library; SetupError if it fails."""
    assert manifest.releases is not None
    with tempfile.TemporaryDirectory(dir=cache(), prefix="versions-") as scratch:
        workplace = BuildDir(manifest, Path(scratch) / "copy")
        copy_sources(workplace)
        done = _ended(workplace.argv(manifest.releases.listing), workplace.adapter)
    if done.returncode != 0:
        said = _last_line(done.stderr.splitlines())
        raise SetupError(f"the versions of {manifest.releases.package} cannot be listed: {said}")
    return done.stdout


def _ended(argv: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            argv,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=LIST_TIMEOUT_S,
            check=False,
        )
    except OSError as error:
        raise not_run(argv[0], error) from error
    except subprocess.TimeoutExpired as error:
        raise SetupError(f"'{' '.join(argv)}' did not end within {LIST_TIMEOUT_S} s") from error


def _last_line(lines: Sequence[str]) -> str:
    return next((line.strip() for line in reversed(lines) if line.strip()), "no message")


def _hint(manifest: Manifest) -> str:
    assert manifest.releases is not None
    client = manifest.id
    listing = f"'fetchoff versions {client.language}/{client.library}' lists what can be had"
    return f"{listing}; {manifest.releases.hint}" if manifest.releases.hint else listing
