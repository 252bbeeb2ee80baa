"""Getting adapters ready, as many at a time as there are cores."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from fetchoff.build.build_dir import BuildDir, build, remember_failure, remember_ready, state
from fetchoff.build.prerequisites import Refused, check, hint_for, install_packages, prove
from fetchoff.build.resolving import resolve
from fetchoff.build.runtimes import build_runtime
from fetchoff.build.steps import Steps
from fetchoff.catalog.paths import cache
from fetchoff.model.client import Client, Description, Launch, Manifest, Readiness
from fetchoff.model.errors import AdapterError, SetupError

SayHello = Callable[[Launch, Path], Description]


@contextlib.contextmanager
def lock() -> Iterator[None]:
    """One setup at a time in a cache: a second one waits for the first."""
    with (cache() / "setup.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def set_up(
    manifests: Iterable[Manifest],
    say_hello: SayHello,
    on_start: Callable[[str], None] = lambda _: None,
) -> Iterator[Client]:
    """Make adapters ready, as many at a time as there are cores; yields each as it ends.

    Never raises for a client: one that fails is yielded as unavailable, with why and what would
    help.
    """
    todo = []
    for manifest in manifests:
        client = state(manifest)
        if client.readiness is Readiness.READY:
            yield client
        else:
            todo.append(manifest)
    refused = install_packages(todo, on_start)
    steps = Steps()
    with ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
        futures = [
            pool.submit(_set_up_one, manifest, say_hello, on_start, steps, refused)
            for manifest in todo
        ]
        try:
            for future in as_completed(futures):
                yield future.result()
        finally:
            steps.end()
            pool.shutdown(wait=False, cancel_futures=True)


def _check(build_dir: BuildDir, refused: Refused) -> None:
    """SetupError, with what would help, where something is missing."""
    try:
        check(build_dir.manifest)
    except SetupError as error:
        hint = hint_for(build_dir.manifest.recipe, refused)
        raise SetupError(error.message, hint) from error


def _set_up_one(
    manifest: Manifest,
    say_hello: SayHello,
    on_start: Callable[[str], None],
    steps: Steps,
    refused: Refused,
) -> Client:
    on_start(str(manifest.id))
    build_dir = BuildDir.of(manifest)
    try:
        if manifest.runtime is not None:
            build_runtime(manifest.runtime, steps)
        _check(build_dir, refused)
        resolve(manifest, steps)
        build_dir = BuildDir.of(manifest)
        build(build_dir, steps)
        prove(build_dir)
        description = say_hello(build_dir.launch(), build_dir.adapter)
    except (SetupError, AdapterError) as error:
        if steps.ended:  # interrupted by the user: that is no failure of the client
            return state(manifest)
        reason = error.message.removeprefix(f"{build_dir.adapter.name}: ")
        hint = f"the adapter: {build_dir.adapter}"
        if isinstance(error, SetupError):
            hint = error.hint or hint_for(build_dir.manifest.recipe, refused)
        remember_failure(build_dir, reason, hint)
        return state(manifest)
    except OSError as error:
        return Client(
            manifest,
            Readiness.UNAVAILABLE,
            reason=f"{build_dir.folder}: {error}",
            hint="look at the folder and the disk",
        )
    remember_ready(build_dir, description)
    return state(manifest)
