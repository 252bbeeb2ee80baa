"""A group of clients that take turns: the origin gives them, and reads the clocks.

Every process runs one long loop. The harness only says whose turns come next, a good many at a
time, so nothing of it lies inside a turn, or between one and the next.

Which exchanges are counted is settled before any of them is made: a turn has so many iterations,
whatever they take. If it ended by the clock, it would end soon after a dear exchange (a collection,
say), and the next would begin at the same place of the client's rhythm.
"""

from __future__ import annotations

import contextlib
import math
import random
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from fetchoff.model.client import Launch
from fetchoff.model.errors import AdapterError, OriginError
from fetchoff.model.experiment import Effect, Entrant
from fetchoff.model.observation import Outcome, Seen, Turns, TurnsGiven
from fetchoff.protocol.adapter import Done
from fetchoff.protocol.origin import Edges, Turn, gained
from fetchoff.run.adapters.judging import Refused
from fetchoff.run.adapters.session import SETTLED_WAITING, ClientSession
from fetchoff.run.origins.built_in import Turnstile
from fetchoff.run.os.clocks import ReadNs
from fetchoff.run.schedule.events import Journal

CHUNK_US = (
    250_000  # of turns in one order: so often there is time for a look at the clock and the user
)
LEAD_US = 10_000  # until a client's caches are its own again, but for 1 % (docs/decisions/0011)
LEAD_ITERATIONS, MOST_LEAD_US = 48, 20_000  # the more memory an iteration touches, the longer
LONG_US = 3000  # of an iteration: its own first one is lead enough
WAITS = 4  # iterations that count, of one who mostly waits
FIRST_LEAD = 4  # times as long, of a process's first turn: it has to find back to more
COMPILERS_FIRST_LEAD = 10  # V8 runs some thousand exchanges until it is back at its best
LONGER_LEAD = 1.3  # times the shortest: drawn anew for each turn, so that no rhythm is met
TURN_ITERATIONS, LEAST_TURN_US, MOST_TURN_US = 12, 6000, 12_000
COMPILERS_TURN_US = 32_000  # collections come seldom, and cost much; to warm it up was dear
MOST_CONTENT_US = 40_000  # of a lead that is to receive so much content
OFTEN_US = 50_000  # a turn that takes longer is not had in every cycle
MOST_APART = 8  # cycles
LEAST_BUSY_NS = 300_000
"""Spun after an exchange where time is injected. An exchange after a pause is dearer by up to a
quarter of a pause of 14 µs, and by 4 % of one of 300 (docs/decisions/0031)."""
NOTHING = Done(done=0, failed=0, bytes=0, wall_ns=0)  # was said of its loop
LOST = "did not send its next request in its turn"
LOST_S = 2.0
"""How long it may take to say why: others are held meanwhile, and some give up after 5 s."""

Try = Callable[[ClientSession, Callable[[ClientSession], None]], None]


@dataclass(frozen=True)
class Length:
    """The length of a turn in iterations: at least `lead` uncounted ones, `first_lead` before the
    first of a process in a set, then `counted`.

    Other clients' turns have emptied the caches, and a client that touches much memory needs some
    milliseconds of exchanges to refill them (docs/decisions/0011).
    """

    lead: int
    first_lead: int
    counted: int

    @classmethod
    def of(cls, entrant: Entrant, session: ClientSession, busy_ns: int = 0) -> Length:
        """The length that fits the pace of an entrant's client. `busy_ns`: spun after each
        exchange."""
        us, launch = session.iteration_us, session.adapter.launch
        us += 1e-3 * busy_ns * session.per_iteration
        lead_us = max(LEAD_US, min(LEAD_ITERATIONS * us, MOST_LEAD_US), 1e3 * launch.lead_ms)
        counted_us = min(max(TURN_ITERATIONS * us, LEAST_TURN_US), MOST_TURN_US)
        counted_us = max(counted_us, _wanted_us(launch))
        first = COMPILERS_FIRST_LEAD if launch.compiles else FIRST_LEAD
        lead, counted = math.ceil(lead_us / us), max(1, round(counted_us / us))
        if us > LONG_US:
            lead, counted = (SETTLED_WAITING, WAITS) if session.mostly_waits else (1, counted)
            return cls(lead, lead, counted * entrant.stretch)
        content = session.iterations_receiving(launch.lead_bytes)
        longest = max(lead, min(content, math.ceil(MOST_CONTENT_US / us)))
        return cls(longest, max(first * lead, longest), counted * entrant.stretch)

    def cycles_apart(self, session: ClientSession) -> int:
        """How many cycles apart its turns are: 1, or more if a turn takes long.

        What its runtime wants doesn't count: turns that are long by design are in all of them.
        """
        turn_us = (self.lead + self.counted) * session.iteration_us
        beyond_us = turn_us - _wanted_us(session.adapter.launch)
        return max(1, min(MOST_APART, math.ceil(beyond_us / OFTEN_US)))

    def lead_by(self, order: random.Random, *, first: bool = False) -> int:
        """The lead of one turn; `first`: of the process in this set (docs/decisions/0011)."""
        least = self.first_lead if first else self.lead
        return order.randint(least, math.floor(least * LONGER_LEAD))


