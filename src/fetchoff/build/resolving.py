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
from fetchoff.build.prerequisites import check, hint_for
from fetchoff.build.steps import StepFailed, Steps, not_run, one_at_a_time
from fetchoff.build.writing import writing
from fetchoff.catalog.naming import asked_at_any_version
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
        try:
            copy_sources(workplace)
            _resolve_in(workplace, steps)
            locks.keep(manifest, workplace.adapter, workplace.folder / "build" / locks.PACKAGES)
        finally:
            shutil.rmtree(workplace.folder, ignore_errors=True)


def _resolve_in(workplace: BuildDir, steps: Steps) -> None:
    """Run the steps; no hint is of their log, which goes with the folder."""
    manifest, log = workplace.manifest, workplace.folder / "resolve.log"
    assert manifest.releases is not None
    try:
        for step in manifest.releases.resolve:
            steps.run(workplace.argv(step), workplace.adapter, log)
    except StepFailed as error:
        raise SetupError(f"this version cannot be had: {error.said}", _hint(manifest)) from error
    except SetupError as error:
        raise SetupError(error.message, _hint(manifest) if error.hint else "") from error


def listed(manifest: Manifest) -> str:
    """What the kit's command prints about the versions of a library.

    SetupError if it fails, with what would help where this machine lacks something that the client
    needs; StoreError where the cache cannot be written.
    """
    assert manifest.releases is not None
    with (
        writing(cache()),
        tempfile.TemporaryDirectory(dir=cache(), prefix="versions-") as scratch,
    ):
        workplace = BuildDir(manifest, Path(scratch) / "copy")
        copy_sources(workplace)
        argv = workplace.argv(manifest.releases.listing)
        try:
            done = _ended(argv, workplace.adapter)
        except SetupError as error:
            raise SetupError(error.message, _lacking(manifest)) from error
    if done.returncode != 0:
        said = _last_line(done.stderr.splitlines()).replace(f"{workplace.folder}/", "")
        raise SetupError(
            f"the versions of {manifest.releases.package} cannot be listed: {said}",
            _lacking(manifest),
        )
    return done.stdout


def _lacking(manifest: Manifest) -> str:
    """What would help where a check of the client's recipe fails; "" where none does."""
    try:
        check(manifest)
    except SetupError:
        return hint_for(manifest.recipe)
    return ""


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
    listing = f"'fetchoff versions {asked_at_any_version(manifest)}' lists what can be had"
    return f"{listing}; {manifest.releases.hint}" if manifest.releases.hint else listing
