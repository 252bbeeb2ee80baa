"""Observations as they are stored. They are never rewritten.

`workload` is the id of a course: the workload's id, followed over an emulated link by / and the
link's id.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from typing import Any

from fetchoff.model.link import Calibration, Emulated


class Outcome(StrEnum):
    """How an invocation of a workload ended."""

    OK = "ok"
    FAILED = "failed"
    UNSUPPORTED = "unsupported"
    UNAVAILABLE = "unavailable"
    INVALID = "invalid"


@dataclass(frozen=True)
class Cost:
    """What a batch cost, measured from outside. Nanoseconds.

    `own_wall_ns`: reported by the adapter, a cross-check. `origin_cpu_ns`: the origin's process
    clock; None: nobody here can read it (0 in records of before that was kept). `parse_ns`: time in
    the kit's JSON parser, also reported by the adapter; None: not reported.
    """

    wall_ns: int
    cpu_ns: int
    origin_cpu_ns: int | None
    own_wall_ns: int
    spun_ns: int = 0
    parse_ns: int | None = None


@dataclass(frozen=True)
class Seen:
    """What the origin's ledger counted in a batch."""

    requests: int = 0
    connections: int = 0
    bytes_in: int = 0
    bytes_out: int = 0
    segments_in: int = 0


Sample = tuple[str, int]
"""A host and the number of one of its rounds: what is measured together, and compared."""


@dataclass(frozen=True)
class OfRound:
    """A record of one round on one host.

    `host`: the id of the machine that measured; "" is the one that the run was begun on. It is not
    the machine's name, which may tell who the user is.
    """

    round: int
    host: str = field(default="", kw_only=True)

    @property
    def sample(self) -> Sample:
        """The sample that this record belongs to."""
        return (self.host, self.round)


@dataclass(frozen=True)
class Batch(OfRound):
    """One timed run of `planned` iterations (`iterations` were really done: MORE does more).

    `emulated`: what the link's emulator counted meanwhile; None over loopback.
    """

    attempt: int
    workload: str
    block: int
    position: int
    entrant: str
    planned: int
    iterations: int
    exchanges: int
    done: int
    failed: int
    cost: Cost
    seen: Seen
    emulated: Emulated | None = None

    @property
    def slot(self) -> tuple[Sample, str, int, str]:
        """The batch's position in the plan; at most one batch may have it."""
        return (self.sample, self.workload, self.block, self.entrant)