@dataclass
class _Player:
    """A process in its long loop, and its turns so far."""

    entrant: Entrant
    session: ClientSession
    length: Length
    group: int = 0
    asked: int = 0
    number: int = 0
    began_ns: int = 0  # by its CPU clock, as the next two
    clock_ns: int = 0
    released_ns: int = 0
    answered: int = 0
    edges: Edges = field(default_factory=Edges)
    planned: list[_Planned] = field(default_factory=list)
    turns: list[tuple[_Planned, Turn]] = field(default_factory=list)
    is_ended: bool = False

    @property
    def is_held(self) -> bool:
        """Whether its gate is closed."""
        return bool(self.number) and not self.is_ended

    def stop(self, session: ClientSession, turnstile: Turnstile) -> None:
        """Read its ledger and the process's clock, then release it, and read the clock again.

        Its compilers may be at work while the origin gets the word and reads the same clock.
        """
        self.answered = session.answered_in_loop()
        self.clock_ns = session.adapter.cpu_ns() - self.began_ns
        self.edges = session.release(turnstile)
        with contextlib.suppress(AdapterError):  # it will be told when its loop is finished
            self.released_ns = session.adapter.cpu_ns() - self.began_ns


@dataclass(frozen=True)
class _Planned:
    """A turn to give: its cycle, its position there, whose it is, and its lead."""

    cycle: int
    position: int
    player: _Player
    lead: int

    @property
    def counted(self) -> int:
        return self.player.length.counted

    @property
    def us(self) -> float:
        """How long it should take."""
        return (self.lead + self.counted) * self.player.session.iteration_us

    def was(self, turn: Turn) -> bool:
        """Whether a turn has its planned length; the end of a loop may have cut it short."""
        each = self.player.session.per_iteration
        return (turn.lead_exchanges, turn.exchanges) == (self.lead * each, self.counted * each)


@dataclass(frozen=True)
class Place:
    """Which attempt at which section, on which host."""

    round: int
    attempt: int
    workload: str
    host: str = ""


