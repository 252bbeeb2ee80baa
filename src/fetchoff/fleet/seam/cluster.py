"""What a driver needs of a cluster: the seam that a pretended one fits in."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from fetchoff.catalog import hosts
from fetchoff.model.errors import FetchoffError, HostError

NAME = re.compile(hosts.NAME)
"""Of a host, wherever it is named: records and folders have it."""

RESTARTS = 5
"""Of a job on a host, each after it had gone away: more may be the fault of the job itself."""


class HostFault(HostError):
    """A host did what it was asked to, and failed: asking it again would not help."""


class HostLate(HostFault):
    """A host took longer over its job than it may."""


class HostAway(HostError):
    """A host is not there, or went away while it worked: what it was asked may be asked again."""


class ClusterGone(FetchoffError):
    """The scheduler of the cluster is gone."""

    exit_code = 10


@dataclass(frozen=True)
class Step:
    """What a host is doing now; `is_trouble`: what it has to say of it.

    `waits`: it waits for others to leave the machine, for which its job has all the time it needs.
    """

    workload: str
    step: str
    is_trouble: bool = False
    waits: bool = False


Tell = Callable[[Step], None]


@dataclass(frozen=True)
class Here:
    """What a job is given on its host: the cores that it may use, and whom to tell its steps.

    Jobs begin on the harness's core, so that they disturb nobody who is measured there. `enter` is
    called as soon as they have the machine for themselves.
    """

    cores: tuple[int, ...]
    tell: Tell
    enter: Callable[[], None]


@dataclass(frozen=True)
class Job:
    """A function to call in a process of its own on a host: a function of a module, by its name
    there, and its only argument beside `Here`. Both are pickled."""

    function: Callable[[Any, Here], Any]
    request: object


class Task(Protocol):
    """A job that a host was given."""

    @property
    def is_done(self) -> bool:
        """Whether there is a result, or none will come."""

    @property
    def waits(self) -> bool:
        """Whether its host has told, as its last step, that it waits (`Step.waits`)."""

    def result(self) -> Any:
        """What the job returned; raises HostFault, HostLate, HostAway and ClusterGone."""

    def drop(self) -> None:
        """Let go of it: nobody will ask for its result."""


class Cluster(Protocol):
    """Hosts that can be given jobs, one at a time each."""

    def present(self) -> frozenset[str]:
        """The hosts that are there now. Raises ClusterGone."""

    def start(self, host: str, job: Job, longest_s: float) -> Task:
        """Give a host a job, which it ends after `longest_s`, waiting aside.

        Raises HostAway and ClusterGone.
        """

    def pause(self) -> None:
        """Wait a moment."""

    def now_s(self) -> float:
        """A clock that only goes forward."""
