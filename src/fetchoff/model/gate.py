"""What a gate finds: whether head is slower than base, and how sure that is. Plain data."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from fetchoff.model.estimate import Estimate
from fetchoff.model.finding import Clock, Finding
from fetchoff.model.witness import Witness

BASE, HEAD = "base", "head"


class Answer(StrEnum):
    """Of one comparison. `faster` is a special case of `not slower`."""

    FASTER = "faster"
    NOT_SLOWER = "not slower"
    SLOWER = "slower"
    CANNOT_TELL = "cannot tell"


class End(StrEnum):
    """Of a gate as a whole."""

    NOT_SLOWER = "not slower"
    SLOWER = "slower"
    CANNOT_TELL = "cannot tell"


@dataclass(frozen=True)
class Judged:
    """Head against base on a course, by one clock. `ratio`: head ÷ base, with the interval that
    this comparison has alone; `base_us`, `head_us`: microseconds an exchange. `enough`: rounds that
    would probably tell what is not told; None: no more are needed, or none that a run may have.
    `clocks_apart`: the clocks of a side are further apart than what is to be judged, so no number
    of rounds tells anything by this one."""

    workload: str
    clock: Clock
    ratio: Estimate
    answer: Answer
    rounds: int
    base_us: Estimate
    head_us: Estimate
    enough: int | None = None
    clocks_apart: bool = False


@dataclass(frozen=True)
class Again:
    """A second process of base against base: no difference is right. `differs`: one was called."""

    workload: str
    clock: Clock
    ratio: Estimate
    differs: bool


@dataclass(frozen=True)
class Lost:
    """Rounds of a course, counted from 0, in which base or head broke down, and so has no figures.

    `message`: what happened the last time, to head if it did so at all. `of_rounds`: all of them.
    `controls`: rounds in which a further process of base broke down. `given_up`: which of the two,
    BASE or HEAD, have broken down too often to be tried again, so that nothing more is measured.
    """

    workload: str
    base: tuple[int, ...]
    head: tuple[int, ...]
    of_rounds: int
    message: str
    controls: tuple[int, ...] = ()
    given_up: tuple[str, ...] = ()

    @property
    def is_of_head(self) -> bool:
        """Whether head broke down more often than base."""
        return len(self.head) > len(self.base)


@dataclass(frozen=True)
class TrackRecord:
    """How often this repository's gates called base different from base. `bound`: the upper end of
    an exact 95 % interval for the share."""

    gates: int
    differed: int
    bound: float


@dataclass(frozen=True)
class Side:
    """Base or head. `built_from`: the user's source trees, by name; none: as released."""

    client: str
    version: str
    built_from: tuple[str, ...] = ()


@dataclass(frozen=True)
class Gate:
    """Everything that a gate reports.

    `alpha`: the error rate of all comparisons together. `budget_needed`: seconds after which all
    would probably be told, where something is not; None: none that a run may have. `withheld`: why
    the figures must not be believed. `lost`: rounds in which a side broke down. `findings`: what
    else a reader must know, each with its workload. `record`: with this gate, where one is kept.
    """

    run_id: str
    started: str
    base: Side
    head: Side
    alpha: float
    margin: float
    end: End
    rows: tuple[Judged, ...]
    again: tuple[Again, ...]
    seconds: float
    budget_s: float
    seed: int
    budget_needed: int | None = None
    withheld: Finding | None = None
    lost: tuple[Lost, ...] = ()
    findings: tuple[tuple[str, Finding], ...] = ()
    witnesses: tuple[Witness, ...] = ()
    record: TrackRecord | None = None

    @property
    def has_broken_head(self) -> bool:
        """Whether head broke down more often than base on some workload: then nobody knows whether
        it is as good."""
        return any(one.is_of_head for one in self.lost)

    @property
    def differs_from_itself(self) -> bool:
        """Whether base was called different from base."""
        return any(one.differs for one in self.again)
