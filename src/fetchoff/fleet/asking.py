"""Ask many hosts the same at once, each by itself, with deadlines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fetchoff.fleet.seam.cluster import Cluster, HostAway, HostFault, Job, Task
from fetchoff.model.errors import HostError

AWAY_S = 60.0
"""A host that is not there for so long is not waited for any longer."""


def ask(cluster: Cluster, jobs: Mapping[str, Job], longest_s: float) -> dict[str, Any]:
    """What each host says to its job: a result, or the HostError that came instead.

    The jobs must be such that doing them again does no harm: a host that goes away and comes back
    does its job again.
    """
    began = cluster.now_s()
    found: dict[str, Any] = {}
    tasks: dict[str, Task | None] = dict.fromkeys(jobs)
    seen = dict.fromkeys(jobs, began)
    while left := [host for host in jobs if host not in found]:
        present, now = cluster.present(), cluster.now_s()
        for host in left:
            task = tasks[host]
            if host in present:
                seen[host] = now
            if task is not None and task.is_done:
                tasks[host], answer = None, _answer(task)
                if not isinstance(answer, HostAway):
                    found[host] = answer
            elif host in present and task is None:
                tasks[host] = _started(cluster, host, jobs[host], longest_s)
            elif host not in present:
                if task is not None:
                    task.drop()
                    tasks[host] = None
                if now - seen[host] > AWAY_S:
                    found[host] = HostAway("it is not there any more")
            elif now - began > longest_s + AWAY_S:
                if task is not None:
                    task.drop()
                found[host] = HostFault(f"it did not answer within {longest_s:.0f} s")
        if len(found) < len(jobs):
            cluster.pause()
    return found


def answered(found: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, HostError]]:
    """The results by host, and the errors of the others."""
    errors = {host: one for host, one in found.items() if isinstance(one, HostError)}
    return {host: one for host, one in found.items() if host not in errors}, errors


def _answer(task: Task) -> Any:
    try:
        return task.result()
    except HostError as error:
        return error


def _started(cluster: Cluster, host: str, job: Job, longest_s: float) -> Task | None:
    try:
        return cluster.start(host, job, longest_s)
    except HostAway:
        return None
