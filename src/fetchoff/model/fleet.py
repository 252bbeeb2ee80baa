"""The results of a run of several hosts, shown by the report. Plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from fetchoff.model.analysis import ClientCard, Relative
from fetchoff.model.experiment import Role
from fetchoff.model.finding import Finding
from fetchoff.model.host import FleetMode, HostRecord
from fetchoff.model.observation import Outcome


@dataclass(frozen=True)
class HostsDiffer:
    """Whether the ratio of two clients differs from host to host.

    `between`: standard deviation of the log-ratio between hosts, without what rounds differ in.
    `share`: of the variance that is seen, the part between hosts (I²). `p`: of this client alone;
    `shown`: that hosts differ, at the error rate of all clients of the workload together; None
    before the run has ended, because it is asked once.
    """

    hosts: int
    between: float
    share: float
    p: float
    shown: bool | None


@dataclass(frozen=True)
class AcrossHosts:
    """One clock of a client against the baseline.

    `on_each`: in the order of the hosts; None where it wasn't compared. `over`: of hosts in
    general; None if that can't be told. `differ`: None with fewer than two hosts.
    """

    on_each: tuple[Relative | None, ...]
    over: Relative | None = None
    differ: HostsDiffer | None = None


@dataclass(frozen=True)
class Missing:
    """Why a client has no figures on a host: how it ended there, UNAVAILABLE if it didn't begin.
    `reason`: None if the host tells nothing of it."""

    outcome: Outcome
    reason: Finding | None = None


@dataclass(frozen=True)
class FleetRow:
    """A client on one workload, on all hosts.

    `missing`: in the order of the hosts, why it has no figures; None where it has. `tiers`: of
    hosts in general; None where clocks that are apart withhold its verdict as well.
    """

    client: str
    role: Role
    wall: AcrossHosts
    cpu: AcrossHosts
    missing: tuple[Missing | None, ...]
    tiers: tuple[int, int] | None = None

    @property
    def is_measured(self) -> bool:
        """Whether any host has figures of it."""
        return any(self.wall.on_each)


@dataclass(frozen=True)
class FleetResult:
    """A course on all hosts that measured it, the best client first, those without figures last.

    `hosts`: those whose figures are used, in the order of every `on_each`. `withheld`: those whose
    figures must not be believed, and why. `others`: those whose baseline is another one, so that
    nothing can be compared.
    """

    workload: str
    about: str
    baseline: str
    hosts: tuple[str, ...]
    rows: tuple[FleetRow, ...]
    withheld: Mapping[str, Finding] = field(default_factory=dict)
    others: tuple[str, ...] = ()


@dataclass(frozen=True)
class HostOutcome:
    """What became of a host.

    `rounds`: those that were measured whole. `seconds`: of measuring. `has_results`: something was
    measured whole. `lost`: why it didn't go on to the end, or "".
    """

    host: HostRecord
    rounds: int
    seconds: float
    has_results: bool
    lost: str = ""


@dataclass(frozen=True)
class FleetAnalysis:
    """What hosts say together, in a run of several. What each says by itself is an Analysis of its
    own, of which a large fleet has too many to keep.

    `cards` and `origin`: of the first host that has them; `HostRecord` tells who has others.
    """

    run_id: str
    title: str
    started: str
    ended_reason: str
    seconds: float
    seed: int
    alpha: float
    margin: float
    mode: FleetMode
    hosts: tuple[HostOutcome, ...]
    results: tuple[FleetResult, ...]
    notes: tuple[str, ...] = ()
    origin: str = ""
    cards: tuple[ClientCard, ...] = ()
