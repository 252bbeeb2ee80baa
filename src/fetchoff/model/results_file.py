"""What `results.json` says, as types: as much as pages that are made from many runs need.

docs/results.schema.json describes the file. A number that is None was not finite.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from fetchoff.model.cause import Cause, Trial, Tried
from fetchoff.model.check import CheckOutcome
from fetchoff.model.claim import ClaimVerdict
from fetchoff.model.client import Cure
from fetchoff.model.estimate import Estimate, Verdict
from fetchoff.model.experiment import Role
from fetchoff.model.host import ClientOnHost, cards_on
from fetchoff.model.observation import Outcome
from fetchoff.model.release import Release


@dataclass(frozen=True, slots=True)
class StoredEstimate:
    """An estimate as it was stored."""

    point: float | None
    low: float | None
    high: float | None
    level: float

    @property
    def estimate(self) -> Estimate:
        """The same with NaN and infinities."""
        return Estimate(
            math.nan if self.point is None else self.point,
            -math.inf if self.low is None else self.low,
            math.inf if self.high is None else self.high,
            self.level,
        )


@dataclass(frozen=True, slots=True)
class StoredRelative:
    """A client against the baseline of its course. `verdict`: None where that is withheld."""

    ratio: StoredEstimate
    verdict: Verdict | None

    @property
    def word(self) -> str:
        """The verdict as it is written; "" where there is none."""
        return self.verdict.value if self.verdict else ""


@dataclass(frozen=True, slots=True)
class StoredCosts:
    """Absolute figures, per exchange."""

    wall_us: StoredEstimate
    cpu_us: StoredEstimate
    peak_mb: float | None


@dataclass(frozen=True, slots=True)
class StoredStanding:
    """A client on a course. `tiers`: best and worst, None if it has none."""

    client: str
    role: Role
    outcome: Outcome
    message: str
    rounds: int
    tiers: tuple[int, int] | None
    wall: StoredRelative | None
    cpu: StoredRelative | None
    costs: StoredCosts | None
    notes: tuple[str, ...]

    @property
    def is_ranked(self) -> bool:
        """Whether it has a place among others."""
        return self.role is Role.RANKED and self.is_measured and self.tiers is not None

    @property
    def is_measured(self) -> bool:
        """Whether it has figures that may be trusted."""
        return self.outcome is Outcome.OK and self.costs is not None


@dataclass(frozen=True, slots=True)
class StoredCheck:
    """A self-check, and what it showed in words. `client`: whom it names, or ""."""

    kind: str
    client: str
    outcome: CheckOutcome
    text: str


@dataclass(frozen=True, slots=True)
class StoredProfile:
    """One direction of a link; None: not emulated."""

    delay_ms: float
    jitter_ms: float
    rate_mbit_s: float | None
    loss: float


@dataclass(frozen=True, slots=True)
class StoredAsked:
    """A link as it was asked for."""

    id: str
    about: str
    source: str
    up: StoredProfile
    down: StoredProfile


@dataclass(frozen=True, slots=True)
class StoredLink:
    """The link of a course."""

    asked: StoredAsked


@dataclass(frozen=True, slots=True)
class StoredCourse:
    """The ranking of a course. `withheld`: why it doesn't count, "" if it does. `host`: of a fleet,
    who measured it."""

    workload: str
    about: str
    placement: str
    baseline: str
    rounds: int
    standings: tuple[StoredStanding, ...]
    checks: tuple[StoredCheck, ...]
    withheld: str
    notes: tuple[str, ...]
    link: StoredLink | None = None
    host: str = ""


@dataclass(frozen=True, slots=True)
class StoredHost:
    """A host of a fleet. `lost`: why it didn't go on to the end, "" if it did. `seconds`: of
    measuring there. `unlike`: clients that aren't there as `cards` has them. `origin`: its own, ""
    if it's that of the run. Older files don't tell these three."""

    id: str
    lost: str
    environment: dict[str, str]
    notes: tuple[str, ...]
    seconds: float | None = None
    unlike: tuple[ClientOnHost, ...] = ()
    origin: str = ""


@dataclass(frozen=True, slots=True)
class StoredCard:
    """What is known of a client besides its figures."""

    client: str
    kind: str
    about: str
    homepage: str
    version: str
    runtime: str
    engine: str
    adapter_lines: int


@dataclass(frozen=True, slots=True)
class StoredClaim:
    """A published claim, and what a run says of it."""

    id: str
    text: str
    measure: str
    published: str
    measured: StoredEstimate | None
    verdict: ClaimVerdict
    reason: str


@dataclass(frozen=True, slots=True)
class StoredReport:
    """Where a comparison was reported, if no article has it."""

    source: str
    stated: str
    versions: str
    unstated: str
    here: str


@dataclass(frozen=True, slots=True)
class StoredArticle:
    """A source of claims. `year`: 0 if it tells none. `report`: None for an article."""

    id: str
    title: str
    year: int
    report: StoredReport | None
    claims: tuple[StoredClaim, ...]


@dataclass(frozen=True, slots=True)
class StoredTried:
    """What became of a cause when one factor was changed."""

    toggle: str
    ratio: StoredEstimate
    saved_us: StoredEstimate
    rounds: int
    trial: Trial


@dataclass(frozen=True, slots=True)
class StoredCause:
    """A fault that was found in a client. What its facts say stays in the report."""

    fault: str
    count: int
    of: int
    exchange_us: float | None
    saves_us: float | None = None
    tried: StoredTried | None = None
    cure: Cure | None = None

    @property
    def cause(self) -> Cause:
        """The same, as the rules found it."""
        return Cause(
            fault=self.fault,
            count=self.count,
            of=self.of,
            exchange_us=math.nan if self.exchange_us is None else self.exchange_us,
            saves_us=self.saves_us,
            tried=_tried(self.tried) if self.tried else None,
            cure=self.cure,
        )


def _tried(stored: StoredTried) -> Tried:
    ratio, saved_us = stored.ratio.estimate, stored.saved_us.estimate
    return Tried(stored.toggle, ratio, saved_us, stored.rounds, stored.trial)


@dataclass(frozen=True, slots=True)
class StoredDiagnosis:
    """What was found in a client on a course. `silent`: faults that couldn't be looked for."""

    client: str
    course: str
    causes: tuple[StoredCause, ...]
    silent: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StoredFault:
    """A known fault in words."""

    id: str
    title: str
    signal: str
    reported: tuple[str, ...]
    cure: str


