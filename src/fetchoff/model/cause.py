"""Causes: what a diagnosis found in a recording, and what became of it when it was tried.

A cause says no more than it knows. It is *seen* (a pattern, with counts), *predicted* (what an
exchange would save without it), and *tried* (one factor toggled, both measured).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from fetchoff.model.client import Cure
from fetchoff.model.estimate import Estimate
from fetchoff.model.recording import Missing, Source


class Unit(StrEnum):
    """Units of facts."""

    NONE = ""
    MS = "ms"
    US = "µs"
    BYTES = "bytes"
    SHARE = "share"
    TEXT = "text"


@dataclass(frozen=True)
class Fact:
    """A named figure (or word) of the evidence, such as the median gap."""

    name: str
    value: float | str
    unit: Unit = Unit.NONE


@dataclass(frozen=True)
class Stretch:
    """A place on the time line: a connection from one moment to another (`CLOCK_REALTIME`)."""

    connection: int
    begin_ns: int
    end_ns: int

    @property
    def length_ns(self) -> int:
        return self.end_ns - self.begin_ns


@dataclass(frozen=True)
class KnownFault:
    """What is known of a fault of clients, in words.

    `numbers`: in the catalogue of faults (docs/findings.md). `signal`: how it shows. `reported`:
    where. `saw`: what is said of a cause: a sentence with its facts by name in braces, and {count}
    and {of}. `cure`: what its authors, or who uses the library, can do.
    """

    id: str
    numbers: tuple[int, ...]
    title: str
    signal: str
    reported: tuple[str, ...]
    saw: str
    cure: str


class Trial(StrEnum):
    """What the trial of a toggle showed.

    CONFIRMED: the interval of the saving covers the prediction, and not zero. IN_PART: it covers
    neither. NOT_THE_CAUSE: it covers zero although it could have told. UNDECIDED: it covers both,
    or is too wide to tell.
    """

    CONFIRMED = "confirmed"
    IN_PART = "in part"
    NOT_THE_CAUSE = "not the cause"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class Tried:
    """Both ways measured by the ordinary rules.

    `ratio`: cost with the toggle divided by the ordinary cost, wall time, with its interval.
    `saved_us`: what an exchange saves. `rounds`: fresh processes of each.
    """

    toggle: str
    ratio: Estimate
    saved_us: Estimate
    rounds: int
    trial: Trial


@dataclass(frozen=True)
class Cause:
    """A fault whose pattern was found. `fault`: its id.

    `count` of `of` exchanges show it (connections or calls where the rule counts those). `places`:
    where, the first few. `saves_us`: predicted wall time that an exchange saves without it, the
    mean over all exchanges; None where a replay can't tell. `waits_us`: of it, that in which nobody
    worked; None: all of it. `exchange_us`: what an exchange took in the recording. `rests_on`: the
    sources of the evidence. `cure`: what ends it in this library, None where that is not known.
    """

    fault: str
    count: int
    of: int
    exchange_us: float
    facts: tuple[Fact, ...] = ()
    places: tuple[Stretch, ...] = ()
    saves_us: float | None = None
    rests_on: tuple[Source, ...] = (Source.EVENTS,)
    tried: Tried | None = None
    cure: Cure | None = None
    waits_us: float | None = None


@dataclass(frozen=True)
class Diagnosis:
    """What is known of one client on one course.

    `cpu_us` and `origin_us`: NaN where the loop did not end, because they are read after it.
    `silent`: faults that could not be looked for, because a source is missing. `faults`: what went
    wrong on the way; the rest is told all the same.
    """

    client: str
    course: str
    exchange_us: float
    cpu_us: float
    origin_us: float
    causes: tuple[Cause, ...]
    missing: tuple[Missing, ...] = ()
    silent: tuple[str, ...] = field(default=())
    faults: tuple[str, ...] = field(default=())
