"""An adapter process that only pretends: what each of its exchanges costs is known.

Time passes when somebody works, so an hour of measuring takes milliseconds.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import NoReturn

from fetchoff.model.client import Description, Launch
from fetchoff.model.errors import AdapterError
from fetchoff.model.observation import Seen, Usage
from fetchoff.model.origin import EVERYTHING, Counted
from fetchoff.protocol.adapter import Done, Prepared
from fetchoff.protocol.fields import Message
from fetchoff.protocol.origin import Counters
from fetchoff.run.adapters.pace import GUESSED_ORIGIN, ORIGIN_US
from fetchoff.run.adapters.seam import HELLO_TIMEOUT_S, Meter, Timed, Used
from fetchoff.run.host.placement import Cores, Urgency
from fetchoff.run.os.clocks import ReadKnownNs, elapsed

TARGET, BYTES = "/bytes/16", 16
RIGHT, WRONG = "a" * 64, "b" * 64  # digests of what an exchange is answered
SILENCE_S = 10.0
TICK_NS = 10_000_000
USER_SHARE = 0.8
PEAK_KB = 20_000

Cost = Callable[[int], float]
"""Microseconds of CPU time of an exchange, by its number in the life of its process."""


def always(us: float) -> Cost:
    """What every exchange costs, in microseconds."""
    return lambda _: us


STEADY = always(100.0)


def guessed_origin_ns(client_ns: int) -> int:
    """What an exchange takes the origin: as much as is guessed before a turn has told."""
    return round((GUESSED_ORIGIN - 1) * client_ns + 1000 * ORIGIN_US)


class VirtualTime:
    """A clock that stands still unless somebody works. Lanes may work side by side."""

    def __init__(self) -> None:
        self.ns = 0
        self._lock = threading.Lock()

    def passes(self, ns: float) -> None:
        """Let so many nanoseconds go by."""
        with self._lock:
            self.ns += round(ns)


@dataclass(eq=False)
class FakeLedger:
    """A listener of an origin that counts what it is asked."""

    base_url: str = "http://127.0.0.1:1"
    tls_ca: Path | None = None
    counts: frozenset[Counted] = EVERYTHING
    requests: int = 0
    connections: int = 0
    sent: int = 0  # bytes
    most_in_flight: int = 0
    served_ns: int = 0  # the origin's CPU time
    is_closed: bool = False

    def read(self, at_least: int = 0) -> Counters:
        seen = Seen(requests=self.requests, connections=self.connections, bytes_out=self.sent)
        return replace(Counters.only(seen), max_in_flight=self.most_in_flight)

    def close(self) -> Counters:
        self.is_closed = True
        return self.read()


@dataclass(eq=False)
class FakeAdapter:
    """A client in a process.

    `us`: what its exchanges cost. `cold_us`: what its first exchange after somebody else's turn
    costs on top. `batch_us`: what each run of some iterations costs by itself. `behind_us`: what it
    does in the background after a turn, for each exchange of it. `backlog_us`: what its compiler
    has left to do when its warm-up ends. `served_ns`: what an exchange of such a cost takes the
    origin.

    Its faults: `hangs_at`: it does not send that request of its loop before it is let go, and not
    even then if it is `stuck`. `dies_at`
    and `silent_from`: exchanges of its life. `errs`: those of them that fail, by its own account.
    `fails`: its answer to a whole loop. `miscounts` and
    `doubles`: exchanges that it reports, and requests that it makes, on top of those it was asked
    for. `spoils_from`: from that exchange of its life on its content is wrong. `content_bytes`: of
    an exchange, by its own account. `skims_from`: from that exchange of its life on it closes
    answers before the origin has sent all of them. `at_once`: exchanges under way.
    `is_boastful`: it claims every feature. `lacks`: features. `will_not_start`: the reason.
    `strays`: where it is not where it was placed, and `strays_from`: from which exchange of its
    life on. `follows`: redirects of each exchange.
    """

    name: str = "a/x"
    us: Cost = STEADY
    cold_us: float = 0.0
    batch_us: float = 0.0
    behind_us: float = 0.0
    backlog_us: float = 0.0
    served_ns: Callable[[int], int] = guessed_origin_ns
    hangs_at: int | None = None
    stuck: bool = False
    dies_at: int | None = None
    silent_from: int | None = None
    errs: range = range(0)
    fails: str = ""
    miscounts: int = 0
    doubles: int = 0
    spoils_from: int | None = None
    content_bytes: int = BYTES
    skims_from: int | None = None
    at_once: int = 1
    is_boastful: bool = False
    spins: bool = True
    lacks: frozenset[str] = frozenset()
    will_not_start: str = ""
    strays: str = ""
    strays_from: int = 0
    follows: int = 0
    tells_children: bool = False
    launch: Launch = field(default_factory=lambda: Launch(("pretended",)))
    time: VirtualTime = field(default_factory=VirtualTime)
    listeners: dict[str, FakeLedger] = field(default_factory=dict)  # by base URL
    ledger: FakeLedger = field(default_factory=FakeLedger)

    pid: int = 0
    cpu_group: Path | None = None
    start_up_ms: float = 0.0
    per_iteration: int = 1
    lived: int = 0
    cpu: int = 0
    asked: int = 0
    looped: int = 0
    busy_ns: int = 0
    has_begun: bool = False
    held_since: int | None = None
    placed: tuple[Cores, Urgency] | None = None
    timed: list[int] = field(default_factory=list)  # iterations
    is_dead: bool = False
    is_ended: bool = False

    @property
    def is_alive(self) -> bool:
        return not self.is_dead

    @property
    def output_fd(self) -> int:
        return _always_readable()

    def say_hello(self) -> None:
        if self.will_not_start:
            self._fails(self.will_not_start)

    def description(self, timeout_s: float = HELLO_TIMEOUT_S) -> Description:
        return Description("1", "none", "", frozenset())

    def place(self, cores: Cores, urgency: Urgency) -> None:
        self.placed = (cores, urgency)

    def misplaced(self, cores: Cores, urgency: Urgency) -> str:
        assert self.placed in ((cores, urgency), (cores, Urgency.HIGH))
        return self.strays if self.lived >= self.strays_from else ""

    def prepare(self, message: Message) -> Prepared:
        exchanges, required = message["exchanges"], message["require"]
        assert isinstance(exchanges, list)
        assert isinstance(required, list)
        lacking = [f for f in required if f in self.lacks or f.startswith("made-up-")]
        if lacking and not self.is_boastful:
            return Prepared(unsupported=lacking[0])
        base_url = exchanges[0]["url"].removesuffix(TARGET)
        self.ledger = self.listeners[base_url]
        self.ledger.connections += 1
        self.per_iteration = len(exchanges)
        return Prepared()

    def run_timed(
        self,
        n: int,
        timeout_s: float,
        origin_cpu: ReadKnownNs,
        *,
        busy_ns: int = 0,
        digest: bool = False,
    ) -> Timed:
        assert timeout_s > 0
        self.timed.append(n)
        self.busy_ns, before_ns, origin_before_ns = busy_ns, self.cpu, origin_cpu()
        done = n * self.per_iteration
        failed = sum(self.lived + number in self.errs for number in range(done))
        costs_ns = [self.exchange() for _ in range(done)]
        served_ns = sum(map(self.served_ns, costs_ns))
        self.ledger.served_ns += served_ns
        fixed_ns = round(1000 * self.batch_us)
        self.cpu += fixed_ns
        wall_ns = fixed_ns + sum(costs_ns) + served_ns
        self.time.passes(wall_ns)
        is_right = self.spoils_from is None or self.lived <= self.spoils_from
        sha256 = (RIGHT if is_right else WRONG,) * self.per_iteration if digest else ()
        spun_ns = busy_ns * done
        right, error = done - failed, "reset by peer" if failed else ""
        received = right * self.content_bytes
        answer = Done(right, failed, received, wall_ns, error, sha256=sha256, spun_ns=spun_ns)
        origin_ns = elapsed(origin_before_ns, origin_cpu())
        return Timed(answer, wall_ns, self.cpu - before_ns, origin_ns)

    def begin(self, n: int, *, busy_ns: int = 0) -> None:
        self.asked, self.busy_ns, self.looped, self.has_begun = n, busy_ns, 0, True

    def finished(self, timeout_s: float) -> Done:
        assert self.has_begun
        assert timeout_s > 0
        if self.fails:
            self._fails(self.fails)
        if self.stuck:
            self.time.passes(1e9 * timeout_s)
            self._fails(f"no answer within {timeout_s:g} s")
        while self.looped < self.asked * self.per_iteration:
            self.loop()
        self.ledger.requests += self.doubles
        self.has_begun = False
        done, spun_ns = self.looped + self.miscounts, self.busy_ns * self.looped
        return Done(done, 0, done * self.content_bytes, self.cpu, spun_ns=spun_ns)

    def cpu_ns(self) -> int:
        return self.cpu

    def idle_cpu_ns(self, seconds: float) -> int:
        worked_us = min(self.backlog_us, 1e6 * seconds)
        self.backlog_us -= worked_us
        self.cpu += round(1e3 * worked_us)
        self.time.passes(1e9 * seconds)
        return round(1e3 * worked_us)

    def meter(self) -> Meter:
        before_ns = self.cpu

        def used() -> Used:
            ticks = (self.cpu - before_ns) / TICK_NS
            user, system = round(USER_SHARE * ticks), round((1 - USER_SHARE) * ticks)
            return Used(Usage(user, system, PEAK_KB, samples_per_s=100))

        return used

    def request_exit(self) -> None:
        self.is_dead = True

    def end(self) -> None:
        self.is_dead = self.is_ended = True

    def kill(self) -> None:
        self.is_dead = self.is_ended = True

    def exchange(self) -> int:
        """One more; what it cost, in nanoseconds."""
        if self.dies_at is not None and self.lived >= self.dies_at:
            self.is_dead = True
            self._fails("ended with exit status 1")
        if self.silent_from is not None and self.lived >= self.silent_from:
            self.time.passes(1e9 * SILENCE_S)
            self._fails(f"no answer within {SILENCE_S:g} s")
        ns = round(1000 * self.us(self.lived)) + (self.busy_ns if self.spins else 0)
        skims = self.skims_from is not None and self.lived >= self.skims_from
        self.lived += 1
        self.ledger.requests += 1 + self.follows
        self.ledger.most_in_flight = max(self.ledger.most_in_flight, self.at_once)
        self.ledger.sent += BYTES - skims
        self.cpu += ns
        return ns

    def loop(self) -> int:
        """One more of its loop."""
        self.looped += 1
        return self.exchange()

    @property
    def requests_left(self) -> int:
        return self.asked * self.per_iteration - self.looped

    def _fails(self, why: str) -> NoReturn:
        raise AdapterError(f"{self.name}: {why}")


@cache
def _always_readable() -> int:
    """What poll(2) says of /dev/null."""
    return os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
