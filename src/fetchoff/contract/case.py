"""One case of the contract: a workload, how it is run, and the judge of the result."""

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

    A case that passed only when it was tried again has the fault of the earlier try. `broke`: the
    adapter broke the protocol, as one that ends or hangs does.
    """

    case: str
    verdict: CaseVerdict
    text: str = ""
    broke: bool = False


@dataclass(frozen=True)
class CaseEvidence:
    """What the judge of a case sees. `wall_s` and the fields after it are measured from outside.

    `waited_ns`: how long the client's threads were ready to run but waited for a core.
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

    `digest`: ask for digests (one iteration). `thrice`: run an iteration without digests before
    that one, and another after it, and judge all three. `fails`: the exchanges are meant to fail,
    so there is no reference. `elsewhere`: use another address than the origin's (those of
    `elsewhere.address`). `first`: run one iteration before those that are judged. `trusts`: give
    the client the origin's certificate authority. `features`: required features besides those of
    the workload. `otherwise`: a harder case, tried if this one fails; whoever passes it has passed.
    """

    name: str
    workload: Workload
    judge: Judge
    iterations: int = 1
    digest: bool = False
    thrice: bool = False
    fails: bool = False
    elsewhere: str = ""
    busy_ns: int = 0
    first: bool = False
    trusts: bool = True
    features: tuple[str, ...] = field(default=())
    otherwise: Case | None = None
