"""What is said of a workload, or of all clients on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from fetchoff.model.check import CheckKind, SelfCheck
from fetchoff.model.estimate import LimitAnswer
from fetchoff.model.finding.kinds import Clock, Kind
from fetchoff.model.workload import Placement


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
    """Clients were shown to be in the opposite order, by one clock, on another workload of the same
    exchanges, with another placement: `faster` and `slower`, as they are here, and so many pairs in
    all."""

    kind: ClassVar = Kind.ORDER_DIFFERS
    workload: str
    placement: Placement
    clock: Clock
    faster: str
    slower: str
    pairs: int


@dataclass(frozen=True)
class RatioDiffers:
    """So many clients were shown to cost another ratio to the baseline on another workload of the
    same exchanges, with another placement. `client`: the one whose ratios differ most, `ratio` here
    and `elsewhere`."""

    kind: ClassVar = Kind.RATIO_DIFFERS
    workload: str
    placement: Placement
    clock: Clock
    client: str
    ratio: float
    elsewhere: float
    clients: int


@dataclass(frozen=True)
class OtherBaseline:
    """The baseline that was asked for has no figures, or too few rounds for an interval, so ratios
    are to another client."""

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


WorkloadEvidence = (
    Limit
    | PlacementAsked
    | RoundsExcluded
    | BatchesExcluded
    | AllHeldBack
    | TiersUnproven
    | ModesMissed
    | OrderDiffers
    | RatioDiffers
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
