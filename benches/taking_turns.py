"""Take turns in benches: the mechanism of a run, with its measurements in memory."""

from __future__ import annotations

import contextlib
import random
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import TypeVar

from fetchoff.app.loopbacks import best
from fetchoff.model.client import Launch
from fetchoff.model.course import Course
from fetchoff.model.errors import AdapterError
from fetchoff.model.experiment import Entrant
from fetchoff.model.observation import Record, Turns
from fetchoff.plan.turns import cycles
from fetchoff.protocol.adapter import Spool
from fetchoff.protocol.origin import Turn, gained
from fetchoff.run.adapters.adapter import Adapter
from fetchoff.run.adapters.judging import Refused
from fetchoff.run.adapters.lanes import side_by_side
from fetchoff.run.adapters.session import ClientSession
from fetchoff.run.host.machine import usable_cores
from fetchoff.run.host.placement import Layout, Urgency, lay_out, on_core, place, strongest_urgency
from fetchoff.run.network.own_loopback import laying
from fetchoff.run.network.seam import Network
from fetchoff.run.origins.built_in import BuiltInLedger, BuiltInOrigin
from fetchoff.run.origins.reference import Reference, fetch
from fetchoff.run.schedule.rehearsing import rehearse
from fetchoff.run.schedule.turning import Place, Turning

CHUNK = 32  # turns in one order

Kind = TypeVar("Kind")


class RoundFailed(Exception):
    """Which process was at fault, and what it did."""


class Notes:
    """A journal in memory."""

    def __init__(self) -> None:
        self._records: list[Record] = []

    def append(self, record: Record) -> None:
        self._records.append(record)

    def records(self) -> Sequence[Record]:
        return self._records

    def of(self, kind: type[Kind]) -> list[Kind]:
        """The records of a kind, in order."""
        return [record for record in self._records if isinstance(record, kind)]


@dataclass(frozen=True)
class Asked:
    """A turn: its client, and the iterations of its lead and of its counted part."""

    guest: ClientSession
    lead: int
    counted: int

    @property
    def iterations(self) -> int:
        return self.lead + self.counted

    @property
    def s(self) -> float:
        """How long the turn should take."""
        return self.iterations * self.guest.iteration_us / 1e6

    def was(self, turn: Turn) -> bool:
        each = self.guest.per_iteration
        return (turn.lead_exchanges, turn.exchanges) == (self.lead * each, self.counted * each)


