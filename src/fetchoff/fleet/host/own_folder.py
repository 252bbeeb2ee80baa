"""The run folder that a host has of its own, and what is said when it fails.

What a host is lost for is stored and shown elsewhere, so no message names a path of the host;
and it isn't `fetchoff resume` that goes on with such a folder.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from pathlib import Path

from fetchoff.catalog.paths import cache
from fetchoff.model.errors import FetchoffError, HostError, InputError, InUseError, StoreError
from fetchoff.store.run_folder import RunFolder

RELEASED_S = 0.2  # between two looks at whether another process has let go of a run folder
GOES_ON = "then 'fetchoff fleet resume' goes on with it"
ALONE, IN_A_FLEET = "'fetchoff resume'", "'fetchoff fleet resume'"
LOST = "restore it from a backup, or begin a new run; the others go on without it"


def folders() -> Path:
    """Where this machine keeps the run folders of hosts that it was; StoreError."""
    return cache() / "fleet"


def must_have_a_cache() -> None:
    """Raise HostError, whose message names no path, if this machine has no cache folder."""
    try:
        cache()
    except StoreError as error:
        raise HostError(
            "its cache folder cannot be used", f"{error.message}; {error.hint}"
        ) from error


def is_of_a_host(path: Path) -> bool:
    """Whether this machine keeps such run folders as a host; without a cache folder, none is."""
    with contextlib.suppress(StoreError):
        return path.resolve().is_relative_to(folders().resolve())
    return False


def opened(path: Path, *, to_append: bool = True) -> RunFolder:
    """The run folder; whoever measures into it still, because its worker has just ended, ends.

    HostError if it isn't there any more, or damaged.
    """
    while True:
        try:
            with telling_of_the_host():
                return RunFolder.open(path, to_append=to_append)
        except InUseError:
            time.sleep(RELEASED_S)
        except InputError as error:
            raise HostError("its records are lost: it has no folder of this run", LOST) from error


@contextlib.contextmanager
def telling_of_the_host() -> Iterator[None]:
    """Errors of a host's own run folder as those of the host; InUseError stays what it is."""
    try:
        yield
    except InUseError:
        raise
    except StoreError as error:
        cause = error.__cause__
        if isinstance(cause, OSError):
            raise HostError(
                f"its run folder cannot be used: {cause.strerror}",
                f"make room or mend its disk, {GOES_ON}",
            ) from error
        raise HostError(
            "its run folder is damaged", f"restore it from a backup, {GOES_ON}"
        ) from error


@contextlib.contextmanager
def telling_what_goes_on() -> Iterator[None]:
    """What measures knows nothing of fleets: where it names the command that goes on with a run of
    one machine, a HostError names that of a fleet."""
    try:
        yield
    except FetchoffError as error:
        if ALONE not in error.hint:
            raise
        raise HostError(error.message, error.hint.replace(ALONE, IN_A_FLEET)) from error


def discard_unless_measured(path: Path) -> None:
    """Remove the run folder; HostError if it holds measurements."""
    folder = opened(path)
    if folder.records():
        folder.close()
        raise HostError("it holds measurements of this run already", "begin a new run")
    folder.discard()