class Turning:
    """Measures a section in turns, set by set; the journal has it, also of who fell out later.

    `misplaced`: what is not where it was planned, asked after the last turn. `now_ns`: the
    harness's clock.
    """

    def __init__(
        self,
        turnstile: Turnstile,
        journal: Journal,
        place: Place,
        order: random.Random,
        try_: Try,
        misplaced: Callable[[], str],
        now_ns: ReadNs,
    ) -> None:
        self._turnstile = turnstile
        self._journal = journal
        self._place = place
        self._order = order
        self._try = try_
        self._misplaced = misplaced
        self._now_ns = now_ns
        self._cycles = 0

    def run(
        self,
        sessions: Sequence[tuple[Entrant, ClientSession, int]],
        cycles: Sequence[Sequence[Entrant]],
        went_on: Callable[[], None],
    ) -> None:
        """Give all turns of a set. `sessions`: (entrant, its session, its group); `cycles`: the
        order.

        Raises OriginError and KeyboardInterrupt, after every client was released.
        """
        players = {e.key: _Player(e, g, Length.of(e, g, _busy_ns(e, g)), n) for e, g, n in sessions}
        turns = list(self._planned(players, cycles))
        self._cycles += len(cycles)
        for turn in turns:
            turn.player.planned.append(turn)
        try:
            self._play(players, turns, went_on)
        except BaseException:
            with contextlib.suppress(OriginError):  # what was the matter first is what counts
                for player in players.values():
                    if player.is_held:
                        player.session.release(self._turnstile)
            raise
        self._end(list(players.values()))

    def _planned(
        self, players: Mapping[str, _Player], cycles: Sequence[Sequence[Entrant]]
    ) -> Iterator[_Planned]:
        """All turns, in their order."""
        begun: set[str] = set()
        for number, cycle in enumerate(cycles, self._cycles):
            for position, key in enumerate(entrant.key for entrant in cycle):
                lead = players[key].length.lead_by(self._order, first=key not in begun)
                begun.add(key)
                yield _Planned(number, position, players[key], lead)

    def _begin(self, player: _Player) -> None:
        """Close the gate, then let the loop run into it.

        The loop has one iteration more than its turns: its first request ends the last of them.
        """
        player.asked = sum(turn.lead + turn.counted for turn in player.planned) + 1

        def begin(session: ClientSession) -> None:
            requests = player.asked * session.per_iteration
            player.number = session.hold(self._turnstile, requests)
            player.began_ns = session.adapter.cpu_ns()
            session.begin_loop(player.asked, _busy_ns(player.entrant, session))

        self._try(player.session, begin)

    def _play(
        self,
        players: dict[str, _Player],
        turns: Sequence[_Planned],
        went_on: Callable[[], None],
    ) -> None:
        elapsed_ns = given_ns = lost_ns = turned_ns = given_turns = 0
        todo = deque(turns)
        while todo:
            chunk: list[_Planned] = []
            while todo and sum(turn.us for turn in chunk) < CHUNK_US:
                turn = todo.popleft()
                if turn.player.session.outcome is Outcome.OK:
                    chunk.append(turn)
            for player in _owners(chunk):  # not sooner, or it would be held for long
                if not player.asked:
                    self._begin(player)
            chunk = [turn for turn in chunk if turn.player.session.outcome is Outcome.OK]
            if not chunk:
                continue
            order = [(turn.player.number, turn.lead, turn.counted) for turn in chunk]
            longest_s = max(turn.us for turn in chunk) / 1e6
            began_ns = self._now_ns()
            given = self._turnstile.give(order, longest_s)
            elapsed_ns += self._now_ns() - began_ns
            given_ns += given.wall_ns
            lost_ns += given.lost_ns
            turned_ns += sum(turn.wall_ns + turn.lead_wall_ns for turn in given.turns)
            given_turns += len(given.turns)
            _note(chunk, given.turns)
            for _ in chunk:
                went_on()
            for player in players.values():
                if player.number in given.lost:
                    self._lose(player)
            last = {id(turn) for turn in chunk}
            self._end([player for player in _owners(chunk) if id(player.planned[-1]) in last])
        done = TurnsGiven(
            self._place.round,
            self._place.attempt,
            self._place.workload,
            tuple(player.entrant.process for player in players.values()),
            elapsed_ns,
            given_ns,
            lost_ns,
            turned_ns,
            given_turns,
            self._misplaced(),
            host=self._place.host,
        )
        self._journal.append(done)

    def _lose(self, player: _Player) -> None:
        def lost(session: ClientSession) -> None:
            session.release(self._turnstile)
            self._finish_loop(player, session, LOST_S)  # it may have a better reason
            raise Refused(Outcome.INVALID, LOST)

        if player.session.outcome is Outcome.OK:
            self._try(player.session, lost)

    def _stop(self, player: _Player) -> None:
        if player.number and player.session.outcome is Outcome.OK:
            self._try(player.session, lambda session: player.stop(session, self._turnstile))

    def _end(self, players: list[_Player]) -> None:
        """Release who is still held; each finishes its loop, often one iteration, and is judged."""
        held = [player for player in players if player.is_held]
        for player in held:
            player.is_ended = True
            self._stop(player)
            player.session.release(self._turnstile)
        for player in held:
            self._finish(player)

    def _finish(self, player: _Player) -> None:
        if player.session.outcome is Outcome.OK and player.answered:
            self._try(player.session, lambda session: self._finish_loop(player, session))

    def _finish_loop(
        self, player: _Player, session: ClientSession, most_s: float = math.inf
    ) -> None:
        """Record its turns, however its loop ended; then judge the loop."""
        before = session.seen_before_loop
        try:
            answer, seen = session.finish_loop(player.asked, most_s)
        except AdapterError:
            self._keep(player, NOTHING, before)
            raise
        gain = gained(before, seen)
        self._keep(player, answer, gain)
        session.judge_loop(answer, gain, player.asked)

    def _keep(self, player: _Player, answer: Done, seen: Seen) -> None:
        turns = [turn for _, turn in player.turns]
        record = Turns(
            round=self._place.round,
            host=self._place.host,
            attempt=self._place.attempt,
            workload=self._place.workload,
            entrant=player.entrant.key,
            group=player.group,
            counted=player.length.counted,
            per_iteration=player.session.per_iteration,
            asked=player.asked,
            cycle=tuple(planned.cycle for planned, _ in player.turns),
            position=tuple(planned.position for planned, _ in player.turns),
            exchanges=tuple(turn.exchanges for turn in turns),
            wall_ns=tuple(turn.wall_ns for turn in turns),
            cpu_ns=tuple(turn.cpu_ns for turn in turns),
            origin_ns=tuple(turn.origin_ns for turn in turns),
            others_ns=tuple(turn.others_ns for turn in turns),
            lead_exchanges=tuple(turn.lead_exchanges for turn in turns),
            lead_cpu_ns=tuple(turn.lead_cpu_ns for turn in turns),
            first_cpu_ns=tuple(turn.first_cpu_ns for turn in turns),
            held_cpu_ns=tuple(turn.held_cpu_ns for turn in turns),
            probe_ps=tuple(turn.probe_ps for turn in turns),
            process_cpu_ns=player.clock_ns,
            released_cpu_ns=player.released_ns,
            edges_ns=player.edges.before_ns + player.edges.after_ns,
            after_ns=player.edges.after_ns,
            spun_ns=answer.spun_ns,
            seen=seen,
            done=answer.done,
            failed=answer.failed,
            answered=player.answered,
            settled_us=player.session.settled_us,
            parse_ns=answer.parse_ns,
        )
        self._journal.append(record)


