"""The results of a run, computed from its observations and shown by the report. Plain data."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from fetchoff.model.check import SelfCheck
from fetchoff.model.estimate import Estimate, Verdict
from fetchoff.model.experiment import Role
from fetchoff.model.explanation import Explanation
from fetchoff.model.finding import ClocksApart, Finding
from fetchoff.model.judgement import Reproduction
from fetchoff.model.link import Calibration, Link
from fetchoff.model.observation import Outcome
from fetchoff.model.pairwise import Pairwise


@dataclass(frozen=True, slots=True)  # a large fleet has millions
class Relative:
    """A client against the baseline: ratio below 1 is cheaper or faster.

    `verdict`: None where the ranking is withheld.
    """

    ratio: Estimate
    verdict: Verdict | None

    @property
    def word(self) -> str:
        """The verdict as it is written; "" where there is none."""
        return self.verdict.value if self.verdict else ""


@dataclass(frozen=True)
class Throughput:
    """How fast, and at what cost, a client transfers content, for workloads with large content.

    `bytes_per_exchange` are those of both directions, heads included, as the origin's ledger
    counted them; where there is no such count, the content that the workload expects. MB are 10^6
    bytes and GB 10^9; `cpu_s_per_gb` is CPU time of the client.
    """

    bytes_per_exchange: float
    mb_per_second: Estimate
    cpu_s_per_gb: Estimate


@dataclass(frozen=True)
class Costs:
    """Absolute figures of a client on a workload, per exchange.

    Over rounds, times are geometric means, so that their quotients are those of the rounds.
    `peak_mb`, `start_up_ms` and `first_us` are medians, because one process that starts late or
    collects late says little of the others. `among_others_us`, `parser_us` and the share of user
    time are totals over all rounds.

    Microseconds, but `per_second` (exchanges), `peak_mb` (MB of 10^6 bytes) and shares.
    `origin_cpu_per_wall`: the share of the wall time in which the origin was on a CPU; above 1 if
    it has more threads than one. It and `origin_cpu_us` are NaN where nobody could read the
    origin's clock. `throughput`: None where an exchange moves little. Other regimes than the steady
    one: `first_us`, wall time of a process's first exchange on the workload, and `among_others_us`,
    CPU time of an exchange right after others had the core and the caches. `parser_us`: wall time
    in its kit's JSON parser, by the adapter's own clock; None where that is not used.
    `split_within_us`: user and system time are sampled, and so far off at most (95 %).
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
    origin_cpu_per_wall: float = math.nan
    throughput: Throughput | None = None
    first_us: float = math.nan
    among_others_us: float = math.nan
    parser_us: float | None = None
    split_within_us: float = math.nan


@dataclass(frozen=True)
class OnTheWire:
    """Network traffic of the measured batches by the origin's ledger; NaN if it isn't counted."""

    connections: float  # per round
    exchanges_per_connection: float | None
    segments_per_exchange: float
    bytes_in_per_exchange: float
    bytes_out_per_exchange: float


@dataclass(frozen=True)
class InFlight:
    """Estimates of how much a client has in flight over a link on average; None: not applicable.

    `bytes`: of content, in the direction in which more goes; `of_bytes`: what the link could carry
    in a round trip. `exchanges`: where several are asked for at a time, `of_exchanges` of them.
    """

    bytes: float | None = None
    of_bytes: float | None = None
    exchanges: float | None = None
    of_exchanges: int | None = None


@dataclass(frozen=True)
class Curve:
    """CPU time of the n-th exchange of a process during warm-up, median over rounds.

    `exchanges` are ends of steps: `cpu_us[i]` is the mean of the exchanges after `exchanges[i-1]`,
    up to `exchanges[i]`. Steps of which less than half was observed are left out. `from_start`: of
    the rounds in which the process began with this workload, and only those; else there are none
    such, and it had been on others before. `unsteady`: of `rounds`, those in which a trend was left
    at the end.
    """

    exchanges: tuple[int, ...]
    cpu_us: tuple[float, ...]
    rounds: int
    unsteady: int
    from_start: bool


