"""What a run says: computed from its observations, shown by the report. Plain data."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from fetchoff.model.estimate import Estimate, Verdict
from fetchoff.model.experiment import Role
from fetchoff.model.observation import Outcome


class CheckOutcome(StrEnum):
    """`inconclusive`: too few rounds or too much noise to tell."""

    PASSED = "passed"
    FAILED = "failed"
    INCONCLUSIVE = "inconclusive"


@dataclass(frozen=True)
class SelfCheck:
    """One check of the run on itself.

    `kind`: "a/a", "more requests" or "busy time". `expected` and `estimate` in `unit` ("ratio");
    `metric` is "wall" or "cpu". `tolerance`, in the same unit: how far from
    `expected` the estimate may lie; None where the check states no such distance.
    """

    kind: str
    kit: str
    client: str
    workload: str
    metric: str
    unit: str
    expected: float
    estimate: Estimate | None
    outcome: CheckOutcome
    text: str
    tolerance: float | None = None


@dataclass(frozen=True)
class Relative:
    """A client against the baseline: ratio below 1 is cheaper or faster."""

    ratio: Estimate
    verdict: Verdict


@dataclass(frozen=True)
class Costs:
    """Absolute figures of a client on a workload, an exchange each, medians over rounds.

    Microseconds, but `per_second` (exchanges), `peak_mb` (MB of 10^6 bytes) and shares.
    """

    wall_us: Estimate
    cpu_us: Estimate
    user_us: float
    system_us: float
    origin_cpu_us: float
    cpu_per_wall: float
    per_second: float
    peak_mb: float
    start_up_ms: float


@dataclass(frozen=True)
class OnTheWire:
    """What the origin's ledger says of the measured batches."""

    connections: float  # per round
    exchanges_per_connection: float | None
    segments_per_exchange: float
    bytes_in_per_exchange: float
    bytes_out_per_exchange: float


@dataclass(frozen=True)
class Standing:
    """One client on one workload.

    `tiers`: (best, worst) tier that it can be in, from 1; None: not ranked.
    """

    client: str
    role: Role
    outcome: Outcome
    message: str
    rounds: int
    tiers: tuple[int, int] | None = None
    wall: Relative | None = None
    cpu: Relative | None = None
    costs: Costs | None = None
    wire: OnTheWire | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class WorkloadResult:
    """A workload's ranking, best first; `withheld`: why it must not be believed, or ""."""

    workload: str
    about: str
    placement: str
    baseline: str
    rounds: int
    standings: tuple[Standing, ...]
    checks: tuple[SelfCheck, ...]
    withheld: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class ClientCard:
    """What the report shows of a client beside its figures."""

    client: str
    kind: str
    about: str
    homepage: str
    version: str
    runtime: str
    engine: str
    kit: str
    source_name: str
    source: str
    adapter_lines: int


@dataclass(frozen=True)
class Point:
    """One batch, for the plot of observations in run order. Microseconds an exchange."""

    order: int
    round: int
    block: int
    client: str
    wall_us: float
    cpu_us: float


@dataclass(frozen=True)
class Analysis:
    """Everything that tables, CSV, JSON and report.html show of one run."""

    run_id: str
    title: str
    started: str
    ended_reason: str
    seconds: float
    seed: int
    alpha: float
    margin: float
    level: float
    results: tuple[WorkloadResult, ...]
    cards: tuple[ClientCard, ...]
    points: dict[str, tuple[Point, ...]]
    environment: dict[str, str]
    notes: tuple[str, ...] = ()
