"""A turnstile and clients that only pretend: what everything costs is known to the nanosecond.

Time goes by when somebody works, so an hour of measuring takes milliseconds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from threading import Event
from typing import cast

from fetchoff.model.course import Course
from fetchoff.model.errors import AdapterError, OriginError
from fetchoff.model.experiment import Entrant
from fetchoff.model.observation import Record, Seen, Turns, TurnsGiven
from fetchoff.model.origin import EVERYTHING
from fetchoff.model.workload import Exchange, Expect, Settings, Workload
from fetchoff.protocol import origin as control
from fetchoff.protocol.adapter import Done
from fetchoff.protocol.origin import Counters, Edges, Turn
from fetchoff.run.adapters.adapter import Adapter, Timed
from fetchoff.run.adapters.judging import Refused
from fetchoff.run.adapters.session import GUESSED_ORIGIN, ORIGIN_US, ClientSession
from fetchoff.run.origins.built_in import CountedProcess, Ledger
from fetchoff.run.origins.reference import Reference
from fetchoff.run.schedule.turning import Place, Turning

BYTES = 16
LOST_NS = 2_000_000_000
PLACE = Place(round=4, attempt=1, workload="get")
GROUP = 2
SEED = 3


def always(us: float) -> Callable[[int], float]:
    """What every exchange costs, in microseconds."""
    return lambda _: us


STEADY = always(100.0)


def origin_ns(client_ns: int) -> int:
    """What an exchange takes the origin: as much as is guessed before a turn has told."""
    return round((GUESSED_ORIGIN - 1) * client_ns + 1000 * ORIGIN_US)


@dataclass(eq=False)
class Client:
    """An adapter, its process, and the ledger that it is seen by.

    `us`: CPU time of exchange number so-and-so of its life. `cold_us`: what its first exchange
    after somebody else's turn costs on top. `behind_us`: what it does in the background, after a
    turn, for each of its exchanges. `hangs_at`: it never sends that request of its loop. `fails`:
    the reason that it gives then. `miscounts`, `doubles`: exchanges that it reports and requests
    that it makes on top of those it was asked for.
    """

    name: str
    us: Callable[[int], float] = STEADY
    cold_us: float = 0.0
    behind_us: float = 0.0
    hangs_at: int | None = None
    fails: str = ""
    miscounts: int = 0
    doubles: int = 0
    lived: int = 0
    cpu: int = 0
    asked: int = 0
    looped: int = 0
    busy_ns: int = 0
    requests: int = 0
    has_begun: bool = False
    per_iteration: int = 1
    held_since: int | None = None
    base_url: str = "http://127.0.0.1:1"
    tls_ca: Path | None = None
    counts: frozenset[object] = EVERYTHING
    warm_up_exchanges: int = 0
    compiles: bool = False
    warmed_up: int = 0
    lead_ms: int = 0
    tells_children: bool = False
    starts_children: bool = False

    def cpu_ns(self) -> int:
        return self.cpu

    def run_timed(self, n: int, *_: object, **__: object) -> Timed:
        cpu = sum(self.exchange() for _ in range(n * self.per_iteration))
        done = n * self.per_iteration
        return Timed(Done(done, 0, done * BYTES, cpu), cpu, cpu, 0)

    def begin(self, n: int, *, busy_ns: int = 0) -> None:
        self.asked, self.busy_ns, self.looped, self.has_begun = n, busy_ns, 0, True

    def finished(self, timeout_s: float) -> Done:
        assert self.has_begun and timeout_s > 0
        if self.fails:
            raise AdapterError(self.fails)
        while self.looped < self.asked * self.per_iteration:
            self.loop()
        self.requests += self.doubles
        done = self.looped + self.miscounts
        return Done(done, 0, done * BYTES, self.cpu, spun_ns=self.busy_ns * self.looped)

    def read(self, at_least: int = 0) -> Counters:
        return Counters.only(Seen(requests=self.requests))

    def exchange(self) -> int:
        """One more; what it cost, in nanoseconds."""
        ns = round(1000 * self.us(self.lived)) + self.busy_ns
        self.lived += 1
        self.requests += 1
        self.cpu += ns
        return ns

    def loop(self) -> int:
        self.looped += 1
        return self.exchange()

    @property
    def requests_left(self) -> int:
        return self.asked * self.per_iteration - self.looped


@dataclass
class Gates:
    """A turnstile, as docs/origin.md says that the origin is one."""

    clients: list[Client] = field(default_factory=list)
    orders: list[list[tuple[int, int, int]]] = field(default_factory=list)
    released: list[str] = field(default_factory=list)
    lost: set[int] = field(default_factory=set)
    raises: BaseException | None = None
    keeps_all: bool = False  # lets nobody go

    def open_for_turns(self, settings: Settings) -> Ledger:
        raise AssertionError("a client brings its ledger with it")

    def hold(
        self, ledger: Ledger, process: CountedProcess, requests: int, per_iteration: int
    ) -> int:
        client = cast(Client, process)
        assert cast(Client, ledger) is client
        assert not client.has_begun, "it ran before it was held"
        assert requests % per_iteration == 0
        client.held_since = None
        self.clients.append(client)
        return len(self.clients)

    def release(self, ledger: Ledger) -> Edges:
        client = cast(Client, ledger)
        if self.keeps_all:
            raise OriginError("gone")
        if client.name in self.released:
            return Edges()
        self.released.append(client.name)
        after_ns = 0 if client.held_since is None else client.cpu - client.held_since
        return Edges(after_ns=after_ns)

    def give(self, order: Sequence[tuple[int, int, int]], longest_s: float) -> control.Turns:
        assert longest_s > 0
        if self.raises is not None:
            raise self.raises
        self.orders.append(list(order))
        turns: list[Turn] = []
        lost: list[int] = []
        exhausted: list[int] = []
        wall_ns = lost_ns = 0
        for number, lead, counted in order:
            assert lead >= 1 and counted >= 1
            client = self.clients[number - 1]
            if number in lost or number in exhausted:
                continue
            if number in self.lost:
                lost.append(number)
                continue
            if client.requests_left <= client.per_iteration:
                exhausted.append(number)
                continue
            turn = self._turn(number, client, lead, counted)
            if turn is None:
                self.lost.add(number)
                lost.append(number)
                lost_ns += LOST_NS
            else:
                turns.append(turn)
                wall_ns += turn.wall_ns + turn.lead_wall_ns
        return control.Turns(tuple(turns), tuple(lost), tuple(exhausted), wall_ns, lost_ns)

    def _turn(self, number: int, client: Client, lead: int, counted: int) -> Turn | None:
        held_ns = 0 if client.held_since is None else client.cpu - client.held_since
        cold_ns = round(1000 * client.cold_us)
        client.cpu += cold_ns
        led = self._do(client, lead, cold_ns)
        done = self._do(client, counted, 0) if led else None
        if led is None or done is None:
            return None
        client.held_since = client.cpu
        client.cpu += round(1000 * client.behind_us * (led[0] + done[0]))
        exchanges, wall_ns, cpu_ns = done
        return Turn(number, exchanges, wall_ns, cpu_ns, wall_ns - cpu_ns, 0, *led, held_ns)

    def _do(self, client: Client, iterations: int, cpu_ns: int) -> tuple[int, int, int] | None:
        """Exchanges, wall and CPU time of so many iterations, or of those that are left."""
        exchanges, wall_ns = 0, cpu_ns
        for _ in range(iterations):
            if client.requests_left <= client.per_iteration:
                break
            for _ in range(client.per_iteration):
                ns = client.loop()
                cpu_ns += ns
                wall_ns += ns + origin_ns(ns)
                exchanges += 1
                if client.hangs_at is not None and client.looped >= client.hangs_at:
                    return None
        return exchanges, wall_ns, cpu_ns


class Memory:
    """A journal."""

    def __init__(self) -> None:
        self.kept: list[Record] = []

    def append(self, record: Record) -> None:
        self.kept.append(record)

    def records(self) -> Sequence[Record]:
        return self.kept


class Group:
    """Clients that take turns, and what was kept of it."""

    def __init__(self, *clients: Client, per_iteration: int = 1, chance: float = 0.0) -> None:
        self.gates = Gates()
        self.journal = Memory()
        self.sessions: dict[str, ClientSession] = {}
        self.steps = 0
        exchange = Exchange("GET", "/bytes/16", expect=Expect(bytes=BYTES))
        workload = Workload("get", "", (exchange,) * per_iteration)
        reference = Reference(workload, ("",) * per_iteration)
        for client in clients:
            client.per_iteration = per_iteration
            adapter, ledger = cast(Adapter, client), cast(Ledger, client)
            course = Course(workload)
            session = ClientSession(client.name, client.name, adapter, ledger, reference, course)
            session.settle(Event(), chance)
            self.sessions[client.name] = session

    def play(self, cycles: Sequence[Sequence[Entrant]], misplaced: str = "") -> None:
        entrants = list(dict.fromkeys(entrant for cycle in cycles for entrant in cycle))
        turning = Turning(
            self.gates, self.journal, PLACE, Random(SEED), self._try, lambda: misplaced
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
        return {r.entrant: r for r in self.journal.kept if isinstance(r, Turns)}

    @property
    def done(self) -> TurnsGiven:
        (done,) = [r for r in self.journal.kept if isinstance(r, TurnsGiven)]
        return done

    def us(self, entrant: str) -> float:
        """CPU time of an exchange, as it goes into the statistics."""
        total = self.turns[entrant].total()
        return total.cost.cpu_ns / 1e3 / total.exchanges


def everybody(count: int, *names: str) -> list[list[Entrant]]:
    """So many cycles, always in that order."""
    return [[Entrant(name, name, name) for name in names]] * count