@dataclass(frozen=True)
class RankingRow:
    """One client on one workload.

    `tiers`: (best, worst) tier that it can be in, from 1; None: not ranked. `reason`: why it has no
    figures, or not those of every round; None: it has all. `findings`: what else a reader must
    know. `in_flight`: set over links only. `curve`: None if its warm-up was not recorded.
    """

    client: str
    role: Role
    outcome: Outcome
    rounds: int
    reason: Finding | None = None
    tiers: tuple[int, int] | None = None
    wall: Relative | None = None
    cpu: Relative | None = None
    costs: Costs | None = None
    wire: OnTheWire | None = None
    findings: tuple[Finding, ...] = ()
    in_flight: InFlight | None = None
    curve: Curve | None = None

    @property
    def has_wall_withheld(self) -> bool:
        """Whether two clocks are further apart than it and the baseline in wall time."""
        evidence = (found.evidence for found in self.findings)
        return any(isinstance(one, ClocksApart) and one.withheld for one in evidence)

    @property
    def clocks_apart(self) -> float:
        """How far its adapter's own clock is off the harness's; 0 if it is not worth telling."""
        own = (found.evidence for found in self.findings)
        apart = (one for one in own if isinstance(one, ClocksApart) and not one.of_baseline)
        return max((one.share for one in apart), default=0.0)


@dataclass(frozen=True)
class RoundLeftOut:
    """A round over a link that does not count. `round`: its number, from 0."""

    round: int
    why: str


@dataclass(frozen=True)
class LinkUse:
    """What the emulator did in `rounds` rounds of a course, those that do not count included.

    Sums over all of them, but `late_p99_us`, which is of the worst round, and `cpu_per_wall`, the
    emulator's share of a core. `unasked`: packets lost that nobody asked to lose. `batches`: how
    many there were.
    """

    rounds: int
    packets: int
    lost: int
    dropped: int
    unasked: int
    late_p99_us: int
    cpu_s: float
    cpu_per_wall: float
    batches: int = 0


@dataclass(frozen=True)
class BatchesLeftOut:
    """How many batches over a link do not count, and why."""

    batches: int
    why: str


@dataclass(frozen=True)
class OverLink:
    """A link as requested, as its last calibration found it, and how it was used.

    `found`: None if it was never calibrated.
    """

    asked: Link
    found: Calibration | None
    use: LinkUse
    left_out: tuple[RoundLeftOut, ...] = ()
    batches_left_out: tuple[BatchesLeftOut, ...] = ()

    @property
    def round_trip_ms(self) -> float:
        """The round trip of a small packet without queueing: as found, or else as requested."""
        found = self.found.round_trip_p50_ms if self.found else math.nan
        return found if math.isfinite(found) else self.asked.round_trip_ms


@dataclass(frozen=True)
class WorkloadResult:
    """A course's ranking, best first; `withheld`: why it is invalid and not shown, or None.

    `workload` is the course's id, `link` what it went over; None: loopback. `exhausted`: all rounds
    that a run may have were measured. `streams`: the content is not kept in memory. `read_size`:
    bytes, where the workload sets it.
    """

    workload: str
    about: str
    placement: str
    baseline: str
    rounds: int
    standings: tuple[RankingRow, ...]
    checks: tuple[SelfCheck, ...]
    withheld: Finding | None = None
    findings: tuple[Finding, ...] = ()
    exhausted: bool = False
    streams: bool = False
    read_size: int | None = None
    link: OverLink | None = None


@dataclass(frozen=True)
class ClientCard:
    """What the report shows about a client besides its figures.

    `json_parser`: what parses documents, "own" for an interface of the client's; "": not known.
    `is_standard`: the library comes with the runtime of its language. `package`: what its registry
    calls it, "" if that is not known. `features`: what the adapter declared (docs/protocol.md).
    """

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
    json_parser: str = ""
    is_standard: bool = False
    package: str = ""
    features: tuple[str, ...] = ()


@dataclass(frozen=True)
class Point:
    """One batch that counts, to be drawn in run order. Microseconds per exchange."""

    order: int
    round: int
    block: int
    client: str
    wall_us: float
    cpu_us: float


@dataclass(frozen=True)
class RoundCost:
    """One round of a client, that is one process: the sample. Microseconds per exchange.

    `user_us` and `system_us` are NaN where too little time was sampled to split it.
    """

    round: int
    client: str
    wall_us: float
    cpu_us: float
    user_us: float
    system_us: float


@dataclass(frozen=True)
class Analysis:
    """Everything that tables, CSV, JSON and report.html show of one run.

    `origin`: which server answered; `points` and `rounds` are by workload; `reproduction`: what
    became of the article whose suite was run; `explanations`: of the clients that were explained;
    `pairwise`: by workload and clock ("wall", "cpu"); `command`: what measures the same again.
    """

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
    origin: str = ""
    rounds: dict[str, tuple[RoundCost, ...]] = field(default_factory=dict)
    reproduction: Reproduction | None = None
    explanations: tuple[Explanation, ...] = ()
    pairwise: dict[str, dict[str, Pairwise]] = field(default_factory=dict)
    command: str = ""
