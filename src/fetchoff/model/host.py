"""The hosts of a run, and what each of them measures. A run of one machine has one host."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, ClassVar, Protocol, TypeVar

from fetchoff.model.experiment import Experiment, Role
from fetchoff.model.program import ProgramRecord

SEED_BITS = 31
PARTS = 3
"""Of the error rate of several hosts: one for what is said of hosts in general, one for what is
said of single hosts, one for whether hosts differ."""


class FleetMode(StrEnum):
    """`replicate`: every host measures everything. `shard`: each measures some of the courses."""

    REPLICATE = "replicate"
    SHARD = "shard"


class Card(Protocol):
    """What is known of a client: a dataclass that has a version, a runtime and an engine."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def client(self) -> str: ...


C = TypeVar("C", bound=Card)


@dataclass(frozen=True)
class ClientOnHost:
    """A client that isn't the same on a host as the run has it."""

    client: str
    version: str
    runtime: str
    engine: str

    def of(self, card: C) -> C:
        """What is known of the client, as the host has it."""
        return replace(card, version=self.version, runtime=self.runtime, engine=self.engine)


def cards_on(unlike: Iterable[ClientOnHost], cards: Iterable[C]) -> tuple[C, ...]:
    """What is known of clients, as a host has them. `unlike`: as of the host's record."""
    own = {one.client: one for one in unlike}
    return tuple(own[card.client].of(card) if card.client in own else card for card in cards)


@dataclass(frozen=True)
class HostRecord:
    """What a run stores about a host. `id`: as records name it.

    `clients`: those that were ready there. `absent`: (client, why it isn't). `courses`: those that
    it measures. `notes`: what a reader must know of it. `programs`: Fetchoff's own there.
    `unlike`: those of its clients that aren't the same there as the run has them. `origin`: its
    origin as results name it, if that isn't the run's; else "". Older runs have neither.
    """

    id: str
    environment: dict[str, str] = field(default_factory=dict)
    clients: tuple[str, ...] = ()
    absent: tuple[tuple[str, str], ...] = ()
    courses: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    programs: tuple[ProgramRecord, ...] = ()
    unlike: tuple[ClientOnHost, ...] = ()
    origin: str = ""


def measured_on(experiment: Experiment, host: HostRecord) -> Experiment:
    """The experiment as a host measures it: what it has, in an order of its own."""
    order = random.Random(f"{experiment.seed}/{host.id}")
    return replace(_had_by(experiment, host), seed=order.getrandbits(SEED_BITS))


def judged_on(experiment: Experiment, host: HostRecord, hosts: int, mode: FleetMode) -> Experiment:
    """The experiment as the results of one of `hosts` hosts are judged: at its share of the error.

    Where courses are divided, each is measured once, and nothing is shared.
    """
    is_shared = hosts > 1 and mode is FleetMode.REPLICATE
    alpha = experiment.alpha / PARTS / hosts if is_shared else experiment.alpha
    return replace(_had_by(experiment, host), alpha=alpha)


def _had_by(experiment: Experiment, host: HostRecord) -> Experiment:
    """With the clients and courses of a host; without the baseline, its first ranked client."""
    entrants = tuple(e for e in experiment.entrants if e.client in host.clients)
    ranked = [e.key for e in entrants if e.role is Role.RANKED]
    has_baseline = experiment.baseline in ranked or not ranked
    return replace(
        experiment,
        entrants=entrants,
        courses=tuple(c for c in experiment.courses if c.id in host.courses),
        baseline=experiment.baseline if has_baseline else ranked[0],
    )


def can_measure(experiment: Experiment, host: HostRecord) -> bool:
    """Whether a host has a client to rank and a course to rank it on."""
    had = _had_by(experiment, host)
    return bool(had.courses) and any(e.role is Role.RANKED for e in had.entrants)


def has_baseline(experiment: Experiment, host: HostRecord) -> bool:
    """Whether a host has what hosts that measure different courses have in common."""
    return any(
        e.key == experiment.baseline and e.client in host.clients for e in experiment.entrants
    )


def dealt(courses: Sequence[str], hosts: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Courses by host, dealt one after the other."""
    return {host: tuple(courses[place :: len(hosts)]) for place, host in enumerate(sorted(hosts))}