@dataclass
class Stand:
    """An origin, a layout of cores, and the processes measured there."""

    course: Course
    layout: Layout
    origin: BuiltInOrigin
    network: Network
    folder: Path
    adapters: list[Adapter]
    _reference: Reference | None = None

    def start(self, process: str, client: str, launch: Launch) -> ClientSession:
        """Start a client of the catalogue in a new process and verify it."""
        cores, at, stderr = self.layout.client_cores, self.network, self.folder / "stderr"
        adapter = Adapter(client, launch, self.folder, stderr, cores, at.at_client, at.lifeline)
        self.adapters.append(adapter)
        adapter.say_hello()
        adapter.description()
        ledger = self.origin.open_for_turns(self.course.workload.settings)
        guest = self.guest(process, client, adapter, ledger)
        guest.admit(Spool(self.folder))
        return guest

    def guest(
        self, process: str, client: str, adapter: Adapter, ledger: BuiltInLedger
    ) -> ClientSession:
        """A participant whose adapter does its exchanges at that ledger."""
        if self._reference is None:
            self._reference = fetch(self.course.workload, ledger.base_url, self.network)
        return ClientSession(process, client, adapter, ledger, self._reference, self.course)

    def settle(self, guests: Sequence[ClientSession]) -> None:
        """Warm up all processes side by side, then place them on their cores for a rest."""

        def settle(guest: ClientSession, core: int, stop: Event) -> None:
            place(guest.adapter.pid, self.layout.cores_in(core), Urgency.ORDINARY)
            guest.settle(stop)

        side_by_side(guests, self.layout.lanes, settle)
        for guest in guests:
            place(guest.adapter.pid, self.layout.client_cores, self.layout.urgency)
        rehearse(guests, one_by_one)
        time.sleep(max(guest.adapter.launch.rest_ms for guest in guests) / 1e3)

    def rehearse(self, guests: Sequence[ClientSession], order: random.Random) -> None:
        """What a run does right before some processes take turns: those with compilers have
        forgotten while others had theirs."""
        rehearse(order.sample(guests, len(guests)), one_by_one)

    def measure(
        self, players: Sequence[tuple[Entrant, ClientSession]], turns: int, order: random.Random
    ) -> dict[str, Turns]:
        """Give this many cycles, each in random order; records by key. Failures are raised."""
        notes = Notes()
        where = Place(0, 0, self.course.id)
        turning = Turning(
            self.origin, notes, where, order, _do, self._misplaced, time.perf_counter_ns
        )
        planned = cycles([entrant for entrant, _ in players], turns, order)
        turning.run([(*player, 0) for player in players], planned, _nothing)
        return {record.entrant: record for record in notes.of(Turns)}

    def give(self, order: Sequence[Asked]) -> list[Turn]:
        """Give turns of any length in this order; what the origin saw of each."""
        guests = {asked.guest.process: asked.guest for asked in order}
        # The first request of one more iteration ends a loop's last turn.
        iterations = Counter(guests.keys())
        for asked in order:
            iterations[asked.guest.process] += asked.iterations
        numbers: dict[str, int] = {}
        found: list[Turn] = []
        try:
            for name, guest in guests.items():
                numbers[name] = guest.hold(self.origin, iterations[name] * guest.per_iteration)
                guest.begin_loop(iterations[name])
            for first in range(0, len(order), CHUNK):
                found += self._given(order[first : first + CHUNK], numbers)
        finally:
            for name in numbers:
                guests[name].release(self.origin)
        for name, guest in guests.items():
            answer, seen = guest.finish_loop(iterations[name])
            guest.judge_loop(answer, gained(guest.seen_before_loop, seen), iterations[name])
        return found

    def _given(self, chunk: Sequence[Asked], numbers: Mapping[str, int]) -> Sequence[Turn]:
        given = self.origin.give(
            [(numbers[asked.guest.process], asked.lead, asked.counted) for asked in chunk],
            max(asked.s for asked in chunk),
        )
        if given.lost:
            late = [name for name, number in numbers.items() if number in given.lost]
            raise RoundFailed(f"{', '.join(late)} let turns pass")
        for asked, turn in zip(chunk, given.turns, strict=True):
            if not asked.was(turn):
                raise RoundFailed(f"{asked.guest.process} had another turn than it was to have")
        return given.turns

    def _misplaced(self) -> str:
        return self.origin.misplaced(self.layout.origin_cores, self.layout.urgency)


def one_by_one(
    _step: str, do: Callable[[ClientSession], None], guests: Sequence[ClientSession]
) -> None:
    """What `rehearse` asks for each of some sessions."""
    for guest in guests:
        do(guest)


def _nothing() -> None:
    """A listener that ignores everything."""


def _do(guest: ClientSession, action: Callable[[ClientSession], None]) -> None:
    try:
        action(guest)
    except (Refused, AdapterError) as error:
        raise RoundFailed(f"{guest.process}: {error}") from error


@contextlib.contextmanager
def stand(course: Course) -> Iterator[Stand]:
    """A fresh origin on the core and loopback that a run gives it; added processes end with it."""
    layout = lay_out(course, usable_cores(), strongest_urgency())
    with (
        tempfile.TemporaryDirectory(prefix="fetchoff-bench-") as scratch,
        on_core(layout.harness_core),
        laying(best())(course, Path(scratch)) as network,
    ):
        folder = Path(scratch)
        made = Stand(course, layout, BuiltInOrigin(folder, network=network), network, folder, [])
        try:
            made.origin.place(layout.origin_cores, layout.urgency)
            yield made
        finally:
            for adapter in made.adapters:
                adapter.request_exit()
            for adapter in made.adapters:
                adapter.end()
            made.origin.end()


def us_of(turns: Turns) -> float:
    """CPU microseconds per exchange: total time ÷ total exchanges."""
    total = turns.total()
    return total.cost.cpu_ns / 1e3 / total.exchanges
