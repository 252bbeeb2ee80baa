"""Made-up records of a course over a link whose clients cost what a test says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from fetchoff.analysis.analyse import RunFacts, analyse
from fetchoff.model.analysis import Analysis
from fetchoff.model.course import Course
from fetchoff.model.experiment import Entrant, Experiment
from fetchoff.model.link import Calibration, Emulated, Link, Passage, Profile
from fetchoff.model.observation import (
    Batch,
    Cost,
    Invocation,
    LinkCalibrated,
    LinkUsed,
    Outcome,
    Record,
    SectionDone,
    Seen,
    Usage,
)
from fetchoff.model.workload import Exchange, Expect, Settings, Workload

ROUNDS, BLOCKS = 5, 2
WAY = Profile(delay_ms=45, rate_mbit_s=100)
LINK = Link("atlantic", "90 ms there and back, 100 Mbit/s", WAY, WAY, source="made up")
CALM = Emulated(
    packets=1000, lost=0, dropped=0, unasked=0, late_p99_us=64, cpu_ns=10**8, elapsed_ns=10**9
)
LATE = "1 in 100 packets left the link 9.1 ms late"
BEHIND = replace(CALM, late_p99_us=2048, late_us=(((64, 499), (2048, 1)), ((64, 500),)))


@dataclass(frozen=True)
class Does:
    """What a client does: seconds and CPU seconds an exchange, and bytes that the origin counts."""

    wall_s: float
    cpu_s: float = 0.001
    bytes_in: int = 100
    bytes_out: int = 150
    segments: float = 1.0


@dataclass(frozen=True)
class Crossed:
    """A course, who does what on it, and where the link was at fault.

    `faults`: rounds, as runs of before had them; `late`: what the emulator did in a batch, by
    round, block and client.
    """

    clients: dict[str, Does]
    bytes: int = 16
    settings: Settings = field(default_factory=Settings)
    link: Link = LINK
    exchanges: int = 1
    blocks: int = BLOCKS
    faults: dict[int, str] = field(default_factory=dict)
    late: dict[tuple[int, int, str], Emulated] = field(default_factory=dict)
    decide_on: tuple[str, ...] = ("wall", "cpu")
    tried: Sequence[Calibration] = ()
    first_us: float = 0.0  # as it was kept of each process

    @property
    def course(self) -> Course:
        get = Exchange("GET", "/", expect=Expect(bytes=self.bytes))
        return Course(Workload("get", "GET", (get,), self.settings), self.link)

    @property
    def experiment(self) -> Experiment:
        entrants = tuple(Entrant(client, client, client) for client in self.clients)
        return Experiment(
            entrants,
            (self.course,),
            next(iter(self.clients)),
            1,
            blocks=self.blocks,
            blocks_over_links=self.blocks,
            decide_on=self.decide_on,
        )

    def records(self) -> list[Record]:
        records: list[Record] = [LinkCalibrated(0, calibration) for calibration in self.tried]
        for number in range(ROUNDS):
            records += self._round(number)
        return records

    def _round(self, number: int) -> list[Record]:
        records: list[Record] = []
        for client, does in self.clients.items():
            for block in range(self.blocks):
                slower = 1 + 0.001 * (number + block)
                wall, cpu = (
                    round(1e9 * s * self.exchanges * slower) for s in (does.wall_s, does.cpu_s)
                )
                n = self.exchanges
                segments = round(does.segments * n)
                seen = Seen(n, 0, does.bytes_in * n, does.bytes_out * n, segments)
                key = (number, 0, self.course.id, block, 0, client)
                cost = Cost(wall, cpu, cpu // 4, wall)
                did = self.late.get((number, block, client), CALM)
                records.append(Batch(*key, n, n, n, n, 0, cost, seen, did))
            ok = Invocation(number, 0, self.course.id, client, client, Outcome.OK)
            records.append(replace(ok, usage=Usage(50, 50, 20_000), first_wall_us=self.first_us))
        emulated = replace(CALM, late_p99_us=9100) if number in self.faults else CALM
        return [
            *records,
            LinkUsed(number, 0, self.course.id, emulated, self.faults.get(number, "")),
            SectionDone(number, 0, self.course.id, 1.0),
        ]

    def analysed(self) -> Analysis:
        facts = RunFacts("id", "title", "2026-11-20", self.experiment, (), (), {}, ())
        return analyse(facts, self.records())


def calibration(*faults: str, round_trip_ms: float = 90.1, link: str = LINK.id) -> Calibration:
    """The calibration of a link."""
    passage = Passage(99.8, 100, 0)
    return Calibration(
        link, "tun", "cubic", 100, round_trip_ms, round_trip_ms + 0.2, passage, passage, faults
    )
