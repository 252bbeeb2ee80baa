"""Ask many hosts the same at once, each by itself, with deadlines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fetchoff.fleet.seam.cluster import RESTARTS, Cluster, HostAway, HostFault, Job, Task
from fetchoff.model.errors import HostError

AWAY_S = 60.0
"""A host that is not there for so long is not waited for any longer."""


def ask(cluster: Cluster, jobs: Mapping[str, Job], longest_s: float) -> dict[str, Any]:
    """What each host says to its job: a result, or the HostError that came instead.

    The jobs must be such that doing them again does no harm: a host that goes away and comes back
    does its job again, RESTARTS times at most.
    """
    began = cluster.now_s()
    asked = [_Asked(cluster, host, job, longest_s, began) for host, job in jobs.items()]
    left = asked
    try:
        while left:
            present, now = cluster.present(), cluster.now_s()
            left = [one for one in left if not one.is_settled(now, is_there=one.host in present)]
            if left:
                cluster.pause()
    finally:
        for one in asked:
            one.drop()
    return {one.host: one.answer for one in asked}


def answered(found: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, HostError]]:
    """The results by host, and the errors of the others."""
    errors = {host: one for host, one in found.items() if isinstance(one, HostError)}
    return {host: one for host, one in found.items() if host not in errors}, errors


@dataclass
class _Asked:
    """A host and its job. `answer`: the last that it gave, which may be that it went away.

    `began_s`: from when on its time counts: what it waits for others doesn't. `task`: None while
    nobody does it. `absent_since_s`: when the host was first looked for in vain; None while it is
    there.
    """

    cluster: Cluster
    host: str
    job: Job
    longest_s: float
    began_s: float
    answer: Any = None
    task: Task | None = None
    starts: int = 0
    absent_since_s: float | None = None

    def is_settled(self, now: float, *, is_there: bool) -> bool:
        """Whether `answer` is the last one. `now`: when it was seen whether the host is there."""
        if is_there:
            self.absent_since_s = None
        elif self.absent_since_s is None:
            self.absent_since_s = now
        if self.task is not None and self.task.waits:
            self.began_s = now
        if self.task is not None and self.task.is_done:
            self.answer, self.task = _answer(self.task), None
            return not isinstance(self.answer, HostAway) or self.starts > RESTARTS
        if self.absent_since_s is not None:
            self.answer = HostAway("it is not there any more")
            self.drop()
            return now - self.absent_since_s > AWAY_S
        if self.task is None:
            return not self._is_started()
        if now - self.began_s > self.longest_s + AWAY_S:
            self.answer = HostFault(
                f"it did not answer within {self.longest_s:.0f} s: it may still be busy with an "
                "earlier job",
                "wait until that has ended, or start its worker again",
            )
            self.drop()
            return True
        return False

    def _is_started(self) -> bool:
        """Give the job (again); whether it may be given any more."""
        if self.starts > RESTARTS:
            return False
        self.starts += 1
        try:
            self.task = self.cluster.start(self.host, self.job, self.longest_s)
        except HostAway as away:
            self.answer = away
        return True

    def drop(self) -> None:
        """Let go of the task, if there is one."""
        if self.task is not None:
            self.task.drop()
            self.task = None


def _answer(task: Task) -> Any:
    try:
        return task.result()
    except HostError as error:
        return error
