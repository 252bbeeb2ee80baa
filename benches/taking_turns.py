"""Turns for benches: the mechanism of a run, with what it measured in memory."""

from __future__ import annotations

import contextlib
import random
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import TypeVar

from fetchoff.model.client import Launch
from fetchoff.model.course import Course
from fetchoff.model.experiment import Entrant
from fetchoff.model.observation import Record, Turns
from fetchoff.plan.turns import cycles
from fetchoff.protocol.adapter import Spool
from fetchoff.protocol.origin import Manner, Turn, gained
from fetchoff.run.adapter import Adapter
from fetchoff.run.guest import Guest
from fetchoff.run.lanes import side_by_side
from fetchoff.run.machine import usable_cores
from fetchoff.run.origin import BuiltInLedger, BuiltInOrigin
from fetchoff.run.placement import Layout, Urgency, lay_out, on_core, place, strongest_urgency
from fetchoff.run.reference import Reference, fetch
from fetchoff.run.section import UNHURRIED
from fetchoff.run.turning import Length, Place, Turning

CHUNK = 32  # turns in one order

Kind = TypeVar("Kind")


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


@dataclass
class Stand:
    """An origin, a layout of cores, and the processes that meet there."""

    course: Course
    layout: Layout
    origin: BuiltInOrigin
    folder: Path
    adapters: list[Adapter]
    _reference: Reference | None = None

    def start(self, process: str, client: str, launch: Launch) -> Guest:
        """A client of the catalogue in a process of its own, verified."""
        cores, stderr = self.layout.client_cores, self.folder / "stderr"
        adapter = Adapter(client, launch, self.folder, stderr, cores)
        self.adapters.append(adapter)
        adapter.say_hello()
        adapter.description()
        guest = self.guest(process, client, adapter, self.origin.open())
        guest.admit(Spool(self.folder), try_nonsense=False)
        return guest

    def guest(self, process: str, client: str, adapter: Adapter, ledger: BuiltInLedger) -> Guest:
        """Of a process that is asked for exchanges at that ledger."""
        if self._reference is None:
            self._reference = fetch(self.course.workload, ledger.base_url)
        return Guest(process, client, adapter, ledger, self._reference, self.course)

    @property
    def manner(self) -> Manner:
        """As a run has it: who goes before all others needs rests."""
        return Manner() if self.layout.urgency is Urgency.REAL_TIME else UNHURRIED

    def settle(self, guests: Sequence[Guest]) -> None:
        """Warm all of them up, side by side, and put them where they are measured."""

        def settle(guest: Guest, core: int, stop: Event) -> None:
            place(guest.adapter.pid, self.layout.cores_in(core), Urgency.ORDINARY)
            guest.settle(stop)

        side_by_side(guests, self.layout.lanes, settle)
        for guest in guests:
            place(guest.adapter.pid, self.layout.client_cores, self.layout.urgency)
            guest.rehearse()

    def measure(
        self, players: Sequence[tuple[Entrant, Guest]], turns: int, order: random.Random
    ) -> dict[str, Turns]:
        """So many cycles, each in an order by chance; by key. What fails is raised."""
        notes = Notes()
        where = Place(0, 0, self.course.id)
        turning = Turning(self.origin, notes, where, self.manner, _do, self._misplaced)
        planned = cycles([entrant for entrant, _ in players], turns, order)
        turning.run([(*player, 0) for player in players], planned, _nothing)
        return {record.entrant: record for record in notes.of(Turns)}

    def give(
        self, order: Sequence[tuple[Guest, Length]], iterations: Mapping[str, int]
    ) -> list[tuple[int, Turn]]:
        """Turns of any length in that order: the place in it, and what the origin saw.

        `iterations`: of each process's loop. A turn that the end of a loop cut short is left out.
        """
        guests = {guest.process: guest for guest, _ in order}
        numbers: dict[str, int] = {}
        found: list[tuple[int, Turn]] = []
        try:
            for name, guest in guests.items():
                asked = iterations[name]
                numbers[name] = guest.hold(self.origin, asked * guest.per_iteration)
                guest.begin_loop(asked)
            for first in range(0, len(order), CHUNK):
                chunk = order[first : first + CHUNK]
                found += self._given(chunk, numbers, first)
        finally:
            for name in numbers:
                guests[name].release(self.origin)
        for name, guest in guests.items():
            answer, seen = guest.finish_loop(iterations[name])
            guest.judge_loop(answer, gained(guest.seen_before_loop, seen), iterations[name])
        return found

    def _given(
        self, chunk: Sequence[tuple[Guest, Length]], numbers: Mapping[str, int], first: int
    ) -> Iterator[tuple[int, Turn]]:
        given = self.origin.give(
            [(numbers[g.process], length.lead_us, length.counted_us) for g, length in chunk],
            self.manner,
        )
        assert not given.lost, f"{given.lost} let turns pass"
        of = {number: [t for t in given.turns if t.ledger == number] for number in numbers.values()}
        for index, (guest, length) in enumerate(chunk, start=first):
            if of[numbers[guest.process]]:
                turn = of[numbers[guest.process]].pop(0)
                if turn.exchanges and turn.wall_ns >= 1000 * length.counted_us:
                    yield index, turn

    def _misplaced(self) -> str:
        return self.origin.misplaced(self.layout.origin_cores, self.layout.urgency)


def _nothing() -> None:
    """Nobody watches."""


def _do(guest: Guest, action: Callable[[Guest], None]) -> None:
    action(guest)


@contextlib.contextmanager
def stand(course: Course) -> Iterator[Stand]:
    """A fresh origin on the core that a run gives it; whoever was added to it ends with it."""
    layout = lay_out(course, usable_cores(), strongest_urgency())
    with (
        tempfile.TemporaryDirectory(prefix="fetchoff-bench-") as folder,
        on_core(layout.harness_core),
    ):
        made = Stand(course, layout, BuiltInOrigin(Path(folder)), Path(folder), [])
        try:
            made.origin.place(layout.origin_cores, layout.urgency)
            yield made
        finally:
            for adapter in made.adapters:
                adapter.say_farewell()
            for adapter in made.adapters:
                adapter.end()
            made.origin.end()


def us_of(turns: Turns) -> float:
    """CPU microseconds of an exchange: all that was paid ÷ all exchanges."""
    total = turns.total()
    return total.cost.cpu_ns / 1e3 / total.exchanges
