"""Measuring that is pretended: a round of a host takes moments, and its truth is known.

`measure` takes the place of `fetchoff.fleet.host.work.measure_round`. It writes into the host's run
folder as a real one does, record by record, and can be killed at any of them.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from pathlib import Path

import fetchoff
from fetchoff.fleet.host.work import folder_of, is_whole, must_have_kept, told_of
from fetchoff.fleet.seam.cluster import Here, Step
from fetchoff.fleet.seam.told import Block, Told
from fetchoff.model.course import Course
from fetchoff.model.errors import InUseError
from fetchoff.model.experiment import Entrant, Experiment
from fetchoff.model.host import FleetMode, HostRecord, dealt, measured_on
from fetchoff.model.observation import (
    Batch,
    Cost,
    Invocation,
    Outcome,
    Record,
    SectionDone,
    Seen,
    Usage,
)
from fetchoff.model.workload import Exchange, Expect, Workload
from fetchoff.plan.rounds import entrants_of_round
from fetchoff.store.run_folder import SCHEMA, Header, RunFolder

CLIENTS = ("a/fast", "b/even", "c/slow")
LOG_COSTS = {"a/fast": -0.3, "b/even": 0.0, "c/slow": 0.4}
EXCHANGES = 1000
US = 100_000
NOISE = 0.01
SECOND_S = 1.0
"""Of a section, as it says of itself."""

APPEND_S = 0.04
"""Between two records, so that there are moments to be killed in."""


def experiment(
    *, rounds: int = 8, workloads: int = 2, clients: tuple[str, ...] = CLIENTS, seed: int = 1
) -> Experiment:
    """So many rounds of pretended clients, of which the second is the baseline."""
    exchange = Exchange("GET", "/", expect=Expect(bytes=16))
    return Experiment(
        tuple(Entrant(client, client, client) for client in clients),
        tuple(Course(Workload(f"get-{n}", "GET", (exchange,))) for n in range(workloads)),
        clients[min(1, len(clients) - 1)],
        seed=seed,
        blocks=1,
        budget_s=1e6,
        looks=tuple(range(3, rounds + 1)),
        decide_on=(),
    )


def header(
    run_id: str,
    asked: Experiment,
    hosts: tuple[str, ...],
    mode: FleetMode = FleetMode.REPLICATE,
) -> Header:
    """The header of a run on these hosts, which have all clients."""
    everything = tuple(course.id for course in asked.courses)
    divided = dealt(everything, hosts)
    clients = tuple({entrant.client: None for entrant in asked.entrants})
    return Header(
        run_id=run_id,
        title="pretended",
        started="2026-11-24T12:00:00+00:00",
        fetchoff=fetchoff.__version__,
        experiment=asked,
        clients=(),
        environment={},
        schema=SCHEMA,
        hosts=tuple(
            HostRecord(
                host,
                {"processor": "pretended"},
                clients,
                (),
                divided[host] if mode is FleetMode.SHARD else everything,
            )
            for host in hosts
        ),
        mode=mode,
    )


def begin(path: Path, head: Header) -> None:
    """Make the run folder of a fleet, and those of its hosts."""
    for host in head.hosts:
        own = Header(
            run_id=head.run_id,
            title=head.title,
            started=head.started,
            fetchoff=head.fetchoff,
            experiment=measured_on(head.experiment, host),
            clients=(),
            environment={},
            schema=SCHEMA,
        )
        RunFolder.create(folder_of(head.run_id, host.id), own).close()
    RunFolder.create(path, head).close()


def round_of(asked: Experiment, host: str, number: int, attempt: int = 0) -> Iterator[Record]:
    """What a host measures in a round: clients cost what LOG_COSTS says, and hosts differ."""
    chance = random.Random(f"{asked.seed}/{host}/{number}/{attempt}")
    machine = random.Random(host).uniform(-1, 1)
    for course in asked.courses:
        for entrant in entrants_of_round(asked, number):
            log = machine + LOG_COSTS.get(entrant.client, 0.0) + chance.gauss(0, NOISE)
            ns = round(EXCHANGES * US * 2.718281828**log)
            n = EXCHANGES
            yield Batch(
                *(number, attempt, course.id, 0, 0, entrant.key, n, n, n, n, 0),
                Cost(ns, ns, ns // 4, ns),
                Seen(n),
                host=host,
            )
            yield Invocation(
                *(number, attempt, course.id, entrant.process, entrant.client, Outcome.OK),
                usage=Usage(50, 50, 20_000),
                host=host,
            )
        yield SectionDone(number, attempt, course.id, SECOND_S, host=host)


def measure(block: Block, here: Here) -> Told:
    """A job: measure what the host's folder does not hold of a round, in moments."""
    path = folder_of(block.run, block.host)
    folder = _opened(path)
    try:
        must_have_kept(len(folder.records()), block.known)
        asked = folder.header.experiment
        if not is_whole(folder.records(), asked, block.round):
            here.enter()
            _measure(folder, asked, block, here)
    finally:
        folder.close()
    return told_of(path, block.known, is_decided=False)


def _measure(folder: RunFolder, asked: Experiment, block: Block, here: Here) -> None:
    """Courses that are whole are not measured again; one that was cut is, as another attempt."""
    own = [r for r in folder.records() if isinstance(r, Batch | Invocation | SectionDone)]
    own = [r for r in own if r.round == block.round]
    whole = {r.workload for r in own if isinstance(r, SectionDone)}
    attempt = max((r.attempt + 1 for r in own if r.workload not in whole), default=0)
    for record in round_of(asked, block.host, block.round, attempt):
        assert isinstance(record, Batch | Invocation | SectionDone)
        if record.workload not in whole:
            here.tell(Step(record.workload, "measuring"))
            time.sleep(APPEND_S)
            folder.append(record)


def _opened(path: Path) -> RunFolder:
    while True:
        try:
            return RunFolder.open(path, to_append=True)
        except InUseError:
            time.sleep(0.05)
