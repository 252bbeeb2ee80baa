"""The checks of a run on itself, as types. Plain data; `report/wording` puts them into words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from fetchoff.model.estimate import Estimate


class CheckKind(StrEnum):
    """What is asked: docs/analysis.md#self-checks and #accounts."""

    SAME = "a/a"
    BUSY = "busy time"
    MORE = "more requests"
    TREND = "trend"
    COMMON_TREND = "common trend"
    POSITION = "position"
    BATCH_POSITION = "batch position"
    FIRST_BATCH = "first batches"
    CPU_ACCOUNT = "cpu account"
    WALL_ACCOUNT = "wall account"
    REQUEST_ACCOUNT = "request account"
    PLACEMENT = "placement"


ACCOUNTS = frozenset(
    {
        CheckKind.CPU_ACCOUNT,
        CheckKind.WALL_ACCOUNT,
        CheckKind.REQUEST_ACCOUNT,
        CheckKind.PLACEMENT,
    }
)
"""Two parties keep them: readings must agree, and no chance is involved."""


class CheckOutcome(StrEnum):
    """`inconclusive`: too few rounds or too much noise to tell."""

    PASSED = "passed"
    FAILED = "failed"
    INCONCLUSIVE = "inconclusive"


@dataclass(frozen=True)
class Reading:
    """One reading of an account, as a share of what it must be.

    `client` and `round` (from 0): whose it is; "" and None where it belongs to no client or to no
    round. `host`: as in the record. `place`: what was found elsewhere than planned, in the words of
    the record, or "".
    """

    share: float
    client: str = ""
    round: int | None = None
    place: str = ""
    host: str = ""


@dataclass(frozen=True)
class SelfCheck:
    """One check of the run on itself.

    `expected`, `estimate` and `tolerance` are in `unit` ("ratio"). `metric`: "wall", "cpu",
    "requests" or "". `tolerance`: how far from `expected` the estimate may lie; None where the
    check states no such distance. `client`: whom a failed check names, or "". `count`: processes,
    rounds or groups that were asked, or readings of an account. `worst`: the reading that refutes
    an account. `least_fault`: how far from `expected` the truth must be for the check to fail with
    a probability of 90 %, by the noise that it met; None of an account, and where too little was
    asked.
    """

    kind: CheckKind
    kit: str
    client: str
    workload: str
    metric: str
    unit: str
    expected: float
    estimate: Estimate | None
    outcome: CheckOutcome
    tolerance: float | None = None
    count: int = 0
    worst: Reading | None = None
    least_fault: float | None = None


class Answered(Protocol):
    """A check of which it is known how it came out, measured here or read from a file."""

    @property
    def kind(self) -> str: ...

    @property
    def client(self) -> str: ...

    @property
    def outcome(self) -> CheckOutcome: ...


def withholds(check: Answered) -> bool:
    """Whether a check failed so that the ranking must not be believed.

    One client that is not steady is told beside it, and is no fault of the measurement.
    """
    is_of_one = check.kind == CheckKind.TREND and check.client
    return check.outcome is CheckOutcome.FAILED and not is_of_one


def not_tested(checks: Sequence[SelfCheck]) -> tuple[CheckKind, ...]:
    """The kinds none of whose checks could tell."""
    told = {check.kind for check in checks if check.outcome is not CheckOutcome.INCONCLUSIVE}
    return tuple(kind for kind in dict.fromkeys(c.kind for c in checks) if kind not in told)
