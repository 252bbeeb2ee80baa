"""Getting adapters ready, as many at a time as there are cores."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from functools import partial
from pathlib import Path

from fetchoff.build import locks
from fetchoff.build.build_dir import (
    BuildDir,
    build,
    forget_ready,
    remember_failure,
    remember_ready,
    state,
)
from fetchoff.build.prerequisites import Refused, check, hint_for, install_packages, prove
from fetchoff.build.resolving import resolve
from fetchoff.build.runtimes import build_runtime
from fetchoff.build.steps import Steps, one_at_a_time
from fetchoff.build.writing import writing
from fetchoff.catalog.paths import cache
from fetchoff.model.client import Client, Description, Launch, Manifest, Readiness
from fetchoff.model.errors import AdapterError, InputError, SetupError

SayHello = Callable[[Launch, Path], Description]
Told = Callable[[str], None]


@contextlib.contextmanager
def lock(say: Told = lambda _: None) -> Iterator[int]:
    """One setup at a time in a cache: a second one waits for the first, and says so.

    Yields the descriptor that holds the lock, for steps to inherit: where this process is killed,
    the next setup waits for what it has left running. Where it isn't, the lock is released at the
    end, even if a daemon that a step has left still has that descriptor.
    """
    path = cache() / "setup.lock"
    with writing(path):
        file = path.open("w")
    with file:
        with writing(path):
            _wait_for(file.fileno(), say)
        try:
            yield file.fileno()
        finally:
            fcntl.flock(file, fcntl.LOCK_UN)


def _wait_for(opened: int, say: Told) -> None:
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        say(f"another setup builds in {cache()}; waiting for it to end")
        fcntl.flock(opened, fcntl.LOCK_EX)


def set_up(
    manifests: Iterable[Manifest],
    say_hello: SayHello,
    on_start: Told = lambda _: None,
    say: Told = lambda _: None,
) -> Iterator[Client]:
    """Make adapters ready, as many at a time as there are cores; yields each as it ends.

    Those that are ready already say hello again: a library that they share with the machine may
    have changed. For the others it waits until no other setup builds in this cache; `say` is told
    if there is one.

    Never raises for a client: one that fails is yielded as unavailable, with why and what would
    help.
    """
    todo = []
    steps = Steps()
    with (
        contextlib.ExitStack() as locked,
        ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool,
    ):
        try:
            asked = list(manifests)
            known = pool.map(partial(_still_ready, say_hello=say_hello), asked)
            for manifest, client in zip(asked, known, strict=True):
                if client is None:
                    todo.append(manifest)
                else:
                    yield client
            if todo:
                steps.inherited = locked.enter_context(lock(say))
            refused = install_packages(todo, on_start)
            futures = [
                pool.submit(_set_up_one, manifest, say_hello, on_start, steps, refused)
                for manifest in todo
            ]
            for future in as_completed(futures):
                yield future.result()
        finally:
            steps.end()
            pool.shutdown(wait=False, cancel_futures=True)


def _is_unresolved(manifest: Manifest) -> bool:
    """Whether its version is still to be resolved.

    Until then `state` may tell of another client: of what was built from the adapter's own lock
    file.
    """
    return manifest.is_resolved and locks.known(manifest) is None


def _check(build_dir: BuildDir, refused: Refused) -> None:
    """SetupError, with what would help, where something is missing."""
    try:
        check(build_dir.manifest)
    except SetupError as error:
        hint = hint_for(build_dir.manifest.recipe, refused)
        raise SetupError(error.message, hint) from error


def _still_ready(manifest: Manifest, say_hello: SayHello) -> Client | None:
    """The client as it now describes itself; None if it is to be built."""
    try:
        client = state(manifest)
        if client.launch is None or _is_unresolved(manifest):
            return None
        build_dir = BuildDir.of(manifest)
        with one_at_a_time(build_dir.folder), contextlib.suppress(AdapterError):
            description = say_hello(client.launch, build_dir.adapter)
            if description != client.description:
                remember_ready(build_dir, description)
            return state(manifest)
        forget_ready(build_dir)
    except InputError as error:
        return _unavailable(manifest, error.message, error.hint)
    except OSError as error:
        return _unwritable(manifest, error)
    return None


def _set_up_one(
    manifest: Manifest,
    say_hello: SayHello,
    on_start: Told,
    steps: Steps,
    refused: Refused,
) -> Client:
    on_start(str(manifest.id))
    try:
        return _built(manifest, say_hello, steps, refused)
    except InputError as error:
        return _unavailable(manifest, error.message, error.hint)
    except OSError as error:
        return _unwritable(manifest, error)


def _built(manifest: Manifest, say_hello: SayHello, steps: Steps, refused: Refused) -> Client:
    build_dir = BuildDir.of(manifest)
    try:
        if manifest.runtime is not None:
            build_runtime(manifest.runtime, steps)
        _check(build_dir, refused)
        resolve(manifest, steps)
        build_dir = BuildDir.of(manifest)
        with one_at_a_time(build_dir.folder):  # X and X@DEFAULT are built in the same
            if state(manifest).readiness is not Readiness.READY:
                build(build_dir, steps)
                prove(build_dir)
                remember_ready(build_dir, say_hello(build_dir.launch(), build_dir.adapter))
    except (SetupError, AdapterError) as error:
        if steps.ended:  # interrupted by the user: that is no failure of the client
            return state(manifest)
        reason = error.message.removeprefix(f"{build_dir.adapter.name}: ")
        hint = f"the adapter: {build_dir.adapter}"
        if isinstance(error, SetupError):
            hint = error.hint or hint_for(build_dir.manifest.recipe, refused)
        if _is_unresolved(manifest):  # nothing was built, and the next time a registry may answer
            return _unavailable(manifest, reason, hint)
        remember_failure(build_dir, reason, hint)
    return state(manifest)


def _unwritable(manifest: Manifest, error: OSError) -> Client:
    return _unavailable(manifest, f"{cache()}: {error}", "look at the folder and the disk")


def _unavailable(manifest: Manifest, reason: str, hint: str) -> Client:
    return Client(manifest, Readiness.UNAVAILABLE, reason=reason, hint=hint)
