"""What is said of a client."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from fetchoff.model.estimate import Verdict
from fetchoff.model.finding.kinds import Clock, Holdup, Kind, Whose


@dataclass(frozen=True)
class Unsteady:
    """In so many rounds a trend was left when the warm-up ended, after `exchanges` at most."""

    kind: ClassVar = Kind.UNSTEADY
    exchanges: int
    rounds: int
    of_rounds: int


@dataclass(frozen=True)
class WarmUpCutOff:
    """In so many rounds the warm-up ended, after `exchanges` at most, before a trend could be
    looked for."""

    kind: ClassVar = Kind.WARM_UP_CUT_OFF
    exchanges: int
    rounds: int
    of_rounds: int


@dataclass(frozen=True)
class OriginBound:
    """The origin is busy for most of the wall time."""

    kind: ClassVar = Kind.ORIGIN_BOUND
    origin_share: float


@dataclass(frozen=True)
class WorkMoved:
    """The verdict on a client's own CPU time, and the opposite one with the origin's added."""

    kind: ClassVar = Kind.WORK_MOVED
    own: Verdict
    with_origin: Verdict


@dataclass(frozen=True)
class ClocksApart:
    """How far the adapter's own clock is off the harness's, or that of the baseline's adapter.

    `withheld`: by more than the client and the baseline are, so there is no verdict in wall time.
    """

    kind: ClassVar = Kind.CLOCKS_APART
    share: float
    of_baseline: bool = False
    withheld: bool = False


@dataclass(frozen=True)
class InBatches:
    """Others were measured in turns, and this client after them, in so many batches.

    `others_share`: how much more the others would cost with the turns that don't count because
    something else slowed the core. Of batches that can't be told, so all of them count.
    """

    kind: ClassVar = Kind.IN_BATCHES
    batches: int
    others_share: float = 0.0


@dataclass(frozen=True)
class RarelyDear:
    """How much more the mean batch costs than an ordinary one."""

    kind: ClassVar = Kind.RARELY_DEAR
    more_share: float


@dataclass(frozen=True)
class ProcessesUnlike:
    """How much more the processes of a client cost on average than their geometric mean, which is
    what is shown and compared."""

    kind: ClassVar = Kind.PROCESSES_UNLIKE
    more_share: float


@dataclass(frozen=True)
class TwoModes:
    """A client's processes fall into two modes. Microseconds an exchange, by `clock`."""

    kind: ClassVar = Kind.TWO_MODES
    clock: Clock
    cheap_share: float
    cheap_us: float
    dear_share: float
    dear_us: float
    processes: int


@dataclass(frozen=True)
class Window:
    """A client carries less than half of what TCP could. `best_mbit_s`: what another carried."""

    kind: ClassVar = Kind.WINDOW
    in_flight_bytes: float
    mbit_s: float
    best_mbit_s: float


@dataclass(frozen=True)
class Pool:
    """Fewer exchanges are in flight than were asked for.

    `segments`: those that the requests of one connection came in; None where they tell nothing.
    """

    kind: ClassVar = Kind.POOL
    exchanges: float
    of_exchanges: int
    holdup: Holdup
    segments: float | None = None


@dataclass(frozen=True)
class FurtherThreads:
    """The share of CPU time that is not of a process's busiest thread. `placed_freely`: threads
    could use other cores."""

    kind: ClassVar = Kind.FURTHER_THREADS
    share: float
    placed_freely: bool


@dataclass(frozen=True)
class PageFaults:
    """How many pages of memory are given to the client anew in each exchange."""

    kind: ClassVar = Kind.PAGE_FAULTS
    an_exchange: float


@dataclass(frozen=True)
class FewRounds:
    """A client that warms up for long took part in so few rounds that they hardly tell. `lost`:
    those of them that do not count, because it broke down or something else slowed the core."""

    kind: ClassVar = Kind.FEW_ROUNDS
    rounds: int
    of_rounds: int
    lost: int = 0


@dataclass(frozen=True)
class RoundsFailed:
    """A client broke down in some rounds and is judged by the others. `message`: the last one's.
    `given_up`: it did so too often to be tried again."""

    kind: ClassVar = Kind.ROUNDS_FAILED
    rounds: int
    of_rounds: int
    message: str
    whose: Whose = Whose.OWN
    given_up: bool = False


@dataclass(frozen=True)
class AnsweredWrong:
    """In which rounds a client answered wrong. `message`: the last one's."""

    kind: ClassVar = Kind.ANSWERED_WRONG
    rounds: tuple[int, ...]
    message: str


@dataclass(frozen=True)
class NotMeasured:
    """A client has no figures. `message`: why, as it was recorded, or "". `disturbed`: something
    else slowed the core in all of its turns. `reasons`: what a link did to its batches, none of
    which counts."""

    kind: ClassVar = Kind.NOT_MEASURED
    message: str = ""
    disturbed: bool = False
    reasons: tuple[str, ...] = ()


ClientEvidence = (
    Unsteady
    | WarmUpCutOff
    | OriginBound
    | WorkMoved
    | ClocksApart
    | InBatches
    | RarelyDear
    | ProcessesUnlike
    | TwoModes
    | Window
    | Pool
    | FurtherThreads
    | PageFaults
    | FewRounds
    | RoundsFailed
    | AnsweredWrong
    | NotMeasured
)
"""What is said of a client."""
