"""Findings: what a run shows beside its figures, as types. `report/wording` makes the sentences.

Each kind has evidence of its own type. Units are in the names of fields, shares run from 0 to 1,
and rounds count from 0. Findings of one kind that differ in numbers alone are told in one sentence.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

from fetchoff.model.check import CheckKind, SelfCheck
from fetchoff.model.estimate import LimitAnswer, Verdict
from fetchoff.model.workload import Placement


class Kind(StrEnum):
    """One member for each type of evidence."""

    UNSTEADY = "unsteady"
    ORIGIN_BOUND = "origin-bound"
    WORK_MOVED = "work-moved"
    CLOCKS_APART = "clocks-apart"
    IN_BATCHES = "in-batches"
    RARELY_DEAR = "rarely-dear"
    PROCESSES_UNLIKE = "processes-unlike"
    TWO_MODES = "two-modes"
    WINDOW = "window"
    POOL = "pool"
    FURTHER_THREADS = "further-threads"
    PAGE_FAULTS = "page-faults"
    CONTENT_IN_MEMORY = "content-in-memory"
    FEW_ROUNDS = "few-rounds"
    ROUNDS_FAILED = "rounds-failed"
    ANSWERED_WRONG = "answered-wrong"
    NOT_MEASURED = "not-measured"
    LIMIT = "limit"
    PLACEMENT_ASKED = "placement-asked"
    ROUNDS_EXCLUDED = "rounds-excluded"
    BATCHES_EXCLUDED = "batches-excluded"
    ALL_HELD_BACK = "all-held-back"
    TIERS_UNPROVEN = "tiers-unproven"
    MODES_MISSED = "modes-missed"
    ORDER_DIFFERS = "order-differs"
    OTHER_BASELINE = "other-baseline"
    CHECKS_UNCLEAR = "checks-unclear"
    TURNS_DISTURBED = "turns-disturbed"
    PROBES_APART = "probes-apart"
    THROTTLED = "throttled"
    LINK_AT_FAULT = "link-at-fault"
    NOTHING_COUNTS = "nothing-counts"
    CHECK_FAILED = "check-failed"


class Advice(StrEnum):
    """What a reader can do about a finding."""

    FREE_PLACEMENT = "free-placement"
    MORE_ROUNDS = "more-rounds"
    LARGER_BUDGET = "larger-budget"
    STOP_OTHER_WORK = "stop-other-work"
    SLOWER_LINK = "slower-link"
    LARGER_QUOTA = "larger-quota"


class Clock(StrEnum):
    """What time was read off."""

    WALL = "wall"
    CPU = "cpu"


class Holdup(StrEnum):
    """What may keep exchanges from being in flight."""

    POOL_OR_QUEUE = "pool-or-queue"
    QUEUE = "queue"
    QUEUE_OR_NAGLE = "queue-or-nagle"
    INITIAL_WINDOW = "initial-window"


@dataclass(frozen=True)
class Unsteady:
    """In so many rounds a trend was left when the warm-up ended, after `exchanges` at most."""

    kind: ClassVar = Kind.UNSTEADY
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

    `withheld`: by more than the client's ratio is from 1, so there is no verdict in wall time.
    """

    kind: ClassVar = Kind.CLOCKS_APART
    share: float
    of_baseline: bool = False
    withheld: bool = False


@dataclass(frozen=True)
class InBatches:
    """Others were measured in turns, and this client after them, in so many batches."""

    kind: ClassVar = Kind.IN_BATCHES
    batches: int


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
    """A client that warms up for long took part in so few rounds that they hardly tell."""

    kind: ClassVar = Kind.FEW_ROUNDS
    rounds: int
    of_rounds: int


@dataclass(frozen=True)
class RoundsFailed:
    """A client broke down in some rounds and is judged by the others. `message`: the last one's."""

    kind: ClassVar = Kind.ROUNDS_FAILED
    rounds: int
    of_rounds: int
    message: str


@dataclass(frozen=True)
class AnsweredWrong:
    """In which rounds a client answered wrong. `message`: the last one's."""

    kind: ClassVar = Kind.ANSWERED_WRONG
    rounds: tuple[int, ...]
    message: str


@dataclass(frozen=True)
class NotMeasured:
    """A client has no figures. `message`: why, as it was recorded, or "". `disturbed`: something
    else slowed the core in all of its turns."""

    kind: ClassVar = Kind.NOT_MEASURED
    message: str = ""
    disturbed: bool = False


@dataclass(frozen=True)
class Limit:
    """Whether a client kept the limit, by each clock; None: there is no figure."""

    kind: ClassVar = Kind.LIMIT
    allowed_share: float
    wall: LimitAnswer | None
    cpu: LimitAnswer | None


@dataclass(frozen=True)
class PlacementAsked:
    """Over a link: a placement was asked for."""

    kind: ClassVar = Kind.PLACEMENT_ASKED
    placement: Placement


