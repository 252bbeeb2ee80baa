"""A lock: two measurements at once on a machine would disturb each other."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shlex
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from fetchoff.model.errors import BusyError

VARIABLE = "FETCHOFF_LOCK"
_NAME = "fetchoff-measuring.lock"
_FOLDERS = ("/run/lock", "/tmp")  # where Debian lets everybody make such files; never $TMPDIR
_FOR_ALL = 0o666


@contextlib.contextmanager
def alone(*, waits: bool, say: Callable[[str], None]) -> Iterator[None]:
    """Hold the lock. If another process holds it, raise BusyError, or wait if `waits`.

    The lock is the kernel's (flock(2)), so it goes with whoever holds it, however that ends. Its
    file is one for all users, and says who that is. Where none can be made nothing is locked.
    """
    opened = _opened()
    if opened is None:
        yield
        return
    try:
        _lock(opened, waits=waits, say=say)
        with contextlib.suppress(OSError):  # of another user: it can be locked all the same
            os.ftruncate(opened, 0)
            os.pwrite(opened, _who().encode(), 0)
        yield
    finally:
        os.close(opened)


def lock_id() -> str:
    """The same for all on a machine who would wait for each other: of the lock's file; "" if there
    is none. Containers have files of their own, and so don't wait for each other."""
    opened = _opened()
    if opened is None:
        return ""
    try:
        status = os.fstat(opened)
        return f"{status.st_dev}:{status.st_ino}"
    finally:
        os.close(opened)


def _lock(opened: int, *, waits: bool, say: Callable[[str], None]) -> None:
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        holder = os.pread(opened, 1000, 0).decode(errors="replace").strip()
        measures = f"this machine is being measured on already ({holder or 'who does not say'})"
        if not waits:
            raise BusyError(
                f"{measures}: two at once would disturb each other",
                "wait with --wait, or end the other one",
            ) from None
        say(f"{measures}; waiting for it to end")
        fcntl.flock(opened, fcntl.LOCK_EX)


def _who() -> str:
    """Of this process; the next one to come shows it."""
    command = shlex.join([Path(sys.argv[0]).name, *sys.argv[1:]])[:200]
    return f"process {os.getpid()} since {time.strftime('%H:%M:%S')}: {command}\n"


def _opened() -> int | None:
    """The file, made for all users where it is not there."""
    for path in _places():
        # Debian refuses O_CREAT for a file of another user in such a folder (protected_regular).
        for flags in (os.O_RDWR, os.O_RDWR | os.O_CREAT | os.O_EXCL, os.O_RDWR, os.O_RDONLY):
            try:
                opened = os.open(path, flags | os.O_NOFOLLOW | os.O_CLOEXEC, _FOR_ALL)
            except OSError:
                continue
            if flags & os.O_CREAT:
                os.fchmod(opened, _FOR_ALL)
            return opened
    return None


def _places() -> list[str]:
    chosen = os.environ.get(VARIABLE)
    return [chosen] if chosen else [f"{folder}/{_NAME}" for folder in _FOLDERS]
