"""A group of clients that take turns: the origin gives them, and reads the clocks.

Every process runs one long loop. The harness only says whose turns come next, a good many at a
time, so nothing of it lies inside a turn, or between one and the next.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from fetchoff.model.errors import AdapterError
from fetchoff.model.experiment import Effect, Entrant
from fetchoff.model.observation import GroupDone, Outcome, Turns
from fetchoff.protocol.origin import Manner, Turn, gained
from fetchoff.run.events import Journal
from fetchoff.run.guest import Guest, Refused
from fetchoff.run.origin import Turnstile

CHUNK_US = (
    250_000  # of turns in one order: so often there is time for a look at the clock and the user
)
LEAST_ITERATIONS = 3  # of a turn, whatever it is to last
SLACK = 1.15  # iterations on top of those that are expected to be needed
COLD = 2.0  # a lead takes up to so many times as long
LOST = "did not send its next request in its turn"

Try = Callable[[Guest, Callable[[Guest], None]], None]


@dataclass
class _Player:
    """A process in its long loop, and what its turns were."""

    entrant: Entrant
    guest: Guest
    turn_us: int
    asked: int = 0
    number: int = 0
    clock_ns: int = 0
    turns: list[tuple[int, int, Turn]] = field(default_factory=list)  # cycle, position

    def stop_clock(self, guest: Guest) -> None:
        """What the process has used since its loop began."""
        self.clock_ns = guest.adapter.cpu_ns() - self.clock_ns


@dataclass(frozen=True)
class Place:
    """Which group of which section it is."""

    round: int
    attempt: int
    workload: str
    group: int


class Turning:
    """Measures one group. What it found is in the journal, also of those who fell out later."""

    def __init__(
        self, turnstile: Turnstile, journal: Journal, place: Place, manner: Manner, try_: Try
    ) -> None:
        self._turnstile = turnstile
        self._journal = journal
        self._place = place
        self._manner = manner
        self._try = try_

    def run(
        self,
        guests: Sequence[tuple[Entrant, Guest]],
        cycles: Sequence[Sequence[Entrant]],
        turn_us: int,
    ) -> None:
        """`cycles`: the order of turns. OriginError and KeyboardInterrupt pass."""
        players = {e.key: _Player(e, g, turn_us * e.stretch) for e, g in guests}
        counts = {key: sum(e.key == key for c in cycles for e in c) for key in players}
        try:
            for key, player in players.items():
                self._begin(player, counts[key])
            self._play(players, cycles)
        finally:
            self._release(players.values())
        for player in players.values():
            self._finish(player)

    def _begin(self, player: _Player, turns: int) -> None:
        """Close the gate, then let the loop run into it."""
        guest = player.guest
        if guest.outcome is not Outcome.OK:
            return
        busy_share = player.entrant.amount if player.entrant.effect is Effect.BUSY else 0.0
        iteration_us = guest.iteration_us * (1 + busy_share)
        player.turn_us = max(player.turn_us, round(LEAST_ITERATIONS * iteration_us))
        lead_us = self._manner.lead_us + COLD * iteration_us
        turn_us = player.turn_us + lead_us + iteration_us
        player.asked = max(LEAST_ITERATIONS, round(SLACK * turns * turn_us / iteration_us)) + 2

        def begin(guest: Guest) -> None:
            requests = player.asked * guest.per_iteration
            player.number = guest.hold(self._turnstile, requests)
            guest.begin_loop(player.asked, busy_share)
            player.clock_ns = guest.adapter.cpu_ns()

        self._try(guest, begin)

    def _play(self, players: dict[str, _Player], cycles: Sequence[Sequence[Entrant]]) -> None:
        elapsed_ns = given_ns = turns = 0
        todo = [
            (number, place, players[entrant.key])
            for number, cycle in enumerate(cycles)
            for place, entrant in enumerate(cycle)
        ]
        while todo:
            chunk, chunk_us = [], 0
            while todo and chunk_us < CHUNK_US:
                turn = todo.pop(0)
                if turn[2].guest.outcome is Outcome.OK:
                    chunk.append(turn)
                    chunk_us += turn[2].turn_us
            if not chunk:
                break
            order = [(player.number, player.turn_us) for _, _, player in chunk]
            began = time.perf_counter_ns()
            given = self._turnstile.give(order, self._manner)
            elapsed_ns += time.perf_counter_ns() - began
            given_ns += given.wall_ns
            turns += len(given.turns)
            self._note(chunk, given.turns)
            for player in players.values():
                if player.number in given.lost:
                    self._lose(player)
        done = GroupDone(
            self._place.round,
            self._place.attempt,
            self._place.workload,
            self._place.group,
            tuple(player.entrant.process for player in players.values()),
            elapsed_ns,
            given_ns,
            turns,
        )
        self._journal.append(done)

    def _note(
        self,
        chunk: Iterable[tuple[int, int, _Player]],
        turns: Iterable[Turn],
    ) -> None:
        """Whose turn was which: they come in the order that was asked for.

        One that the end of a loop cut short does not count.
        """
        by_number: dict[int, list[Turn]] = defaultdict(list)
        for turn in turns:
            by_number[turn.ledger].append(turn)
        for cycle, position, player in chunk:
            if by_number[player.number]:
                turn = by_number[player.number].pop(0)
                if turn.exchanges and not (turn.wall_ns < 500 * player.turn_us):
                    player.turns.append((cycle, position, turn))

    def _lose(self, player: _Player) -> None:
        def lost(guest: Guest) -> None:
            try:
                guest.finish_loop(player.asked)  # it may have a better reason
            except AdapterError as error:
                raise Refused(Outcome.FAILED, f"{LOST}: {error}") from error
            raise Refused(Outcome.INVALID, LOST)

        if player.guest.outcome is Outcome.OK:
            self._try(player.guest, lost)

    def _release(self, players: Iterable[_Player]) -> None:
        for player in players:
            if player.number:
                if player.guest.outcome is Outcome.OK:
                    self._try(player.guest, player.stop_clock)
                player.guest.release(self._turnstile)

    def _finish(self, player: _Player) -> None:
        def finish(guest: Guest) -> None:
            before = guest.seen_before_loop
            answer, seen = guest.finish_loop(player.asked)
            turns = [turn for _, _, turn in player.turns]
            record = Turns(
                round=self._place.round,
                attempt=self._place.attempt,
                workload=self._place.workload,
                entrant=player.entrant.key,
                group=self._place.group,
                turn_us=player.turn_us,
                per_iteration=guest.per_iteration,
                asked=player.asked,
                cycle=tuple(cycle for cycle, _, _ in player.turns),
                position=tuple(position for _, position, _ in player.turns),
                exchanges=tuple(turn.exchanges for turn in turns),
                wall_ns=tuple(turn.wall_ns for turn in turns),
                cpu_ns=tuple(turn.cpu_ns for turn in turns),
                origin_ns=tuple(turn.origin_ns for turn in turns),
                others_ns=tuple(turn.others_ns for turn in turns),
                lead_exchanges=tuple(turn.lead_exchanges for turn in turns),
                lead_cpu_ns=tuple(turn.lead_cpu_ns for turn in turns),
                held_cpu_ns=tuple(turn.held_cpu_ns for turn in turns),
                process_cpu_ns=player.clock_ns,
                spun_ns=answer.spun_ns,
                seen=gained(before, seen),
                done=answer.done,
                failed=answer.failed,
                settled_us=guest.settled_us,
            )
            self._journal.append(record)
            guest.judge_loop(answer, gained(before, seen), player.asked)

        if player.guest.outcome is Outcome.OK and player.asked:
            self._try(player.guest, finish)