@dataclass(frozen=True, slots=True)
class StoredExplanation:
    """A diagnosis, and the faults that it names. `host`: of a fleet, who explained it."""

    diagnosis: StoredDiagnosis
    known: tuple[StoredFault, ...]
    host: str = ""


@dataclass(frozen=True, slots=True)
class ResultsFile:
    """The `results.json` of a run. `hosts`: of a fleet; otherwise `environment` is the machine."""

    schema: int
    run_id: str
    title: str
    started: str
    ended_reason: str
    seconds: float | None
    seed: int
    alpha: float
    margin: float
    level: float
    results: tuple[StoredCourse, ...]
    cards: tuple[StoredCard, ...]
    environment: dict[str, str]
    notes: tuple[str, ...]
    origin: str = ""
    article: StoredArticle | None = None
    explanations: tuple[StoredExplanation, ...] = ()
    hosts: tuple[StoredHost, ...] = ()

    def on(self, host: StoredHost) -> ResultsFile:
        """What one of the hosts says by itself, as if it were a run of its own.

        It has a part of the run's error rate, as its ratios say.
        """
        own = tuple(one for one in self.results if one.host == host.id)
        level = next(_levels(own), self.level)
        lost = (f"{host.id} was lost: {host.lost}",) if host.lost else ()
        return replace(
            self,
            run_id=f"{self.run_id}-{host.id}",
            title=f"{self.title}, on {host.id}",
            seconds=host.seconds,
            alpha=1 - level,
            level=level,
            results=own,
            cards=cards_on(host.unlike, self.cards),
            origin=host.origin or self.origin,
            environment=host.environment,
            notes=(*self.notes, *lost, *host.notes),
            explanations=tuple(one for one in self.explanations if one.host == host.id),
            hosts=(),
        )


def _levels(courses: Iterable[StoredCourse]) -> Iterator[float]:
    """Of all intervals: with too few rounds for one, a ratio has none, and its level is 0."""
    ratios = (one.wall.ratio for course in courses for one in course.standings if one.wall)
    return (ratio.level for ratio in ratios if ratio.level)


@dataclass(frozen=True, slots=True)
class StoredRelease:
    """A release, as one comparison of a history measured it."""

    version: str
    wall_us: StoredEstimate
    cpu_us: StoredEstimate


@dataclass(frozen=True, slots=True)
class StoredComparison:
    """Two releases against each other; ratios are newer ÷ older.

    `run`: the folder of their run, within that of the history. `withheld`: they don't count.
    """

    older: StoredRelease
    newer: StoredRelease
    wall: StoredRelative
    cpu: StoredRelative
    rounds: int
    run: str
    withheld: bool


@dataclass(frozen=True, slots=True)
class HistoryFile:
    """The `results.json` of a history."""

    client: str
    workload: str
    headline: str
    complete: bool
    releases: tuple[Release, ...]
    compared: tuple[StoredComparison, ...]
    notes: tuple[str, ...]
