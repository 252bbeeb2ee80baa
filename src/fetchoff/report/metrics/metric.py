"""What a metric is: a figure of a client on a workload, and how tables and files name it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

from fetchoff.model.analysis import ClientCard, RankingRow, WorkloadResult
from fetchoff.model.estimate import Estimate

Value = float | str | Estimate | tuple[int, int] | None


class Surface(StrEnum):
    """Where metrics are shown."""

    TERMINAL = "terminal"
    PAGE = "report.html"
    CSV = "results.csv"


class Form(StrEnum):
    """What the values of a metric are. A ratio is an estimate relative to the baseline's."""

    NUMBER = "number"
    TEXT = "text"
    ESTIMATE = "estimate"
    RATIO = "ratio"
    TIERS = "tiers"


class Topic(StrEnum):
    """What a metric is about."""

    TIER = "tier"
    RATIO = "ratio"
    VERDICT = "verdict"
    COST = "cost"
    PARSER = "parser"
    THROUGHPUT = "throughput"
    IN_FLIGHT = "in flight"
    MEMORY = "memory and start-up"
    WIRE = "on the wire"
    PROGRAM = "sample program"


class Shown(StrEnum):
    """On which workloads tables show a metric."""

    ALWAYS = "on every workload"
    KNOWN = "where at least one client has a figure"
    TRUSTED = "where the ranking is not withheld"
    BULK = "where an exchange moves 100 kB or more, if a client has a figure"
    PARSED = "where a kit parses documents"
    READ_IN_PIECES = "where content is streamed, or the workload sets the read size"


@dataclass(frozen=True)
class Entry:
    """A client on a workload, with everything that a metric may tell of it."""

    standing: RankingRow
    result: WorkloadResult
    card: ClientCard | None

    @property
    def is_baseline(self) -> bool:
        """Whether ratios are relative to this client."""
        return self.standing.client == self.result.baseline


@dataclass(frozen=True)
class Interval:
    """The terminal's column for the interval of a ratio. `priority`: as that of a metric."""

    name: str
    priority: int


KEPT = 1000
"""The priority of a column that a narrow terminal never drops."""

DETAIL = "a detail that tables have no room for"
"""Why files alone have a metric."""


@dataclass(frozen=True, kw_only=True)
class Metric:
    """One figure of a client on a workload.

    `key`: its name in results.csv, with the unit. `member`: where an `Entry` holds it, and so does
    results.json: `standing` is a member of `results[].standings`, `result` of `results`, `card` of
    `cards`. `heading`: in one line, for the terminal; `label` and `unit`: in two lines, for
    report.html. `name`: what the terminal calls it if it has no room for it; metrics of one name
    are dropped together, and the lowest `priority` first. `decimals`: the most that a table shows.
    `per`: what a table divides the value by, to show it in `unit`. `first`: how a click on the
    heading sorts. `column`: its place in results.csv, which never changes; a new metric takes the
    next number. `absent`: why a surface does not show it.
    """

    key: str
    member: str
    topic: Topic
    heading: str
    label: str
    unit: str
    name: str
    explanation: str
    anchor: str
    form: Form = Form.NUMBER
    shown: Shown = Shown.ALWAYS
    decimals: int = 0
    per: float = 1
    first: Literal["ascending", "descending"] = "ascending"
    priority: int = 0
    interval: Interval | None = None
    column: int | None = None
    absent: Mapping[Surface, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if (self.column is None) != (Surface.CSV in self.absent):
            raise ValueError(f"{self.key} needs a column or a reason to have none")
        if (self.interval is None) == (self.form is Form.RATIO):
            raise ValueError(f"{self.key}: ratios, and nothing else, have a column of intervals")

    def value(self, entry: Entry) -> Value:
        """The value as it was measured, in the unit of `key`; None: there is none."""
        found: object = entry
        for name in self.member.split("."):
            if found is None:
                return None
            found = getattr(found, name)
        if found is None or isinstance(found, int | float | str | Estimate | tuple):
            return found
        raise TypeError(f"{self.member} is a {type(found).__name__}, which no table can show")

    def figure(self, entry: Entry) -> float | None:
        """The number that a table shows, in `unit`; of an estimate, the point."""
        value = self.value(entry)
        if isinstance(value, Estimate):
            value = value.point
        return value / self.per if isinstance(value, int | float) else None

    def is_known(self, entry: Entry) -> bool:
        """Whether there is a value, and no infinity or NaN."""
        value = self.value(entry)
        return value is not None and not (isinstance(value, float) and not math.isfinite(value))
