"""Count what a client allocates: how often, and how many bytes.

Where that comes by the C library's allocator, a small library is loaded before the others
(LD_PRELOAD, see ld.so(8)), so whoever allocates comes by it. It counts into a file that the harness
reads between two loops, while the client is at rest. Other runtimes count themselves, and are
asked.
"""

from __future__ import annotations

import hashlib
import os
import struct
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import mode
from time import monotonic, sleep

from fetchoff.model.allocations import Allocated, AllocationsBy
from fetchoff.model.client import Launch
from fetchoff.model.environment import environment
from fetchoff.model.errors import StoreError
from fetchoff.run.os import procfs
from fetchoff.run.os.process import telling_line
from fetchoff.run.recording.warm_client import WarmClient

SOURCE = Path(__file__).with_name("allocations.c")
COMPILE = ("cc", "-O2", "-shared", "-fPIC")
COMPILE_S = 60.0
FILE = "FETCHOFF_ALLOCATIONS"
LEAST_LOOPS, MOST_LOOPS = 10, 200
COUNTED_MS = 1000.0
BEFORE_COUNTING = 300
"""Iterations, where they fit in COUNTED_MS. A client's own count of exchanges costs nothing in
CPython up to 256, as these numbers are there already; from then on, each is allocated."""
RESTS_WITHIN_S, LOOKS_EVERY_S = 0.1, 0.0001
_COUNTS = struct.Struct("=QQ")


class NotCounted(Exception):
    """Allocations can't be counted; the text says why, `hint` what would help."""

    def __init__(self, reason: str, hint: str = "") -> None:
        super().__init__(reason)
        self.hint = hint


def library(folder: Path) -> Path:
    """The library that counts, compiled into this folder if it isn't there. NotCounted where that
    fails."""
    digest = hashlib.sha256(SOURCE.read_bytes()).hexdigest()[:16]
    built = folder / f"allocations-{digest}.so"
    if built.exists():
        return built
    part = built.with_suffix(f".{os.getpid()}")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        done = subprocess.run(
            [*COMPILE, "-o", part, SOURCE],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=COMPILE_S,
            check=False,
            env=environment(os.environ, {}),
        )
    except FileNotFoundError as error:
        raise NotCounted("there is no C compiler", "install one: apt-get install gcc") from error
    except subprocess.TimeoutExpired as error:
        raise NotCounted("the C compiler did not end") from error
    except OSError as error:
        raise NotCounted(f"{folder} cannot be written: {error.strerror}") from error
    if done.returncode:
        raise NotCounted(f"what counts them can't be compiled: {telling_line(done.stderr)}")
    part.replace(built)
    return built


@dataclass(frozen=True)
class Tally:
    """The file that a client's allocations are counted in."""

    file: Path

    @classmethod
    def new(cls, folder: Path) -> Tally:
        """A tally at nothing. StoreError if it can't be written."""
        file = folder / "allocations"
        try:
            file.write_bytes(bytes(_COUNTS.size))
        except OSError as error:
            raise StoreError(f"{file} cannot be written: {error.strerror}") from error
        return cls(file)

    def read(self) -> tuple[int, int]:
        """How often memory was asked for since the client was started, and how many bytes."""
        calls, size = _COUNTS.unpack(self.file.read_bytes())
        return calls, size


def counted(launch: Launch, tally: Tally, library: Path | None) -> Launch:
    """How to start a client so that what it allocates can be counted. `library`: what is loaded
    before its own; None where its runtime counts."""
    assert launch.allocations is not None
    loaded = {"LD_PRELOAD": str(library), FILE: str(tally.file)} if library else {}
    return replace(launch, env={**launch.env, **launch.allocations.env, **loaded})


def allocated(warm: WarmClient, tally: Tally) -> Allocated:
    """What an iteration of a warm client allocates most often.

    Of many loops of one iteration (or of as many as are in flight), the commonest count: then
    neither collections show, nor tables that grow; of bytes, the commonest with that count. What an
    order to run takes is in it, the same on both sides of a gate. NotCounted where nothing was ever
    seen; AdapterError if the client breaks the protocol.
    """
    how = warm.subject.launch.allocations
    loop = _told if how is not None and how.by is AllocationsBy.KIT else _tallied
    at_once = warm.subject.course.workload.settings.concurrency
    fitting = max(LEAST_LOOPS, round(COUNTED_MS / (at_once * max(warm.iteration_ms, 1e-3))))
    loop(warm, tally, at_once * min(BEFORE_COUNTING, fitting))
    loops = min(MOST_LOOPS, fitting)
    found = [loop(warm, tally, at_once) for _ in range(loops)]
    calls = mode(one.calls for one in found)
    commonest = Allocated(calls, mode(one.bytes for one in found if one.calls == calls))
    return commonest.per(at_once)


def _tallied(warm: WarmClient, tally: Tally, iterations: int) -> Allocated:
    calls, size = _at_rest(warm, tally)
    if not calls:
        raise NotCounted("its allocator is not that of the C library")
    warm.run(iterations)
    calls_after, size_after = _at_rest(warm, tally)
    return Allocated(calls_after - calls, size_after - size)


def _at_rest(warm: WarmClient, tally: Tally) -> tuple[int, int]:
    """What is tallied once the client does nothing any more: after its answer it goes on until it
    waits for the next order, and on a busy machine that comes late. A client that never rests is
    waited for no longer than that."""
    until_s = monotonic() + RESTS_WITHIN_S
    while not procfs.is_at_rest(warm.adapter.pid) and monotonic() < until_s:
        sleep(LOOKS_EVERY_S)
    return tally.read()


def _told(warm: WarmClient, _: Tally, iterations: int) -> Allocated:
    allocated = warm.run(iterations, allocations=True).answer.allocated
    if allocated is None or allocated == Allocated(None, None):
        raise NotCounted("its runtime does not count them")
    return allocated
