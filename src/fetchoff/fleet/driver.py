"""The driver: it gives hosts their rounds, fetches what they measured, and says when it is enough.

A block of work is a round of a host. Its id is (host, round), and within it each course is done or
not by itself. A host keeps it in its own run folder before anybody hears of it, and tells it as
often as it is asked. So a block may be asked for again whenever its answer was lost: by a worker
that died, by Dask, which does finished tasks again when their worker dies (distributed #7870), by a
driver that was resumed. What the driver has of a host are the first records of that host's journal,
in order; it asks for those behind them.

Dask would let a task whose host is gone wait for ever (#7346), so every deadline is here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from fetchoff.app.own_code import code
from fetchoff.fleet.seam.cluster import (
    RESTARTS,
    Cluster,
    Here,
    HostAway,
    HostFault,
    HostLate,
    Job,
    Task,
)
from fetchoff.fleet.seam.told import Block, Told
from fetchoff.fleet.standing import Standing, State, is_decided, standings_of, unfinished
from fetchoff.model.errors import FetchoffError
from fetchoff.model.observation import NO_CLIENT_LEFT, Ended, HostLost
from fetchoff.store.records import from_line
from fetchoff.store.run_folder import RunFolder

AWAY = "it went away"


class NoHostLeft(FetchoffError):
    """All hosts are lost. What was measured is kept."""

    exit_code = 10


@dataclass(frozen=True)
class Limits:
    """How long to wait, in seconds. `away_s`: for a host that is gone; `round_s`: for a round."""

    away_s: float = 60.0
    round_s: float = 3600.0


DEFAULT_LIMITS = Limits()


class FleetListener(Protocol):
    """Watches a fleet: a progress display, a test."""

    def wave_began(self, rounds: dict[str, int]) -> None: ...
    def round_done(self, host: str, rounds: int, seconds: float) -> None: ...
    def lost(self, host: str, reason: str) -> None: ...
    def back(self, host: str) -> None: ...


@dataclass
class _Pending:
    """A round that a host was asked for. `task`: None while nobody does it. `absent_since_s`: when
    its host was first looked for in vain; None while it is there. `cut_by`: what cut it off the
    last time."""

    standing: Standing
    block: Block
    began_s: float
    task: Task | None = None
    absent_since_s: float | None = None
    restarts: int = 0
    cut_by: str = ""


class Driver:
    """Runs an experiment on the hosts of a run folder, or goes on with one."""

    def __init__(
        self,
        folder: RunFolder,
        cluster: Cluster,
        measure: Callable[[Block, Here], Told],
        listener: FleetListener,
        limits: Limits = DEFAULT_LIMITS,
        standings: dict[str, Standing] | None = None,
    ) -> None:
        """`measure`: the function that does a Block on a host and returns Told. `standings`: of the
        folder, if they are known already: its whole journal is read for them."""
        self._folder = folder
        self._cluster = cluster
        self._measure = measure
        self._listener = listener
        self._limits = limits
        self.standings = standings_of(folder) if standings is None else standings
        self._code = code()

    def run(self) -> Ended:
        """Measure until the run ends, and record that.

        Raises NoHostLeft, ClusterGone, StoreError and KeyboardInterrupt; the folder keeps what was
        fetched, the hosts what they measured.
        """
        while (reason := self._reason_to_end()) is None:
            self._wave()
        ended = Ended(reason, max(standing.rounds for standing in self.standings.values()))
        self._folder.append(ended)
        return ended

    def unfinished(self) -> list[str]:
        """The hosts that were lost before they had measured all that they may."""
        return unfinished(self.standings, self._folder)

    def _reason_to_end(self) -> str | None:
        """Why no further wave begins; None if one does. Raises NoHostLeft."""
        self._welcome(self._cluster.present())
        here = [one for one in self.standings.values() if one.state is State.HERE]
        if not here:
            raise NoHostLeft(
                "no host is left",
                "everything measured so far is kept; bring hosts back, then continue with "
                f"'fetchoff fleet resume {self._folder.path}'",
            )
        if all(one.has_nobody_left for one in here):
            return NO_CLIENT_LEFT
        if any(map(self._goes_on, here)):
            return None
        if all(map(self._is_decided, here)):
            return "decided"
        return "budget" if any(one.is_spent for one in here) else "rounds"

    def _goes_on(self, standing: Standing) -> bool:
        """Whether a host is here and has anything left to find out. One that has decided waits for
        the others: its rule has told it when to stop."""
        is_here = standing.state is State.HERE
        return is_here and not standing.is_through and not self._is_decided(standing)

    def _is_decided(self, standing: Standing) -> bool:
        return is_decided(standing, self._folder)

    def _welcome(self, present: Iterable[str]) -> None:
        """Hosts that have come back go on."""
        for name in present:
            standing = self.standings.get(name)
            if standing is not None and standing.state is State.AWAY:
                standing.state = State.HERE
                self._listener.back(name)

    def _wave(self) -> None:
        """A round of every host that goes on."""
        asked = [one for one in self.standings.values() if self._goes_on(one)]
        self._listener.wave_began({one.host.id: one.rounds for one in asked})
        pending = [
            self._asked(standing, number)
            for standing in asked
            if (number := standing.next_round) is not None
        ]
        try:
            while pending:
                present, now = self._cluster.present(), self._cluster.now_s()
                pending = [one for one in pending if not self._is_over(one, present, now)]
                if pending:
                    self._cluster.pause()
        finally:
            for one in pending:
                if one.task is not None:
                    one.task.drop()

    def _asked(self, standing: Standing, number: int) -> _Pending:
        block = Block(
            run=self._folder.header.run_id,
            host=standing.host.id,
            round=number,
            known=standing.known,
            alpha=standing.experiment.alpha,
            code=self._code,
        )
        return _Pending(standing, block, began_s=self._cluster.now_s())

    def _is_over(self, one: _Pending, present: frozenset[str], now: float) -> bool:
        """Whether nothing more is to be done for a round: it is whole, or its host is lost.

        `now`: when it was seen who is present. To go through all hosts may take long, and nobody
        knows who was there meanwhile.
        """
        name = one.block.host
        if name in present:
            one.absent_since_s = None
        elif one.absent_since_s is None:
            one.absent_since_s = now
        if one.task is not None and one.task.waits:
            one.began_s = now
        if one.task is not None and one.task.is_done:
            return self._is_settled(one)
        if one.absent_since_s is not None:
            if one.task is not None:
                one.task.drop()
                one.task, one.cut_by = None, AWAY
            if now - one.absent_since_s > self._limits.away_s:
                self._lose(one, State.AWAY, f"it has been away for {self._limits.away_s:.0f} s")
                return True
        elif one.task is None:
            return not self._is_started(one)
        elif now - one.began_s > self._limits.round_s + self._limits.away_s:
            one.task.drop()
            self._lose_late(one)
            return True
        return False

    def _is_started(self, one: _Pending) -> bool:
        """Ask for the round (again); whether it may be asked for any more."""
        if one.restarts > RESTARTS:
            reason = f"a round was cut off {one.restarts} times, the last time: {one.cut_by}"
            self._lose(one, State.OUT, reason)
            return False
        try:
            job = Job(self._measure, one.block)
            one.task = self._cluster.start(one.block.host, job, self._limits.round_s)
        except HostAway as away:
            one.cut_by = away.message
        one.restarts += 1
        return True

    def _is_settled(self, one: _Pending) -> bool:
        """Take what a host tells; whether that settles the round."""
        assert one.task is not None
        task, one.task = one.task, None
        try:
            told: Told = task.result()
        except HostAway as away:
            one.cut_by = away.message
            return False
        except HostLate:
            self._lose_late(one)
            return True
        except HostFault as fault:
            self._lose(one, State.OUT, fault.message, fault.hint)
            return True
        try:
            self._keep(one.standing, told.lines)
        except ValueError as error:
            self._lose(one, State.OUT, f"it told what is no record of it: {error}")
            return True
        standing = one.standing
        standing.decided_at = (standing.rounds, told.is_decided)
        seconds = standing.seconds
        if one.block.round not in seconds:
            self._lose(one, State.OUT, "it came back from a round that is not whole")
            return True
        self._listener.round_done(standing.host.id, len(seconds), seconds[one.block.round])
        return True

    def _keep(self, standing: Standing, lines: Sequence[bytes]) -> None:
        """Append what a host told to the run folder; ValueError if anything in it isn't its own."""
        records = [from_line(line) for line in lines]
        for record in records:
            if isinstance(record, Ended | HostLost) or record.host != standing.host.id:
                raise ValueError(f"a record of {getattr(record, 'host', '') or 'nobody'}")
        self._folder.append_of_host(standing.host.id, lines)
        for record in records:
            standing.note(record)

    def _lose_late(self, one: _Pending) -> None:
        reason = f"a round took longer than {self._limits.round_s:.0f} s"
        self._lose(one, State.OUT, reason, "--longest-round S gives it more time")

    def _lose(self, one: _Pending, state: State, reason: str, hint: str = "") -> None:
        """Note that a host does not go on, for now or for good. The hint is shown, not stored."""
        one.standing.state = state
        lost = HostLost(one.block.round, reason, host=one.block.host)
        self._folder.append(lost)
        one.standing.note(lost)
        self._listener.lost(one.block.host, f"{reason} ({hint})" if hint else reason)