def _wanted_us(launch: Launch) -> float:
    """What counts of a turn takes so long at least, where collections come seldom."""
    return max(COMPILERS_TURN_US if launch.compiles else 0, 1e3 * launch.turn_ms)


def _busy_ns(entrant: Entrant, session: ClientSession) -> int:
    """What a process spins after each exchange. In a runtime with a compiler, no longer than an
    exchange takes: its leads would have too few exchanges to come back to its best."""
    if entrant.effect is not Effect.BUSY:
        return 0
    least_ns = 0 if session.adapter.launch.compiles else LEAST_BUSY_NS
    return max(least_ns, session.busy_ns(entrant.amount))


def _owners(chunk: Iterable[_Planned]) -> list[_Player]:
    """Whose turns these are, each once."""
    return list({turn.player.entrant.key: turn.player for turn in chunk}.values())


def _note(chunk: Iterable[_Planned], turns: Iterable[Turn]) -> None:
    """Match the turns that were given with those planned; they come in the order asked for."""
    by_number: dict[int, deque[Turn]] = defaultdict(deque)
    for turn in turns:
        by_number[turn.ledger].append(turn)
    for planned in chunk:
        waiting = by_number[planned.player.number]
        if waiting and planned.was(turn := waiting.popleft()):
            planned.player.turns.append((planned, turn))