@dataclass(frozen=True)
class Turns(OfRound):
    """The turns of one entrant in one round, or of the baseline in one set of groups of it.

    Lists are of equal length, a turn each. Nanoseconds.

    A turn's exchanges are those after its lead. `cycle`: the turn's planned position among the
    entrant's turns. `others_ns`: CPU time of the other held processes during the turn.
    `held_cpu_ns`: CPU time of the entrant's process while it was held, since the turn before.
    `counted`: iterations of a turn after its lead. `asked`: requested iterations of the whole loop,
    which spun for `spun_ns`. `process_cpu_ns`: the process's CPU time from the start of the loop to
    its release, read by the harness right before, and `released_cpu_ns` right after (0 in records
    of before it was kept); `edges_ns`: the part of it outside turns, leads and pauses, by the
    origin's readings, of which `after_ns` is the part after the last turn (None in records of
    before it was kept). `answered`: requests that the ledger counted from the start of the first
    turn to the end of the last. `settled_us`: CPU time of an exchange at the end of the warm-up.
    `parse_ns`: as in `Cost`, for the whole loop. `side_by_side`: processes could run on several
    cores. The work of other processes and of the entrant's own background threads then shows in the
    origin's clock only where it delayed an exchange, and is not subtracted. `probe_ps`: picoseconds
    of a probe of the core's speed, the mean in each turn (empty in records of before they were).
    `first_cpu_ns`: CPU time of the first iteration of each lead (empty in records of before it was
    kept).
    """

    attempt: int
    workload: str
    entrant: str
    group: int
    counted: int
    per_iteration: int
    asked: int
    cycle: tuple[int, ...]
    position: tuple[int, ...]
    exchanges: tuple[int, ...]
    wall_ns: tuple[int, ...]
    cpu_ns: tuple[int, ...]
    origin_ns: tuple[int, ...]
    others_ns: tuple[int, ...]
    lead_exchanges: tuple[int, ...]
    lead_cpu_ns: tuple[int, ...]
    held_cpu_ns: tuple[int, ...]
    process_cpu_ns: int
    spun_ns: int
    seen: Seen
    done: int = 0
    failed: int = 0
    answered: int = 0
    settled_us: float = 0.0
    parse_ns: int | None = None
    edges_ns: int = 0
    after_ns: int | None = None
    side_by_side: bool = False
    probe_ps: tuple[int, ...] = ()
    released_cpu_ns: int = 0
    first_cpu_ns: tuple[int, ...] = ()

    @property
    def pauses_ns(self) -> tuple[int, ...]:
        """CPU time of the entrant's process in the pause after each turn.

        What it used before its first turn belongs to its warm-up.
        """
        if self.after_ns is None:
            return self.held_cpu_ns
        return (*self.held_cpu_ns[1:], self.after_ns) if self.exchanges else ()

    @property
    def background_ns(self) -> float:
        """The CPU time of pauses that belongs to the counted exchanges.

        A background collector or compiler keeps running after a turn. Its cost belongs to the
        exchanges before, including those of leads.
        """
        counted, lead = sum(self.exchanges), sum(self.lead_exchanges)
        return sum(self.pauses_ns) * counted / (counted + lead) if counted else 0.0

    def pieces(self, count: int) -> tuple[Batch, ...]:
        """Successive turns combined into `count` batches, or fewer if there are fewer turns."""
        found = (part.total() for part in self.parts(count))
        return tuple(
            replace(piece, block=number) for number, piece in enumerate(found) if piece.exchanges
        )

    def parts(self, count: int) -> tuple[Turns, ...]:
        """Successive turns in `count` parts, or fewer; also those without an exchange."""
        each = max(1, -(-len(self.exchanges) // count))
        places = range(len(self.exchanges))
        return tuple(self.only(places[at : at + each]) for at in places[::each])

    def only(self, chosen: Sequence[int]) -> Turns:
        """Some of its turns, by their places in ascending order, each with the pause after it.

        With them goes what was told of the whole loop, such as `answered`.
        """
        pauses = _at(self.pauses_ns, chosen)
        parts: dict[str, Any] = {name: _at(getattr(self, name), chosen) for name in _BY_TURN}
        if self.after_ns is not None and chosen:
            parts["held_cpu_ns"] = (self.held_cpu_ns[chosen[0]], *pauses[:-1])
            parts["after_ns"] = pauses[-1]
        return replace(self, **parts)

    def _share(self, of_loop_ns: int) -> int:
        """The part of a whole loop's cost that belongs to the exchanges of turns."""
        return round(of_loop_ns * sum(self.exchanges) / max(1, self.asked * self.per_iteration))

    def total(self) -> Batch:
        """All turns as one batch: the total cost of all exchanges."""
        exchanges = sum(self.exchanges)
        background = round(self.background_ns)
        wall_ns = sum(self.wall_ns)
        if not self.side_by_side:
            wall_ns += background - sum(self.others_ns)
        iterations = max(1, exchanges // max(1, self.per_iteration))
        return Batch(
            round=self.round,
            host=self.host,
            attempt=self.attempt,
            workload=self.workload,
            block=0,
            position=0,
            entrant=self.entrant,
            planned=iterations,
            iterations=iterations,
            exchanges=exchanges,
            done=self.done,
            failed=self.failed,
            cost=Cost(
                wall_ns=wall_ns,
                cpu_ns=sum(self.cpu_ns) + background,
                origin_cpu_ns=sum(self.origin_ns),
                own_wall_ns=wall_ns,
                spun_ns=self._share(self.spun_ns),
                parse_ns=None if self.parse_ns is None else self._share(self.parse_ns),
            ),
            seen=self.seen,
        )


def _at(values: tuple[int, ...], places: Sequence[int]) -> tuple[int, ...]:
    return tuple(values[place] for place in places) if values else ()


_BY_TURN = tuple(f.name for f in fields(Turns) if str(f.type) == "tuple[int, ...]")


@dataclass(frozen=True)
class TurnsGiven(OfRound):
    """All turns of a set of groups of a section. Nanoseconds.

    `elapsed_ns`: by the harness's clock. By the origin's clock: `given_ns`, all turns; `lost_ns`,
    time spent waiting for clients that missed their turn; `turned_ns`, turns with their leads only.
    `misplaced`: which process did not have its planned core or priority, or "".
    """

    attempt: int
    workload: str
    processes: tuple[str, ...]
    elapsed_ns: int
    given_ns: int
    lost_ns: int
    turned_ns: int
    turns: int
    misplaced: str = ""


@dataclass(frozen=True)
class Usage:
    """What the operating system counted for a process over the blocks of a workload.

    `user_ticks` and `system_ticks` (1/100 s) are sampled, `samples_per_s` times a second; `peak_kb`
    is resident memory. `page_faults`: None where the client's work is done in children, and in
    records of before they were counted. `exchanges`: that it did meanwhile.
    """

    user_ticks: int = 0
    system_ticks: int = 0
    peak_kb: int = 0
    voluntary_switches: int = 0
    involuntary_switches: int = 0
    samples_per_s: int = 100
    page_faults: int | None = None
    exchanges: int = 0


@dataclass(frozen=True)
class Invocation(OfRound):
    """One process on one workload of one round, and how it ended.

    `message`: the reason if the outcome is not ok. `answered_wrong`: an answer, or the client's
    report about it, was wrong, so the client is not ranked. `ledger`: the origin's counts over
    verification, warm-up and measurement. `first_wall_us`, `first_cpu_us`: cost of the process's
    first exchange on this workload; over a link, which is wide open then, the former is 0. `curve`:
    the warm-up, as pairs of the number of exchanges so far and the CPU microseconds per exchange
    since the previous pair; `is_steady`: whether no trend was left at its end. `was_tested`:
    whether one was looked for: not of a warm-up that was cut off too early, nor of a client that
    mostly waits (true in records of before it was kept). `further_threads`: the share of measured
    CPU time that was not used by the busiest thread.
    """

    attempt: int
    workload: str
    process: str
    client: str
    outcome: Outcome
    message: str = ""
    iterations: int = 0
    warm_ups: int = 0
    start_up_ms: float = 0.0
    usage: Usage = field(default_factory=Usage)
    ledger: Mapping[str, object] = field(default_factory=dict)
    origin_involuntary_switches: int = 0
    first_wall_us: float = 0.0
    first_cpu_us: float = 0.0
    curve: tuple[tuple[int, float], ...] = ()
    is_steady: bool = True
    answered_wrong: bool = False
    further_threads: float = 0.0
    was_tested: bool = True

    @property
    def still_fell(self) -> bool:
        """Whether a trend was left at the end of its warm-up."""
        return self.was_tested and not self.is_steady


@dataclass(frozen=True)
class LinkCalibrated(OfRound):
    """The calibration of a link before it was used. Journals store it as "link tried"."""

    calibration: Calibration


@dataclass(frozen=True)
class LinkUsed(OfRound):
    """What the emulator did during the batches of a section.

    `fault`: why none of them counts, or "". Only older runs have one; today each batch has its own
    counts.
    """

    attempt: int
    workload: str
    emulated: Emulated
    fault: str = ""


@dataclass(frozen=True)
class SectionDone(OfRound):
    """A course of a round was measured completely, so its batches count. Appended last.

    While it was measured, CPU quotas stopped processes in so many periods, for so long: the sum
    over cores (0 in records of before it was counted).
    """

    attempt: int
    workload: str
    seconds: float
    throttled_periods: int = 0
    throttled_us: int = 0


@dataclass(frozen=True)
class RoundDone(OfRound):
    """A round was measured whole, and how long it took: what it takes of a budget.

    `seconds`: with what no section counts, such as starting processes, networks and origins, and
    calibrating links. Of parts that were measured before an interruption, the sections alone. Older
    runs have none of these records, and neither has a round whose process was killed at its end:
    its sections say how long it took, at least.
    """

    seconds: float


@dataclass(frozen=True)
class Interrupted(OfRound):
    """An attempt at a section was interrupted: its batches are kept but don't count."""

    attempt: int
    workload: str
    reason: str


@dataclass(frozen=True)
class HostLost(OfRound):
    """A host of a fleet could not go on with a round; what it measured whole before counts."""

    reason: str


NO_CLIENT_LEFT = "no client left"
"""Why a run ended in which all that could be ranked or compared failed too often."""


@dataclass(frozen=True)
class Ended:
    """The run ended. `reason`: decided, budget, rounds, interrupted, or NO_CLIENT_LEFT."""

    reason: str
    rounds: int


Record = (
    Batch
    | Turns
    | TurnsGiven
    | Invocation
    | LinkCalibrated
    | LinkUsed
    | SectionDone
    | RoundDone
    | Interrupted
    | HostLost
    | Ended
)
