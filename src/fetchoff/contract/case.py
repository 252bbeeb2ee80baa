"""One case of the contract: a workload, what is run of it, and who judges."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum

from fetchoff.model.observation import Seen
from fetchoff.model.workload import Workload
from fetchoff.protocol.adapter import Done
from fetchoff.protocol.origin import Counters


class CaseVerdict(StrEnum):
    """How a case ended."""

    PASSED = "passed"
    FAILED = "failed"
    UNSUPPORTED = "unsupported"
    KNOWN_FAULT = "known fault"


@dataclass(frozen=True)
class Result:
    """`text`: the fault, why it is known, or the feature that the client does not have.

    A case that passed only when it was tried again has the fault of the earlier try.
    """

    case: str
    verdict: CaseVerdict
    text: str = ""


@dataclass(frozen=True)
class CaseEvidence:
    """What a case's judge sees. From `wall_s` on it is read from outside.

    `waited_ns`: for which its threads were ready to run, and others ran.
    """

    answer: Done
    seen: Seen
    counters: Counters
    right_sha256: tuple[str, ...]
    wall_s: float
    cpu_ns: int
    peak_growth_kb: int
    waited_ns: int = 0


Judge = Callable[[CaseEvidence], str]


@dataclass(frozen=True)
class Case:
    """`judge` returns the fault, or "".

    `digest`: ask for digests (one iteration). `fails`: the exchanges are meant to fail, so there is
    no reference. `elsewhere`: another port than the origin's ("closed", "black hole"). `first`: one
    iteration goes before those that are judged. `trusts`: the origin's authority is told.
    `features`: what is needed besides the workload's own.
    """

    name: str
    workload: Workload
    judge: Judge
    iterations: int = 1
    digest: bool = False
    fails: bool = False
    elsewhere: str = ""
    busy_ns: int = 0
    first: bool = False
    trusts: bool = True
    features: tuple[str, ...] = field(default=())
