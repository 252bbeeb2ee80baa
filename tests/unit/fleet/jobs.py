"""Jobs for tests of processes: real ones, named by their module."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from fetchoff.fleet.seam.cluster import Here, Step
from fetchoff.model.errors import UnknownName


def where(_request: object, here: Here) -> tuple[set[int], set[int]]:
    """The cores before and after the machine is entered."""
    before = os.sched_getaffinity(0)
    here.enter()
    return before, os.sched_getaffinity(0)


def chatty(count: int, here: Here) -> int:
    for number in range(count):
        print("this must not garble anything")
        here.tell(Step("get", str(number)))
    return os.getpid()


def fails(name: str, _here: Here) -> None:
    raise UnknownName("client", name, ["python/requests"])


def breaks(_request: object, _here: Here) -> None:
    sys.exit(7)


def dies_saying(text: str, _here: Here) -> None:
    print(text, file=sys.stderr, flush=True)
    os._exit(7)


def meets_what_nobody_foresaw(address: str, _here: Here) -> None:
    raise LookupError(f"cannot reach {address}")


def meets_what_fetchoff_did_not_foresee(line: bytes, _here: Here) -> None:
    """In what Fetchoff calls in turn."""
    from fetchoff.store.records import from_line

    from_line(line)


def noted_when_interrupted(path: Path, here: Here) -> None:
    """Waits until it is interrupted, and notes that it could end in order."""
    try:
        here.tell(Step("", str(os.getpid())))
        time.sleep(120)
    finally:
        path.write_text("ended in order")
