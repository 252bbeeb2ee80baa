"""A cluster that only pretends, in virtual time, and journals of its hosts in memory."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from typing import Any

from benches.fleet.pretended import round_of

from fetchoff.analysis.fleet import is_decided_on
from fetchoff.fleet.seam.cluster import ClusterGone, Here, HostAway, HostFault, HostLate, Job
from fetchoff.fleet.seam.told import Block, Told
from fetchoff.model.errors import HostError
from fetchoff.model.host import measured_on
from fetchoff.model.observation import Record
from fetchoff.store.records import to_line
from fetchoff.store.run_folder import Header

PAUSE_S = 1.0
WAITS_S = 1000.0
KILLED = "its process was killed by signal 9"


class Fate(Enum):
    """What becomes of a job.

    `DIES_BEFORE`, `DIES_AFTER`: its worker goes away before or after the job was done, and comes
    back after some pauses. `GONE`: it never does. `SILENT`: it says nothing and stays. `WAITS`: it
    says that it waits for WAITS_S, and then does well. `LATE`: it takes too long. `KILLED`: the
    process of the job is killed, and the worker stays.
    """

    WELL = auto()
    DIES_BEFORE = auto()
    DIES_AFTER = auto()
    GONE = auto()
    SILENT = auto()
    WAITS = auto()
    LATE = auto()
    KILLED = auto()


@dataclass
class FakeTask:
    """A job that was done at once, and whose result comes after a pause."""

    cluster: FakeCluster
    host: str
    answer: Any
    ready_s: float
    waits_until_s: float = 0.0
    dropped: bool = False

    @property
    def waits(self) -> bool:
        return self.cluster.now_s() < self.waits_until_s

    @property
    def is_done(self) -> bool:
        return self.cluster.now_s() >= self.ready_s

    def result(self) -> Any:
        if isinstance(self.answer, HostError):
            raise self.answer
        return self.answer

    def drop(self) -> None:
        self.dropped = True


@dataclass
class FakeCluster:
    """`fates`: by host, of its jobs one after the other; well when they are used up. `back_s`: for
    how long a host that died is away. `ends_at`: the scheduler is gone from then on."""

    hosts: tuple[str, ...]
    fates: dict[str, list[Fate]] = field(default_factory=dict)
    back_s: float = 5.0
    ends_at: float = float("inf")
    time_s: float = 0.0
    away_until: dict[str, float] = field(default_factory=dict)
    started: list[tuple[str, Any]] = field(default_factory=list)
    tasks: list[FakeTask] = field(default_factory=list)
    running: Counter[str] = field(default_factory=Counter)

    def present(self) -> frozenset[str]:
        if self.time_s >= self.ends_at:
            raise ClusterGone("the scheduler is gone")
        return frozenset(h for h in self.hosts if self.away_until.get(h, 0.0) <= self.time_s)

    def start(self, host: str, job: Job, longest_s: float) -> FakeTask:
        assert longest_s > 0
        if host not in self.present():
            raise HostAway("it is not there")
        self.started.append((host, job.request))
        fates = self.fates.get(host, [])
        fate = fates.pop(0) if fates else Fate.WELL
        answer: Any = None
        if fate is Fate.LATE:
            answer = HostLate(f"it took longer than {longest_s:.0f} s")
        elif fate is Fate.KILLED:
            answer = HostAway(KILLED)
        elif fate in (Fate.WELL, Fate.WAITS, Fate.DIES_AFTER):
            try:
                answer = job.function(job.request, Here((0, 1), lambda _: None, lambda: None))
            except HostError as error:
                answer = HostFault(error.message, error.hint)
        if fate in (Fate.DIES_BEFORE, Fate.DIES_AFTER, Fate.GONE):
            back = self.back_s if fate is not Fate.GONE else float("inf")
            self.away_until[host] = self.time_s + PAUSE_S + back
        waits_until = self.time_s + WAITS_S if fate is Fate.WAITS else self.time_s
        answers = fate in (Fate.WELL, Fate.WAITS, Fate.LATE, Fate.KILLED)
        ready = waits_until + PAUSE_S if answers else float("inf")
        task = FakeTask(self, host, answer, ready, waits_until)
        self.tasks.append(task)
        return task

    def pause(self) -> None:
        self.time_s += PAUSE_S

    def now_s(self) -> float:
        return self.time_s


@dataclass
class Pretended:
    """Measures on all hosts of a run: their journals are here, and outlive every worker."""

    header: Header
    journals: dict[str, list[Record]] = field(default_factory=lambda: defaultdict(list))
    measured: Counter[tuple[str, int]] = field(default_factory=Counter)
    faults: dict[str, str] = field(default_factory=dict)
    rounds: Callable[..., Iterable[Record]] = round_of

    def __call__(self, block: Block, _here: Here) -> Told:
        if block.host in self.faults:
            raise HostError(self.faults[block.host])
        host = next(h for h in self.header.hosts if h.id == block.host)
        own = self.journals[block.host]
        if not any(getattr(record, "round", -1) == block.round for record in own):
            self.measured[(block.host, block.round)] += 1
            own += self.rounds(measured_on(self.header.experiment, host), block.host, block.round)
        judged = replace(measured_on(self.header.experiment, host), alpha=block.alpha)
        lines = tuple(to_line(record) for record in own[block.known :])
        return Told(lines, is_decided_on(judged, own))


class Heard:
    """A listener that keeps what it is told."""

    def __init__(self) -> None:
        self.losses: list[tuple[str, str]] = []
        self.returns: list[str] = []
        self.rounds: list[tuple[str, int]] = []
        self.waves = 0

    def wave_began(self, rounds: dict[str, int]) -> None:
        assert rounds
        self.waves += 1

    def round_done(self, host: str, rounds: int, seconds: float) -> None:
        assert seconds > 0
        self.rounds.append((host, rounds))

    def lost(self, host: str, reason: str) -> None:
        self.losses.append((host, reason))

    def back(self, host: str) -> None:
        self.returns.append(host)
