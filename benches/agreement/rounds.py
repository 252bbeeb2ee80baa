"""A round: one fresh process of each subject, measured alternately on one core.

The exchanges of a process are divided into long stretches, mixed with those of the others, so that
slow spells of the machine affect all alike. Within a stretch a process has the caches to itself.
Its first moments, in which the process fetches back what the others have driven out of the caches,
are not counted: a loop that nobody interrupts has none. The first 20 ms of a stretch cost
go/fasthttp 29 % more than the rest, which made a stretch of a quarter of a second 2 % dearer.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from benches.agreement.processes import FailedError, Reading, Running, Task, started
from benches.agreement.stretches import LEAD_NS, LINE_NS, fitting, lines_of, mixed, stretches_of
from benches.agreement.subjects import Subject, Way

from fetchoff.catalog.workloads import workload
from fetchoff.model.course import Course
from fetchoff.model.loopback import Loopback
from fetchoff.run.host.machine import usable_cores
from fetchoff.run.host.placement import Cores, Urgency, misplaced, place, strongest_urgency
from fetchoff.run.network.own_loopback import laying
from fetchoff.run.origins.built_in import BuiltInLedger, BuiltInOrigin
from fetchoff.run.origins.reference import fetch

FIRST_LINES = (1, 20)
AGAIN_NS = 1_000_000_000
"""Who has a compiler forgets while others are measured (decision 0022), so its leads take this
long. With 5,000 exchanges before the first, undici's loop got 10 % cheaper while it was measured.
"""
WARM_AT_LAST_S = 10.0
"""Who has a compiler takes all of it: javascript/undici's loop of small POSTs cost 95 us after
15,000 exchanges, in two seconds, and 68 us after 40,000."""


@dataclass(frozen=True)
class Amounts:
    """How much is asked of each process: exchanges, or what fits into `at_most_s` of wall time.

    `warm_up`: exchanges before. Who has a compiler does more, for WARM_AT_LAST_S.
    """

    exchanges: int
    warm_up: int
    at_most_s: float


@dataclass(frozen=True)
class Stand:
    """The core that client and origin share, their scheduling priority, their loopback, and what
    they do there."""

    core: int
    urgency: Urgency
    workload: str
    loopback: Loopback


def stand(name: str, loopback: Loopback) -> Stand:
    """Where and how a run of Fetchoff would measure this workload on this machine."""
    return Stand(usable_cores()[-1], strongest_urgency(), name, loopback)


@dataclass(frozen=True)
class Measured:
    """What one process did and cost; the times are of its measured exchanges.

    `elsewhere_ns`: CPU time that it had between its lines, while it was to wait. `second_half`:
    the cost of the second half of its exchanges relative to that of the first; NaN of a single
    line. `remark`: what its core or policy is that it should not be.
    """

    round: int
    client: str
    way: Way
    exchanges: int
    cpu_ns: int
    wall_ns: int
    elsewhere_ns: int
    second_half: float
    connections: int
    request_bytes: float
    remark: str


Failures = dict[tuple[str, Way], str]


def measure_round(
    number: int,
    subjects: Sequence[Subject],
    amounts: Amounts,
    at: Stand,
    rng: random.Random,
    folder: Path,
) -> tuple[list[Measured], Failures]:
    """Start, warm up and measure every subject in random order; those that failed, and how."""
    failures: Failures = {}
    with ExitStack() as stack:
        course = Course(workload(at.workload))
        network = stack.enter_context(laying(at.loopback)(course, folder))
        origin = BuiltInOrigin(folder, Cores({at.core}), network)
        stack.callback(origin.end)
        origin.place(Cores({at.core}), at.urgency)
        found = fetch(course.workload, origin.open().base_url, network)  # its length
        task = Task(found.workload, at.core, network)
        guests = []
        for subject in rng.sample(subjects, len(subjects)):
            try:
                own = folder / f"{subject.client.replace('/', '--')}-{subject.way}"
                own.mkdir()
                guest = _Guest(number, subject, origin.open_for_turns(), amounts, at, task, own)
                stack.callback(guest.end)
                guest.warm_up()
                guests.append(guest)
            except FailedError as error:
                failures[subject.key] = str(error)
        for index in mixed([len(guest.stretches) for guest in guests], rng):
            guest = guests[index]
            try:
                if guest.subject.key not in failures:
                    guest.measure_stretch()
            except FailedError as error:
                failures[guest.subject.key] = str(error)
        measured = []
        for guest in guests:
            try:
                if guest.subject.key not in failures:
                    measured.append(guest.conclude())
            except FailedError as error:
                failures[guest.subject.key] = str(error)
    return measured, failures


class _Guest:
    """A subject's process in a round."""

    def __init__(
        self,
        number: int,
        subject: Subject,
        ledger: BuiltInLedger,
        amounts: Amounts,
        at: Stand,
        task: Task,
        folder: Path,
    ) -> None:
        self.subject = subject
        self.stretches: list[int] = []
        self._number = number
        self._ledger = ledger
        self._amounts = amounts
        self._at = at
        self._process: Running = started(subject, ledger.base_url, folder, task)
        self._sent = 0
        self._ns_per_exchange = 0.0
        self._next = 0
        self._lines: list[Reading] = []
        self._leads_ns = 0
        self._clock_at_begin = 0

    def warm_up(self) -> None:
        """Place the process, do the unmeasured exchanges, and plan the measured ones."""
        amounts = self._amounts
        for n in FIRST_LINES:
            self._do(n)
            place(self._process.pid, Cores({self._at.core}), self._at.urgency)
        began_s = time.monotonic()
        while time.monotonic() - began_s < WARM_AT_LAST_S and (
            self.subject.wants_warm or self._sent < amounts.warm_up
        ):
            self._do(fitting(LINE_NS, self._ns_per_exchange))
        exchanges = min(amounts.exchanges, fitting(amounts.at_most_s * 1e9, self._ns_per_exchange))
        self.stretches = stretches_of(exchanges, self._ns_per_exchange)
        place(
            self._process.pid, Cores({self._at.core}), self._at.urgency
        )  # of threads, the new ones too

    def measure_stretch(self) -> None:
        """Do the next stretch; all exchanges after its lead count."""
        if not self._lines:
            self._clock_at_begin = self._process.cpu_clock()
        lead_ns = AGAIN_NS if self.subject.wants_warm else LEAD_NS
        self._leads_ns += self._do(fitting(lead_ns, self._ns_per_exchange)).cpu_ns
        for line in lines_of(self.stretches[self._next], self._ns_per_exchange):
            self._lines.append(self._do(line))
        self._next += 1

    def conclude(self) -> Measured:
        """The totals; FailedError if the origin did not see exactly the requested exchanges."""
        all_ns = self._process.cpu_clock() - self._clock_at_begin
        remark = misplaced(self._process.pid, Cores({self._at.core}), self._at.urgency)
        self._process.end()
        seen = self._ledger.close().seen
        if seen.requests != self._sent:
            raise FailedError(f"the origin saw {seen.requests} requests of {self._sent}")
        cpu_ns = sum(line.cpu_ns for line in self._lines)
        return Measured(
            round=self._number,
            client=self.subject.client,
            way=self.subject.way,
            exchanges=sum(line.exchanges for line in self._lines),
            cpu_ns=cpu_ns,
            wall_ns=sum(line.wall_ns for line in self._lines),
            elsewhere_ns=all_ns - cpu_ns - self._leads_ns,
            second_half=_second_half(self._lines),
            connections=seen.connections,
            request_bytes=seen.bytes_in / seen.requests,
            remark=remark,
        )

    def end(self) -> None:
        self._process.end()

    def _do(self, exchanges: int) -> Reading:
        self._sent += exchanges
        reading = self._process.do(exchanges)
        self._ns_per_exchange = reading.wall_ns / exchanges
        return reading


def _second_half(lines: Sequence[Reading]) -> float:
    middle = len(lines) // 2
    if not middle:
        return math.nan
    first, second = (
        sum(line.cpu_ns for line in part) / sum(line.exchanges for line in part)
        for part in (lines[:middle], lines[middle:])
    )
    return second / first
