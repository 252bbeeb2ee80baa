"""Trials and their results as lines of JSON, so that several sessions can be combined."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING

from scipy.special import betaincinv

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

IDENTICAL = "identical"  # the part whose clients differ, nobody knows by how much
DIFFERENT = ("faster", "slower")
LEVEL = 0.95
NEAR = 1.35  # times as much, or as little, as was aimed at


@dataclass(frozen=True)
class Told:
    """The reported result of one metric: B ÷ A."""

    verdict: str
    ratio: float
    low: float
    high: float

    @property
    def is_different(self) -> bool:
        return self.verdict in DIFFERENT

    @property
    def has_interval(self) -> bool:
        """Whether it could say anything; with too few rounds it is undecided whatever differs."""
        return self.low > 0 and math.isfinite(self.high)

    def opposes(self, other: Told) -> bool:
        """One says faster, the other slower."""
        return {self.verdict, other.verdict} == set(DIFFERENT)

    def overlaps(self, other: Told) -> bool:
        return self.low <= other.high and other.low <= self.high


@dataclass(frozen=True)
class Trial:
    """One comparison. `truth`: B ÷ A as it really was, by metric; 0 where nobody knows it.

    Seconds: `whole_s` from the command to its end; `measured_s` of turns; `first_cpu_s` and
    `first_both_s` of turns until a planned look said more than "undecided" of CPU, of both metrics;
    0 if none did. `aim`: the share of its CPU time that was to be spun; for that `asked` was asked.
    `complete_rounds`: those that have both clients; `workload`: its id or file; both are None in
    trials of before they were kept.
    `withheld`: why nobody is to believe it, or "".
    """

    part: str
    client: str
    other: str
    seed: int
    disturbed: bool
    wall: Told
    cpu: Told
    wall_truth: float = 1.0
    cpu_truth: float = 1.0
    aim: float = 0.0
    asked: float = 0.0
    rounds: int = 0
    ended: str = ""
    withheld: str = ""
    whole_s: float = 0.0
    measured_s: float = 0.0
    first_cpu_s: float = 0.0
    first_both_s: float = 0.0
    complete_rounds: int | None = None
    workload: str | None = None

    @property
    def subject(self) -> str:
        """The client of the comparison; for a copy, the client that was copied."""
        return self.client.replace("/second-copy-of-", "/").replace("/copy-of-", "/")

    @property
    def is_on_target(self) -> bool:
        """Whether about as much was injected as planned; a larger effect is easier to find."""
        return not self.aim or 1 / NEAR <= (self.cpu_truth - 1) / self.aim <= NEAR

    @property
    def can_tell(self) -> bool:
        """Whether it might have been wrong: it is to be believed, and has an interval."""
        return not self.withheld and (self.wall.has_interval or self.cpu.has_interval)

    @property
    def is_false_alarm(self) -> bool:
        """Whether a trial without a difference was called different, and not withheld."""
        return not self.withheld and (self.wall.is_different or self.cpu.is_different)


@dataclass(frozen=True)
class RankingTrial:
    """One ranking of clients and their copies. `wrong_*`: equal pairs that were called different.

    `alone`: pairs of equals that are told apart if each is a comparison by itself, stopped and
    judged as `compare` does it, at an error rate of its own. `pairs_with_intervals`: the pairs of
    equals that could be; None in trials of before it was kept. `half_width`: the median of all
    clients but the baseline, which was among them before.
    """

    part: str
    clients: int
    seed: int
    disturbed: bool
    wrong_wall: tuple[tuple[str, str], ...]
    wrong_cpu: tuple[tuple[str, str], ...]
    pairs_of_equals: int
    half_width: float
    rounds: int = 0
    ended: str = ""
    withheld: str = ""
    whole_s: float = 0.0
    measured_s: float = 0.0
    alone: tuple[tuple[str, str], ...] = ()
    pairs_with_intervals: int | None = None

    @property
    def can_tell(self) -> bool:
        """Whether it might have been wrong, as far as that is known."""
        return not self.withheld and self.pairs_with_intervals != 0

    @property
    def pairs_to_tell(self) -> int:
        """The pairs of equals that might be told apart; all, where that was not kept."""
        known = self.pairs_with_intervals
        return self.pairs_of_equals if known is None else known

    @property
    def is_false_alarm(self) -> bool:
        return not self.withheld and bool(self.wrong_wall or self.wrong_cpu)


def write(path: Path, trial: DataclassInstance) -> None:
    """Append a line: a trial, or what another bench found."""
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(asdict(trial)) + "\n")


def read(path: Path) -> list[Trial | RankingTrial]:
    """All trials of a file; none if it does not exist."""
    if not path.exists():
        return []
    return [of_document(json.loads(line)) for line in path.read_text().splitlines()]


def of_document(document: dict[str, object]) -> Trial | RankingTrial:
    """A trial from its JSON; obsolete keys are ignored."""
    kind = RankingTrial if "wrong_wall" in document else Trial
    known = {field.name for field in fields(kind)}
    values = {key: _value(value) for key, value in document.items() if key in known}
    return kind(**values)  # type: ignore[arg-type]


def _value(value: object) -> object:
    if isinstance(value, dict):
        return Told(**value)
    if isinstance(value, list):
        return tuple(_value(item) for item in value)
    return value


def bounds(count: int, of: int) -> tuple[float, float]:
    """Clopper and Pearson's one-sided bounds of a proportion, each at 95 %: low, high."""
    low = float(betaincinv(count, of - count + 1, 1 - LEVEL)) if count else 0.0
    high = float(betaincinv(count + 1, of - count, LEVEL)) if count < of else 1.0
    return low, high


def share(trials: Iterable[object], of: Sequence[object]) -> str:
    """`3 of 100: 3.0 % (0.8 to 7.6)`."""
    count = sum(1 for _ in trials)
    if not of:
        return "of none"
    low, high = bounds(count, len(of))
    return f"{count} of {len(of)}: {count / len(of):.1%} ({low:.1%} to {high:.1%})"
