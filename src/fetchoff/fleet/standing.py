"""How far each host of a run is, by the records that the driver has of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, auto

from fetchoff.analysis.fleet import is_decided_on
from fetchoff.model.experiment import Experiment
from fetchoff.model.host import HostRecord, judged_on
from fetchoff.model.observation import Batch, HostLost, Record, SectionDone, Turns
from fetchoff.model.spent import Spent
from fetchoff.run.schedule.budget import Budget
from fetchoff.store.run_folder import RunFolder


class State(Enum):
    """`AWAY`: it may come back; `OUT`: what is wrong with it stays wrong."""

    HERE = auto()
    AWAY = auto()
    OUT = auto()


@dataclass
class Standing:
    """A host, and what follows from its records, of which the driver has the first `known`.

    `decided_at`: after how many rounds it was asked last whether all is decided, and what it said.
    `is_lost`: it has been, and has measured nothing whole since.
    """

    host: HostRecord
    experiment: Experiment
    state: State = State.HERE
    known: int = 0
    decided_at: tuple[int, bool] = (0, False)
    is_lost: bool = False
    _whole: dict[int, set[str]] = field(default_factory=dict)
    _spent: Spent = field(default_factory=Spent)
    _measured: set[int] = field(default_factory=set)

    def note(self, record: Record) -> None:
        """Another record of this host."""
        if isinstance(record, HostLost):  # the driver's own, of which the host knows nothing
            self.is_lost = True
            return
        self.known += 1
        self._spent.note(record)
        if isinstance(record, SectionDone):
            self.is_lost = False
            self._whole.setdefault(record.round, set()).add(record.workload)
        elif isinstance(record, Batch | Turns):
            self._measured.add(record.round)

    @property
    def seconds(self) -> dict[int, float]:
        """How long each of its whole rounds took, by its number: the budget leaves some out."""
        courses = {course.id for course in self.experiment.courses}
        whole = sorted(number for number, done in self._whole.items() if done >= courses)
        return {number: self._spent.by_round[number] for number in whole}

    @property
    def rounds(self) -> int:
        """How many whole rounds it has."""
        return len(self.seconds)

    @property
    def next_round(self) -> int | None:
        """The number of the round that its budget is to be spent on now; None if there is none."""
        seconds = self.seconds
        return Budget(self.experiment, seconds).next_round(seconds)

    @property
    def is_spent(self) -> bool:
        """Whether no further round fits its budget."""
        return self.rounds < self.experiment.looks[-1] and self.next_round is None

    @property
    def has_nobody_left(self) -> bool:
        """Whether its last round measured nothing at all."""
        last = max(self.seconds, default=None)
        return last is not None and last not in self._measured

    @property
    def is_through(self) -> bool:
        """Whether it has measured all that it may."""
        return self.next_round is None or self.has_nobody_left


def standings_of(folder: RunFolder) -> dict[str, Standing]:
    """Of every host of a run, by its name."""
    header = folder.header
    hosts, mode = len(header.hosts), header.mode
    found = {
        host.id: Standing(host, judged_on(header.experiment, host, hosts, mode))
        for host in header.hosts
    }
    for host, standing in found.items():
        for record in folder.of_host(host):
            standing.note(record)
    return found


def is_decided(standing: Standing, folder: RunFolder) -> bool:
    """As the host told with its last round, or by the journal if another driver was told."""
    rounds, told = standing.decided_at
    if rounds != standing.rounds:
        told = is_decided_on(standing.experiment, folder.of_host(standing.host.id))
        standing.decided_at = (standing.rounds, told)
    return told


def unfinished(standings: Mapping[str, Standing], folder: RunFolder) -> list[str]:
    """The hosts that were lost before they had measured all that they may."""
    return [
        name
        for name, one in standings.items()
        if one.is_lost and not one.is_through and not is_decided(one, folder)
    ]
