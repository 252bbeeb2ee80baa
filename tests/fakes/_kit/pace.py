"""Adapters that take too long, or too little, or end too early, or not at all."""

from __future__ import annotations

import functools
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from honest import FEATURES, Honest

MILLISECOND = 1_000_000
FOREVER_S = 3600
IS_SETUP = Path("adapter.toml").exists()


def sleep_forever() -> None:
    while True:
        time.sleep(FOREVER_S)


class Slow(Honest):
    """Spins for a millisecond in every exchange."""

    def exchange(self, exchange: dict[str, Any]) -> tuple[int, bytes]:
        self.spin(MILLISECOND)
        return super().exchange(exchange)


class Wavering(Honest):
    """Spins for a third of a millisecond, or for three, as this process has drawn."""

    ns = round(MILLISECOND * 3 ** random.uniform(-1, 1))

    def exchange(self, exchange: dict[str, Any]) -> tuple[int, bytes]:
        self.spin(self.ns)
        return super().exchange(exchange)


class Aging(Honest):
    """Spins for the nanoseconds that the file $SPIN holds, in every exchange."""

    def exchange(self, exchange: dict[str, Any]) -> tuple[int, bytes]:
        self.spin(int(Path(os.environ["SPIN"]).read_text()))
        return super().exchange(exchange)


class SlowStart(Honest):
    def hello(self) -> dict[str, Any]:
        time.sleep(1.5)
        return super().hello()


class Silent(Honest):
    """Never answers hello."""

    def hello(self) -> dict[str, Any]:
        sleep_forever()
        return {}


class FallsSilent(Silent):
    """Never answers hello once it has been set up."""

    def hello(self) -> dict[str, Any]:
        return Honest.hello(self) if IS_SETUP else super().hello()


class Batches(Honest):
    """Knows which of its batches it is in; those of verification ask for digests."""

    batch = 0

    def run(self, message: dict[str, Any]) -> dict[str, Any]:
        self.batch += "digest" not in message
        return super().run(message)


class Hanging(Batches):
    """Hangs in its fifth batch."""

    def exchange(self, exchange: dict[str, Any]) -> tuple[int, bytes]:
        if self.batch == 5:
            sleep_forever()
        return super().exchange(exchange)


class Crashing(Honest):
    """Ends late in a loop that is many times as long as any before: one in which turns are taken.

    How long that is depends on the machine; stretches of a warm-up grow fourfold at most.
    """

    longest = 1
    last = 0
    many = 6

    def run(self, message: dict[str, Any]) -> dict[str, Any]:
        n = message["n"]
        self.last = round(0.7 * n) if n > self.many * self.longest else n + 1
        self.longest = max(self.longest, n)
        return super().run(message)

    def exchange(self, exchange: dict[str, Any]) -> tuple[int, bytes]:
        self.last -= 1
        if self.last < 0:
            print("out of cheese", file=sys.stderr)
            sys.stderr.flush()
            os._exit(3)
        return super().exchange(exchange)


class Fainting(Honest):
    """Ends whenever it is to prepare anything."""

    def prepare(self, message: dict[str, Any]) -> dict[str, Any]:
        os._exit(3)


class ShortLived(Crashing):
    """Ends in the middle of any loop that is not short."""

    long = 30


class Leaking(Honest):
    """Starts processes and forgets them."""

    def prepare(self, message: dict[str, Any]) -> dict[str, Any]:
        subprocess.Popen(["sleep", str(FOREVER_S)])
        return super().prepare(message)


class Deaf(Honest):
    """Lives on when its input ends, whatever signal it is sent."""

    def serve(self) -> None:
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        super().serve()
        sleep_forever()


class Idle(Honest):
    """Reports to have spun, and has not."""

    def run(self, message: dict[str, Any]) -> dict[str, Any]:
        busy_ns = message.pop("busy_ns", 0)
        answer = super().run(message)
        return {**answer, "busy_ns": busy_ns * answer["done"]}


class Unhurried(Honest):
    """Takes a millisecond an iteration, but as long for one as for eight."""

    def run(self, message: dict[str, Any]) -> dict[str, Any]:
        began = time.perf_counter_ns()
        answer = super().run(message)
        eights = -(-message["n"] // 8)
        self.spin(max(0, 8 * eights * MILLISECOND - (time.perf_counter_ns() - began)))
        return answer


class Impatient(Honest):
    """Gives up at once where it is told how long to wait."""

    features = (*FEATURES, "timeout.connect", "timeout.read", "timeout.total")

    def exchange(self, exchange: dict[str, Any]) -> tuple[int, bytes]:
        if any(self.settings["timeout_ms"].values()):
            raise OSError("timed out")
        return super().exchange(exchange)


class TwoFaced(Honest):
    """Is slower where it is the twin of the self-check; the harness's file for its words tells.

    It looks once, so that elsewhere it costs what an honest client does.
    """

    @functools.cached_property
    def is_twin(self) -> bool:
        return "#twin" in str(Path("/proc/self/fd/2").readlink())

    def exchange(self, exchange: dict[str, Any]) -> tuple[int, bytes]:
        if self.is_twin:
            self.spin(MILLISECOND // 2)
        return super().exchange(exchange)
