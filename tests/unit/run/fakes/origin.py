"""An origin that only pretends: it counts, and it gives turns as docs/origin.md says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import cast

from tests.unit.run.fakes.adapter import FakeAdapter, FakeLedger, VirtualTime

from fetchoff.model.errors import AdapterError, OriginError
from fetchoff.model.workload import Settings
from fetchoff.protocol import origin as control
from fetchoff.protocol.origin import Edges, Turn
from fetchoff.run.host.placement import Cores, Urgency
from fetchoff.run.origins.built_in import PLAIN, CountedProcess, Ledger
from fetchoff.run.os.clocks import ReadKnownNs

LOST_NS = 2_000_000_000
PROBE_PS = 800_000


@dataclass(eq=False)
class FakeOrigin:
    """An origin, and a turnstile unless `gives_turns` is unset.

    `raises`: what comes instead of the answer to an order, by the order's number from 0. `dies_at`:
    the order that it does not survive. `strays`: where it is not where it was placed. `keeps_all`:
    it lets nobody go.
    """

    time: VirtualTime = field(default_factory=VirtualTime)
    gives_turns: bool = True
    raises: dict[int, BaseException] = field(default_factory=dict)
    dies_at: int | None = None
    strays: str = ""
    keeps_all: bool = False
    listeners: dict[str, FakeLedger] = field(default_factory=dict)
    clients: list[FakeAdapter] = field(default_factory=list)  # in the order of their holding
    ledgers: list[FakeLedger] = field(default_factory=list)  # the same
    orders: list[list[tuple[int, int, int]]] = field(default_factory=list)
    released: list[str] = field(default_factory=list)  # names
    let_go: set[int] = field(default_factory=set)  # places
    lost: set[int] = field(default_factory=set)
    placed: tuple[Cores, Urgency] | None = None
    is_gone: bool = False
    is_ended: bool = False

    def __post_init__(self) -> None:
        self.cpu_clock: ReadKnownNs = self._cpu_ns

    def _cpu_ns(self) -> int:
        """What it has served outside of turns."""
        self.must_be_there()
        return sum(ledger.served_ns for ledger in self.listeners.values())

    @property
    def turnstile(self) -> FakeOrigin | None:
        return self if self.gives_turns else None

    def open(self, settings: Settings = PLAIN) -> FakeLedger:
        self.must_be_there()
        ledger = FakeLedger(f"http://127.0.0.1:{len(self.listeners) + 1}")
        self.listeners[ledger.base_url] = ledger
        return ledger

    def open_for_turns(self, settings: Settings) -> FakeLedger:
        return self.open(settings)

    def place(self, cores: Cores, urgency: Urgency) -> None:
        self.placed = (cores, urgency)

    def misplaced(self, cores: Cores, urgency: Urgency) -> str:
        assert self.placed == (cores, urgency)
        return self.strays

    def involuntary_switches(self) -> int:
        self.must_be_there()
        return 0

    def end(self) -> None:
        self.is_ended = True

    def hold(
        self, ledger: Ledger, process: CountedProcess, requests: int, per_iteration: int
    ) -> int:
        self.must_be_there()
        client = cast(FakeAdapter, process)
        assert ledger is client.ledger
        assert not client.has_begun, "it ran before it was held"
        assert requests % per_iteration == 0
        client.held_since = None
        self.clients.append(client)
        self.ledgers.append(client.ledger)
        return len(self.clients)

    def release(self, ledger: Ledger) -> Edges:
        self.must_be_there()
        if self.keeps_all:
            raise OriginError("gone")
        number = max(n for n, held in enumerate(self.ledgers) if held is ledger)
        if number in self.let_go:
            return Edges()
        self.let_go.add(number)
        client = self.clients[number]
        self.released.append(client.name)
        after_ns = 0 if client.held_since is None else client.cpu - client.held_since
        return Edges(after_ns=after_ns)

    def give(self, order: Sequence[tuple[int, int, int]], longest_s: float) -> control.Turns:
        assert longest_s > 0
        number = len(self.orders)
        self.is_gone = self.is_gone or number == self.dies_at
        self.must_be_there()
        if number in self.raises:
            raise self.raises[number]
        self.orders.append(list(order))
        turns: list[Turn] = []
        lost: list[int] = []
        exhausted: list[int] = []
        wall_ns = lost_ns = 0
        for number, lead, counted in order:
            assert lead >= 1
            assert counted >= 1
            client = self.clients[number - 1]
            if number in lost or number in exhausted:
                continue
            if number in self.lost:
                lost.append(number)
                continue
            if client.requests_left <= client.per_iteration:
                exhausted.append(number)
                continue
            turn = _turn(number, client, lead, counted)
            if turn is None:
                self.lost.add(number)
                lost.append(number)
                lost_ns += LOST_NS
            else:
                turns.append(turn)
                wall_ns += turn.wall_ns + turn.lead_wall_ns
        self.time.passes(wall_ns + lost_ns)
        return control.Turns(tuple(turns), tuple(lost), tuple(exhausted), wall_ns, lost_ns)

    def must_be_there(self) -> None:
        if self.is_gone:
            raise OriginError("the origin ended with signal SIGKILL")


def _turn(number: int, client: FakeAdapter, lead: int, counted: int) -> Turn | None:
    """None where the client lets its turn pass."""
    held_ns = 0 if client.held_since is None else client.cpu - client.held_since
    cold_ns = round(1000 * client.cold_us)
    client.cpu += cold_ns
    try:
        first = _do(client, 1, cold_ns)
        rest = _do(client, lead - 1, 0) if first else None
        done = _do(client, counted, 0) if rest else None
    except AdapterError:
        return None
    if first is None or rest is None or done is None:
        return None
    led = (first[0] + rest[0], first[1] + rest[1], first[2] + rest[2])
    client.held_since = client.cpu
    client.cpu += round(1000 * client.behind_us * (led[0] + done[0]))
    exchanges, wall_ns, cpu_ns = done
    clocks = (wall_ns, cpu_ns, wall_ns - cpu_ns, 0)
    return Turn(number, exchanges, *clocks, *led, first[2], held_ns, PROBE_PS)


def _do(client: FakeAdapter, iterations: int, cpu_ns: int) -> tuple[int, int, int] | None:
    """Requests, which an origin takes for exchanges, wall and CPU time of so many iterations, or of
    those that are left."""
    exchanges, wall_ns = 0, cpu_ns
    for _ in range(iterations):
        if client.requests_left <= client.per_iteration:
            break
        for _ in range(client.per_iteration):
            ns = client.loop()
            cpu_ns += ns
            wall_ns += ns + client.served_ns(ns)
            exchanges += 1 + client.follows
            if client.hangs_at is not None and client.looped >= client.hangs_at:
                return None
    return exchanges, wall_ns, cpu_ns
