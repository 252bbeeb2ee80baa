"""A client across its releases: what was asked, which of them were compared, and what that says."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

from fetchoff.model.analysis import Relative
from fetchoff.model.cause import Cause, KnownFault
from fetchoff.model.course import Course
from fetchoff.model.estimate import Estimate, Verdict
from fetchoff.model.explanation import Explanation
from fetchoff.model.release import Release

CLOCKS = 2  # wall and CPU: a step by either of them is one


@dataclass(frozen=True)
class HistoryPlan:
    """Everything that is decided before the first comparison.

    `client`: its id without a version. `adapter`: that id, or its folder if it isn't shipped.
    `releases`: those of the search, oldest first. `alpha`: of all comparisons together, on both
    clocks. `budget_s`: seconds of measuring, over all comparisons. `repeats`: how many stretches
    may be compared a second time; histories of older versions have none.
    """

    client: str
    adapter: str
    course: Course
    releases: tuple[Release, ...]
    seed: int
    budget_s: float
    started: str
    fetchoff: str
    alpha: float = 0.01
    margin: float = 0.02
    repeats: int = 0

    @property
    def most_comparisons(self) -> int:
        """How many the search may make: the nodes of a tree that halves all gaps, and those that it
        repeats."""
        gaps = len(self.releases) - 1
        return max(2 * gaps - 1, 1) + self.repeats

    @property
    def alpha_of_one(self) -> float:
        """The error rate of one comparison on one clock: docs/decisions/0016-history.md."""
        return self.alpha / (CLOCKS * self.most_comparisons)


@dataclass(frozen=True)
class Measured:
    """A release, as one comparison measured it; per exchange. NaN: not counted."""

    version: str
    wall_us: Estimate
    cpu_us: Estimate
    peak_mb: float
    segments: float


@dataclass(frozen=True)
class OtherPackage:
    """A package beside the library that two releases were not resolved with alike: its version on
    each side, "" on a side without it."""

    name: str
    older: str
    newer: str


@dataclass(frozen=True)
class Compared:
    """Two releases that were measured against each other; ratios are newer ÷ older.

    `run`: the folder of the run, within that of the history. `withheld`: its figures must not be
    believed, so the verdicts do not count. `packages`: what else differs, by name.
    """

    older: Measured
    newer: Measured
    wall: Relative
    cpu: Relative
    rounds: int
    seconds: float
    run: str
    withheld: bool = False
    packages: tuple[OtherPackage, ...] = ()

    @property
    def differs(self) -> bool:
        """Whether one of them was shown to cost more, by one clock or both."""
        shown = {self.wall.verdict, self.cpu.verdict} & {Verdict.FASTER, Verdict.SLOWER}
        return bool(shown) and not self.withheld

    @property
    def agrees(self) -> bool:
        """Whether both clocks have shown that any difference is within the margin."""
        return not self.withheld and {self.wall.verdict, self.cpu.verdict} == {Verdict.EQUIVALENT}

    @property
    def apart(self) -> float:
        """How far apart the two are: the larger of the log-ratios."""
        return max(abs(math.log(one.ratio.point)) for one in (self.wall, self.cpu))

    @property
    def at_most(self) -> float:
        """The largest relative difference that the intervals leave open; infinite if any."""
        if self.withheld:
            return math.inf
        ends = [(one.ratio.low, one.ratio.high) for one in (self.wall, self.cpu)]
        return max(max(high - 1, 1 / low - 1 if low > 0 else math.inf) for low, high in ends)


class StretchKind(StrEnum):
    """What is known of the releases from one to a later one."""

    STEP = "step"
    LEVEL = "no step"
    UNCLEAR = "cannot tell"
    OPEN = "not measured"


@dataclass(frozen=True)
class Stretch:
    """From one measured release to a later one; of a step there is none between that can be had.

    `compared`: None if that was not measured. `between`: the releases in it.
    """

    older: str
    newer: str
    kind: StretchKind
    compared: Compared | None = None
    between: tuple[str, ...] = ()


@dataclass(frozen=True)
class Why:
    """What the recordings of the releases on both sides of a step show; None: not recorded."""

    step: Stretch
    older: Explanation | None
    newer: Explanation | None

    @property
    def gone(self) -> tuple[Cause, ...]:
        """The faults that only the older release has."""
        return _but(self.older, self.newer)

    @property
    def come(self) -> tuple[Cause, ...]:
        """The faults that only the newer release has."""
        return _but(self.newer, self.older)

    @property
    def kept(self) -> tuple[Cause, ...]:
        """The faults of both, as the newer release shows them."""
        new = {cause.fault for cause in self.come}
        return tuple(cause for cause in _causes(self.newer) if cause.fault not in new)

    @property
    def known(self) -> dict[str, KnownFault]:
        """The faults that are named, by their ids."""
        sides = (side for side in (self.older, self.newer) if side)
        return {name: fault for side in sides for name, fault in side.faults.items()}


def _causes(side: Explanation | None) -> tuple[Cause, ...]:
    return side.diagnosis.causes if side else ()


def _but(side: Explanation | None, other: Explanation | None) -> tuple[Cause, ...]:
    theirs = {cause.fault for cause in _causes(other)}
    return tuple(cause for cause in _causes(side) if cause.fault not in theirs)


@dataclass(frozen=True)
class PassedOver:
    """A release that could not be set up or measured."""

    version: str
    reason: str


@dataclass(frozen=True)
class SetupFailed:
    """A comparison in which a release could not be set up.

    `comparison`: the name of its run folder. `seconds`: how long it was measured, where it was
    interrupted and the release could not be set up again.
    """

    comparison: str
    version: str
    reason: str
    seconds: float = 0.0


@dataclass(frozen=True)
class SetupsFailed:
    """All of them in a search, in the order in which it came to them."""

    failed: tuple[SetupFailed, ...] = ()


class Limit(StrEnum):
    """Why a search may measure nothing more, whatever it still wants to know."""

    BUDGET = "budget"
    COMPARISONS = "comparisons"


@dataclass(frozen=True)
class History:
    """The result of a search. `compared`: in the order in which they were made. `stretches` are in
    order and leave nothing out.

    `unlocated`: stretches whose ends differ though neither half was shown to; their halves are
    among the `stretches`. `seconds`: of measuring, also where a release failed. `limit`: None if
    the search may go on.
    """

    plan: HistoryPlan
    compared: tuple[Compared, ...]
    stretches: tuple[Stretch, ...]
    unlocated: tuple[Compared, ...]
    passed_over: tuple[PassedOver, ...]
    seconds: float
    limit: Limit | None = None

    @property
    def span(self) -> tuple[str, str]:
        """The oldest and the newest release that was asked for."""
        releases = self.plan.releases
        return releases[0].version, releases[-1].version

    @property
    def steps(self) -> tuple[Stretch, ...]:
        return tuple(one for one in self.stretches if one.kind is StretchKind.STEP)

    @property
    def is_complete(self) -> bool:
        """Whether of each stretch it is known if there is a step; without any, nothing is known."""
        unknown = self.has(StretchKind.OPEN) or self.has(StretchKind.UNCLEAR)
        return bool(self.stretches) and not unknown

    def has(self, kind: StretchKind) -> bool:
        """Whether a stretch is of that kind."""
        return any(one.kind is kind for one in self.stretches)


@dataclass(frozen=True)
class HistoriesPlan:
    """The histories of many clients, one after the other. `last`: releases of each.

    `budget_s`: of all together. Each has an error rate of its own (`HistoryPlan.alpha`).
    """

    clients: tuple[str, ...]
    last: int
    course: Course
    seed: int
    budget_s: float
    started: str
    fetchoff: str


@dataclass(frozen=True)
class OfClient:
    """What became of one of them. `folder`: within that of all. `history`: None without one;
    `reason`: why there is none, or what cut it short. `seconds`: of measuring, also what is in no
    history."""

    client: str
    folder: str
    history: History | None
    reason: str = ""
    seconds: float = 0.0