@dataclass(frozen=True)
class RoundsExcluded:
    """Rounds over a link that do not count. `reasons`: each once, the latest first."""

    kind: ClassVar = Kind.ROUNDS_EXCLUDED
    rounds: int
    of_rounds: int
    reasons: tuple[str, ...]


@dataclass(frozen=True)
class BatchesExcluded:
    """Batches over a link that do not count. `reasons`: each once."""

    kind: ClassVar = Kind.BATCHES_EXCLUDED
    batches: int
    of_batches: int
    reasons: tuple[str, ...]


@dataclass(frozen=True)
class AllHeldBack:
    """No client carries half of what TCP could; what the least and the most have in flight."""

    kind: ClassVar = Kind.ALL_HELD_BACK
    least_bytes: float
    most_bytes: float


@dataclass(frozen=True)
class TiersUnproven:
    """Pairs of clients in neighbouring tiers that were not shown to differ."""

    kind: ClassVar = Kind.TIERS_UNPROVEN
    pairs: int
    of_pairs: int


@dataclass(frozen=True)
class ModesMissed:
    """Some clients have modes. A mode that one process in `one_in` has stays unseen in
    `missed_share` of the runs with so many rounds."""

    kind: ClassVar = Kind.MODES_MISSED
    clients: int
    rounds: int
    one_in: int
    missed_share: float


@dataclass(frozen=True)
class OrderDiffers:
    """Clients were shown to be in the opposite order on another workload of the same exchanges,
    with another placement: `faster` and `slower`, as they are here, and so many pairs in all."""

    kind: ClassVar = Kind.ORDER_DIFFERS
    workload: str
    placement: Placement
    faster: str
    slower: str
    pairs: int


@dataclass(frozen=True)
class OtherBaseline:
    """The baseline that was asked for has no figures, so ratios are to another client."""

    kind: ClassVar = Kind.OTHER_BASELINE
    asked: str
    instead: str


@dataclass(frozen=True)
class ChecksUnclear:
    """So many self-checks could not tell. `not_tested`: the kinds of which none could."""

    kind: ClassVar = Kind.CHECKS_UNCLEAR
    checks: int
    of_checks: int
    not_tested: tuple[CheckKind, ...] = ()


@dataclass(frozen=True)
class TurnsDisturbed:
    """So many turns do not count: something else slowed the core. `rounds`: those in which it
    slowed all turns of all clients."""

    kind: ClassVar = Kind.TURNS_DISTURBED
    turns: int
    of_turns: int
    rounds: int = 0


@dataclass(frozen=True)
class ProbesApart:
    """Probes of the core's speed took so many times as long as others' quick ones with these
    clients, so all turns count."""

    kind: ClassVar = Kind.PROBES_APART
    clients: tuple[str, ...]
    ratios: tuple[float, ...]


@dataclass(frozen=True)
class Throttled:
    """A CPU quota stopped processes while they were measured, in so many of its periods. `seconds`:
    the sum over cores."""

    kind: ClassVar = Kind.THROTTLED
    periods: int
    seconds: float
    rounds: int
    of_rounds: int


@dataclass(frozen=True)
class ContentInMemory:
    """Clients keep so much content of an exchange, which costs more or less with what else a
    program has in memory. Told of the first such workload of a run."""

    kind: ClassVar = Kind.CONTENT_IN_MEMORY
    bytes: int


@dataclass(frozen=True)
class LinkAtFault:
    """The link is not what was asked for. `faults`: what its calibration found."""

    kind: ClassVar = Kind.LINK_AT_FAULT
    link: str
    faults: tuple[str, ...]


@dataclass(frozen=True)
class NothingCounts:
    """Every round over the link was left out. `reasons`: each once, the latest first."""

    kind: ClassVar = Kind.NOTHING_COUNTS
    link: str
    reasons: tuple[str, ...]


@dataclass(frozen=True)
class CheckFailed:
    """The first self-check that failed, and how many more did."""

    kind: ClassVar = Kind.CHECK_FAILED
    check: SelfCheck
    more: int


ClientEvidence = (
    Unsteady
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

WorkloadEvidence = (
    Limit
    | PlacementAsked
    | RoundsExcluded
    | BatchesExcluded
    | AllHeldBack
    | TiersUnproven
    | ModesMissed
    | OrderDiffers
    | OtherBaseline
    | ChecksUnclear
    | TurnsDisturbed
    | ProbesApart
    | Throttled
    | ContentInMemory
    | LinkAtFault
    | NothingCounts
    | CheckFailed
)
"""What is said of a workload, or of all clients on it."""

Evidence = ClientEvidence | WorkloadEvidence


@dataclass(frozen=True)
class Finding:
    """`subject`: ids of the clients that it is about; none: it is about the workload."""

    evidence: Evidence
    subject: tuple[str, ...] = ()
    advice: Advice | None = None

    @property
    def kind(self) -> Kind:
        """What kind of finding it is."""
        return self.evidence.kind
