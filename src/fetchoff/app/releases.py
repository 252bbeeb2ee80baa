"""The releases of a client's library that can be had."""

from __future__ import annotations

from fetchoff.build import setup
from fetchoff.build.prerequisites import hint_for
from fetchoff.build.resolving import listed
from fetchoff.build.runtimes import build_runtime, is_built, runtime_folder
from fetchoff.build.setup import Told
from fetchoff.build.steps import Steps
from fetchoff.build.writing import writing
from fetchoff.model.client import Manifest, Runtime
from fetchoff.model.errors import InputError, SetupError
from fetchoff.model.release import Release, newest_first


def releases_of(manifest: Manifest, say: Told = lambda _: None) -> tuple[Release, ...]:
    """What the registry of its language has, newest first. `say` is told what the user waits for.

    InputError where its versions are not those of a registry, SetupError where it cannot be asked.
    StoreError where the cache cannot be written.
    """
    if manifest.releases is None:
        raise InputError(f"{manifest.id} has no versions in a registry", manifest.unreleased)
    if manifest.runtime is not None and not is_built(manifest.runtime):
        with setup.lock(say) as held, writing(runtime_folder(manifest.runtime)):
            _build(manifest, manifest.runtime, Steps(held))
    lines = (line.split() for line in listed(manifest).splitlines())
    return newest_first([Release(line[0], *line[1:2]) for line in lines if line])


def _build(manifest: Manifest, runtime: Runtime, steps: Steps) -> None:
    """As setup does it: SetupError with what would help."""
    try:
        build_runtime(runtime, steps)
    except SetupError as error:
        raise SetupError(error.message, error.hint or hint_for(manifest.recipe)) from error
