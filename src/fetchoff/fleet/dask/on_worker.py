"""What runs in the process of a worker: it keeps to the harness's core, and runs jobs elsewhere."""

from __future__ import annotations

import contextlib
import os
import pickle
from collections.abc import Iterable
from typing import Any

from distributed import Worker, get_worker
from distributed.comm.addressing import get_local_address_for, parse_address

from fetchoff.fleet.host.own_process import in_own_process
from fetchoff.fleet.seam.cluster import Job, Step

CORES = tuple(sorted(os.sched_getaffinity(0)))
"""Those that the worker was given, before it keeps to one of them."""

RESOURCE = "host"
PROFILING = ("profile", "profile-cycle")


class OneAddressWorker(Worker):  # type: ignore[misc]
    """A worker that listens only at the address from which it reaches its scheduler.

    Dask's own listens on all interfaces, and anyone who reaches it can run code. Its HTTP server
    follows. Where the scheduler is on loopback, so is all of the worker.
    """

    def __init__(self, scheduler: str, **options: Any) -> None:
        _, own = parse_address(get_local_address_for(scheduler))
        super().__init__(scheduler, **{"host": own, **options})


async def get_ready(dask_worker: Worker) -> None:
    """Get a worker ready for jobs, in its event loop: it keeps to the harness's core, samples
    nothing, and has the resource that keeps its jobs apart."""
    _keep_to(CORES[:1])
    _stop_sampling(dask_worker)
    if RESOURCE not in dask_worker.state.total_resources:
        await dask_worker.set_resources(**{RESOURCE: 1})


async def let_go(dask_worker: Worker) -> None:
    """Give a worker its cores and its profiler back, in its event loop."""
    _keep_to(CORES)
    for kind in PROFILING:
        callback = dask_worker.periodic_callbacks.get(kind)
        if callback is not None and not callback.is_running():
            callback.start()


def run_job(packed: bytes, topic: str, longest_s: float) -> Any:
    """The task: run a job in a process of its own, and tell its steps by Dask's events.

    `packed`: the job, pickled, so that Dask looks for nothing in it.
    """
    worker = get_worker()
    _keep_to(CORES[:1])  # again: another driver may have let go of this worker
    worker.loop.add_callback(_stop_sampling, worker)

    def tell(step: Step) -> None:
        event = {
            "host": str(worker.name),
            "workload": step.workload,
            "step": step.step,
            "is_trouble": step.is_trouble,
            "waits": step.waits,
        }
        worker.log_event(topic, event)

    job: Job = pickle.loads(packed)
    return in_own_process(job, CORES, tell, longest_s)


def _keep_to(cores: Iterable[int]) -> None:
    """Keep all threads of this process to some cores."""
    for thread in os.listdir("/proc/self/task"):
        with contextlib.suppress(ProcessLookupError):  # it has ended meanwhile
            os.sched_setaffinity(int(thread), cores)


def _stop_sampling(worker: Worker) -> None:
    for kind in PROFILING:
        if kind in worker.periodic_callbacks:
            worker.periodic_callbacks[kind].stop()
