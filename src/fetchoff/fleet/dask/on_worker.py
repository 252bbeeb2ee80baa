"""What runs in the process of a worker: it keeps to the harness's core, and runs jobs elsewhere."""

from __future__ import annotations

import os
import pickle
from typing import Any

from distributed import Worker, get_worker
from distributed.diagnostics.plugin import WorkerPlugin

from fetchoff.fleet.host.own_process import in_own_process
from fetchoff.fleet.seam.cluster import Job, Step

CORES = tuple(sorted(os.sched_getaffinity(0)))
"""Those that the worker was given, before it keeps to one of them."""

RESOURCE = "host"
PROFILING = ("profile", "profile-cycle")


class HarnessCore(WorkerPlugin):  # type: ignore[misc]
    """Keeps a worker, its threads and its heartbeat away from the cores that are measured.

    Dask applies it to all workers, also to those that come later or come back. Workers that were
    started without the resource that keeps their jobs apart are given it.
    """

    name = "fetchoff-harness-core"

    async def setup(self, worker: Worker) -> None:
        """In the worker's event loop."""
        for thread in os.listdir("/proc/self/task"):
            os.sched_setaffinity(int(thread), {CORES[0]})
        for kind in PROFILING:
            if kind in worker.periodic_callbacks:
                worker.periodic_callbacks[kind].stop()
        if RESOURCE not in worker.state.total_resources:
            await worker.set_resources(**{RESOURCE: 1})


def run_job(packed: bytes, topic: str, longest_s: float) -> Any:
    """The task: run a job in a process of its own, and tell its steps by Dask's events.

    `packed`: the job, pickled, so that Dask looks for nothing in it.
    """
    worker = get_worker()

    def tell(step: Step) -> None:
        event = {
            "host": str(worker.name),
            "workload": step.workload,
            "step": step.step,
            "is_trouble": step.is_trouble,
        }
        worker.log_event(topic, event)

    job: Job = pickle.loads(packed)
    return in_own_process(job, CORES, tell, longest_s)
