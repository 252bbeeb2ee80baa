"""Whole runs of pretended clients and origins, in virtual time."""

from __future__ import annotations

import contextlib
import functools
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.unit.run.fakes.adapter import BYTES, RIGHT, TARGET, FakeAdapter, VirtualTime
from tests.unit.run.fakes.journal import Memory, Troubles
from tests.unit.run.fakes.network import FakeNetwork
from tests.unit.run.fakes.origin import FakeOrigin

from fetchoff.model.client import Launch
from fetchoff.model.course import Course
from fetchoff.model.experiment import Entrant, Experiment
from fetchoff.model.observation import Ended, Invocation, Outcome, Record
from fetchoff.model.workload import Exchange, Expect, Placement, Workload
from fetchoff.run.adapters.seam import ProcessSpec
from fetchoff.run.host.placement import Cores, Urgency
from fetchoff.run.network.seam import LOOPBACK, Network
from fetchoff.run.origins.reference import Reference
from fetchoff.run.os.cpu_quota import Throttling
from fetchoff.run.schedule.events import Journal
from fetchoff.run.schedule.runner import Dependencies, Runner

START_NS = 50_000_000  # of a process or an origin
GET = Workload("get", "", (Exchange("GET", TARGET, expect=Expect(bytes=BYTES)),), batch_ms=2)

Make = Callable[[str, int], FakeAdapter]
"""A process, by its name and by how many of that name were started before it."""


class FakeHost:
    """A machine with cores of its own, and a clock that stands still unless somebody works."""

    def __init__(self, time: VirtualTime, id_: str = "", cores: Sequence[int] = (0, 1)) -> None:
        self.id = id_
        self.cores = list(cores)
        self.urgency = Urgency.HIGH
        self.swept = 0
        self.harness_on: int | None = None
        self.rested_s = list[float]()
        self.throttlings = [Throttling()]  # at one look after the other; the last one stays
        self._time = time

    def now_ns(self) -> int:
        return self._time.ns

    @contextlib.contextmanager
    def on_core(self, core: int) -> Iterator[None]:
        self.harness_on = core
        yield
        self.harness_on = None

    def rest(self, seconds: float) -> None:
        self.rested_s.append(seconds)
        self._time.passes(seconds * 1e9)

    def throttled(self) -> Throttling:
        return self.throttlings.pop(0) if len(self.throttlings) > 1 else self.throttlings[0]

    def sweep(self) -> None:
        self.swept += 1


def never(_records: Sequence[Record], _rounds: int) -> bool:
    return False


@dataclass
class FakeRun:
    """What a run needs, all of it pretended, and what became of it.

    `clients`: how to make their processes. `origins`: one life after the other; when they are used
    up, others are made that have no faults. `network`: of emulated links.
    """

    folder: Path
    clients: Mapping[str, Make]
    launches: Mapping[str, Launch] = field(default_factory=dict)
    origins: list[FakeOrigin] = field(default_factory=list)
    network: FakeNetwork = field(default_factory=FakeNetwork)
    is_decided: Callable[[Sequence[Record], int], bool] = never
    journal: Memory = field(default_factory=Memory)
    store: Journal | None = None  # instead of the journal
    listener: Troubles = field(default_factory=Troubles)
    time: VirtualTime = field(default_factory=VirtualTime)
    specs: list[ProcessSpec] = field(default_factory=list)
    adapters: list[FakeAdapter] = field(default_factory=list)
    origin: FakeOrigin = field(default_factory=FakeOrigin)
    lives: int = 0  # of origins
    began_on: list[Cores] = field(default_factory=list)  # each of them
    host: FakeHost = field(init=False)

    def __post_init__(self) -> None:
        self.host = FakeHost(self.time)
        self._started: Counter[str] = Counter()

    def __call__(self, experiment: Experiment) -> Ended:
        """Run it, or go on with it."""
        dependencies = Dependencies(
            host=self.host,
            spool=self.folder / "spool",
            launches={name: self.launches.get(name, Launch((name,))) for name in self.clients},
            lay_network=self._lay,
            start_origin=self._start_origin,
            start_adapter=self._start_adapter,
            fetch=_right_answers,
            journal=self.store or self.journal,
            listener=self.listener,
            is_decided=self.is_decided,
        )
        return Runner(experiment, dependencies).run()

    @contextlib.contextmanager
    def _lay(self, course: Course, _folder: Path) -> Iterator[Network]:
        self.network.did.append(f"lay for {course.link.id}")
        yield self.network if course.link.is_emulated else LOOPBACK
        self.network.did.append("take up")

    @contextlib.contextmanager
    def _start_origin(self, _folder: Path, cores: Cores, _network: Network) -> Iterator[FakeOrigin]:
        self.began_on.append(cores)
        self.origin = self.origins.pop(0) if self.origins else FakeOrigin()
        self.origin.time = self.time
        self.lives += 1
        self.time.passes(START_NS)
        try:
            yield self.origin
        finally:
            self.origin.end()

    def _start_adapter(self, spec: ProcessSpec) -> FakeAdapter:
        adapter = self.clients[spec.client](spec.process, self._started[spec.process])
        self._started[spec.process] += 1
        adapter.time, adapter.listeners = self.time, self.origin.listeners
        adapter.launch, adapter.start_up_ms = spec.launch, START_NS / 1e6 + len(self.specs)
        self.time.passes(START_NS)
        self.specs.append(spec)
        self.adapters.append(adapter)
        return adapter

    def outcomes(self, client: str) -> list[Outcome]:
        """How its invocations ended, in order."""
        return [i.outcome for i in self.journal.of(Invocation) if i.client == client]

    @property
    def started(self) -> list[str]:
        """The processes that were started, in order."""
        return [spec.process for spec in self.specs]


def _right_answers(workload: Workload, base_url: str, _network: Network) -> Reference:
    assert base_url
    return Reference(workload, (RIGHT,) * len(workload.exchanges))


def well(*names: str) -> dict[str, Make]:
    """Clients that have no fault."""
    return {name: functools.partial(_well, name) for name in names}


def _well(name: str, _process: str, _number: int) -> FakeAdapter:
    return FakeAdapter(name)


def experiment_of(
    entrants: Sequence[Entrant],
    *workloads: Workload,
    rounds: int = 3,
    looks: Sequence[int] = (),
    budget_s: float = 3600.0,
    pair_only: bool = False,
    least_rounds: int = 1,
    placement: Placement | None = None,
    seed: int = 7,
) -> Experiment:
    """So many rounds of these entrants over loopback; the first is the baseline."""
    return Experiment(
        entrants=tuple(entrants),
        courses=tuple(Course(workload) for workload in workloads or (GET,)),
        baseline=entrants[0].key,
        seed=seed,
        budget_s=budget_s,
        looks=tuple(looks) or tuple(range(1, rounds + 1)),
        pair_only=pair_only,
        least_rounds=least_rounds,
        placement=placement,
    )


def plain(*names: str) -> list[Entrant]:
    """Clients without controls."""
    return [Entrant(name, name, name) for name in names]
