"""Pretended clients that take turns, without a run around them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from threading import Event

from tests.unit.run.fakes.adapter import BYTES, FakeAdapter
from tests.unit.run.fakes.journal import Memory
from tests.unit.run.fakes.origin import FakeOrigin

from fetchoff.model.course import Course
from fetchoff.model.errors import AdapterError
from fetchoff.model.experiment import Entrant
from fetchoff.model.observation import Turns, TurnsGiven
from fetchoff.model.workload import Exchange, Expect, Workload
from fetchoff.run.adapters.judging import Refused
from fetchoff.run.adapters.session import ClientSession
from fetchoff.run.origins.reference import Reference
from fetchoff.run.schedule.turning import Place, Turning

PLACE = Place(round=4, attempt=1, workload="get", host="far")
GROUP = 2
SEED = 3


class Group:
    """Clients that take turns, and what was kept of it."""

    def __init__(
        self,
        *clients: FakeAdapter,
        per_iteration: int = 1,
        chance: float = 0.0,
        content_bytes: int = BYTES,
    ) -> None:
        self.gates = FakeOrigin()
        self.journal = Memory()
        self.sessions: dict[str, ClientSession] = {}
        self.steps = 0
        exchange = Exchange("GET", "/bytes/16", expect=Expect(bytes=content_bytes))
        workload = Workload("get", "", (exchange,) * per_iteration)
        reference = Reference(workload, ("",) * per_iteration)
        for client in clients:
            client.per_iteration, client.content_bytes = per_iteration, content_bytes
            session = ClientSession(
                client.name, client.name, client, client.ledger, reference, Course(workload)
            )
            session.settle(Event(), chance)
            self.sessions[client.name] = session

    def play(self, cycles: Sequence[Sequence[Entrant]], misplaced: str = "") -> None:
        entrants = list(dict.fromkeys(entrant for cycle in cycles for entrant in cycle))
        turning = Turning(
            self.gates,
            self.journal,
            PLACE,
            Random(SEED),
            self._try,
            lambda: misplaced,
            lambda: self.gates.time.ns,
        )
        players = [(e, self.sessions[e.process], GROUP) for e in entrants]
        turning.run(players, cycles, self._went_on)

    def _went_on(self) -> None:
        self.steps += 1

    def _try(self, session: ClientSession, do: Callable[[ClientSession], None]) -> None:
        try:
            do(session)
        except (Refused, AdapterError) as error:
            session.refuse(error)

    @property
    def turns(self) -> dict[str, Turns]:
        return {record.entrant: record for record in self.journal.of(Turns)}

    @property
    def done(self) -> TurnsGiven:
        (done,) = self.journal.of(TurnsGiven)
        return done

    def us(self, entrant: str) -> float:
        """CPU time of an exchange, as it goes into the statistics."""
        total = self.turns[entrant].total()
        return total.cost.cpu_ns / 1e3 / total.exchanges


def everybody(count: int, *names: str) -> list[list[Entrant]]:
    """So many cycles, always in that order."""
    return [[Entrant(name, name, name) for name in names]] * count
