"""What a fleet whose processes were killed has lost, doubled or untold."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from benches.fleet import pretended
from benches.fleet.manners import Manner

from fetchoff.app.fleet_results import fleet_analysis_of
from fetchoff.fleet.host.work import folder_of
from fetchoff.model.observation import Batch, Ended, HostLost, Record, SectionDone
from fetchoff.store.run_folder import RunFolder

KILLS = ("workers", "drivers", "measurings", "schedulers", "nannies")
STOPS = ("stops", "scheduler-stops")
LOST = re.compile(r"^lost (\S+): (.*)$", re.MULTILINE)
"""As benches/fleet/drive.py says it."""


@dataclass
class Tally:
    """What was done, by kind, and what became of the work; `faults` is empty if all is well.

    `lost`: how often a host was called lost; `back`: how often one went on after that; `unsaid`:
    losses that the output doesn't tell, because the driver was killed right after writing them.
    """

    done: Counter[str] = field(default_factory=Counter)
    runs: int = 0
    sections: int = 0
    batches: int = 0
    cut: int = 0
    lost: int = 0
    back: int = 0
    unsaid: int = 0
    faults: list[str] = field(default_factory=list)

    @property
    def kills(self) -> int:
        """By SIGKILL."""
        return sum(self.done[kind] for kind in KILLS)

    @property
    def count(self) -> int:
        """Of all that was done."""
        return self.done.total()

    def __str__(self) -> str:
        killed = ", ".join(f"{self.done[kind]} of {kind}" for kind in KILLS if self.done[kind])
        return (
            f"{self.kills} SIGKILLs{f' ({killed})' if killed else ''}, {self.done['stops']} stops "
            f"of workers, {self.done['scheduler-stops']} of schedulers and "
            f"{self.done['partitions']} partitions in {self.runs} runs: {self.sections} workloads "
            f"of rounds measured whole, {self.batches} batches in them, {self.cut} in those cut; "
            f"{self.lost} times a host was called lost, {self.unsaid} of them by a driver that was "
            f"killed before it said so, {self.back} times it went on; "
            f"{len(self.faults)} faults"
        )


def faults_of(run: Path, rounds: int, manner: Manner, tally: Tally) -> Iterator[str]:
    """What was lost or doubled, between hosts and driver and against the plan of so many rounds.

    A host that was lost has measured less, which counts as long as it may be lost.
    """
    folder = RunFolder.open(run)
    header, records = folder.header, list(folder.records())
    if not any(isinstance(record, Ended) for record in records):
        yield "it has not ended"
        return
    whole: dict[str, int] = {}
    for host in header.hosts:
        own = [r for r in records if not isinstance(r, Ended) and r.host == host.id]
        fetched = [r for r in own if not isinstance(r, HostLost)]
        kept = list(RunFolder.open(folder_of(header.run_id, host.id)).records())
        told = kept[: len(fetched)] if is_lost(own) else kept  # the rest was never asked for
        if fetched != told:
            yield f"{host.id} keeps {len(kept)} records, and {len(fetched)} were fetched"
        whole[host.id] = _whole(fetched) if is_lost(own) else rounds
        yield from against_plan(host.id, fetched, whole[host.id], tally)
        yield from unexpected(own, manner)
        tally.lost += sum(isinstance(r, HostLost) for r in own)
        tally.back += _returns(own)
    yield from _in_results(folder, records, whole)


def unexpected(own: Sequence[Record], manner: Manner) -> Iterator[str]:
    """Losses of a host that the bench's doings don't explain."""
    for loss in own:
        if isinstance(loss, HostLost) and not (manner.may_lose and loss.reason == manner.reason):
            yield f"{loss.host} was lost, which nothing explains: {loss.reason}"


def is_lost(own: Sequence[Record]) -> bool:
    """Whether the last that is known of a host is that it was lost."""
    return bool(own) and isinstance(own[-1], HostLost)


def last_loss(run: Path) -> dict[int, HostLost]:
    """The loss that the journal ends with, by its place in it; nothing if it ends otherwise."""
    records = list(RunFolder.open(run).records())
    last = records[-1] if records else None
    return {len(records): last} if isinstance(last, HostLost) else {}


def untold(run: Path, log: str, last: Mapping[int, HostLost], tally: Tally) -> Iterator[str]:
    """Losses that the output doesn't tell, or that the journal doesn't.

    `last`: those that the journal ended with when a driver was killed, by their place. The driver
    may have been about to say them, and no other.
    """
    records = RunFolder.open(run).records()
    written = Counter((r.host, r.reason) for r in records if isinstance(r, HostLost))
    said = Counter(LOST.findall(log))
    silent = written - said
    unsaid = silent & Counter((r.host, r.reason) for r in last.values())
    tally.unsaid += unsaid.total()
    if silent := silent - unsaid:
        yield f"lost by the journal, which the output doesn't tell: {dict(silent)}"
    for loss in said - written:
        yield f"lost by the output, which the journal doesn't tell: {loss}"


def _in_results(
    folder: RunFolder, records: Sequence[Record], whole: dict[str, int]
) -> Iterator[str]:
    """Whether results say who was lost, and count whole rounds."""
    for one in fleet_analysis_of(folder, lambda _host, _own: None).hosts:
        own = [r for r in records if not isinstance(r, Ended) and r.host == one.host.id]
        last = own[-1] if own else None
        reason = last.reason if isinstance(last, HostLost) else ""
        if one.lost != reason:
            yield f"{one.host.id} was lost: '{reason}', but results say '{one.lost}'"
        if one.rounds != whole[one.host.id]:
            yield f"{one.host.id}: results count {one.rounds} rounds of {whole[one.host.id]}"


def _whole(records: Sequence[Record]) -> int:
    """How many rounds of a host are whole: those before the first with a missing workload."""
    courses = {course.id for course in pretended.experiment().courses}
    done: dict[int, set[str]] = {}
    for record in records:
        if isinstance(record, SectionDone):
            done.setdefault(record.round, set()).add(record.workload)
    return next(number for number in range(len(done) + 1) if done.get(number) != courses)


def _returns(own: Sequence[Record]) -> int:
    """How often a host measured after it was called lost."""
    after = pairwise(own)
    return sum(isinstance(a, HostLost) and not isinstance(b, HostLost) for a, b in after)


def against_plan(host: str, records: Sequence[Record], rounds: int, tally: Tally) -> Iterator[str]:
    """What is lost or doubled of a host that was to measure so many rounds."""
    done = [r for r in records if isinstance(r, SectionDone)]
    times = Counter((r.round, r.workload) for r in done)
    yield from (f"{host}: measured whole twice: {key}" for key, n in times.items() if n > 1)
    courses = [course.id for course in pretended.experiment().courses]
    planned = {(number, course) for number in range(rounds) for course in courses}
    yield from (f"{host}: lost: {key}" for key in planned - times.keys())
    yield from (f"{host}: nobody asked for: {key}" for key in times.keys() - planned)
    accepted = {(r.round, r.workload): r.attempt for r in done}
    batches = [r for r in records if isinstance(r, Batch)]
    counted = Counter(
        (r.round, r.workload, r.entrant)
        for r in batches
        if accepted.get((r.round, r.workload)) == r.attempt
    )
    expected = {(*key, client) for key in planned for client in pretended.CLIENTS}
    yield from (f"{host}: a batch is lost: {key}" for key in expected - counted.keys())
    yield from (f"{host}: a batch is there {n} times: {k}" for k, n in counted.items() if n > 1)
    tally.sections += len(done)
    tally.batches += sum(counted.values())
    tally.cut += len(batches) - sum(counted.values())
