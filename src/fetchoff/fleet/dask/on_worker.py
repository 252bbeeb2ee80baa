"""What runs in the process of a worker: it keeps to the harness's core, and runs jobs elsewhere."""

from __future__ import annotations

import contextlib
import os
import pickle
import threading
from collections.abc import Iterable, Iterator
from typing import Any

from distributed import Worker, get_worker
from distributed.comm.addressing import get_local_address_for, parse_address

from fetchoff.fleet.host.own_process import in_own_process
from fetchoff.fleet.seam.cluster import Job, Step
from fetchoff.run.host.machine import usable_cores

CORES = tuple(usable_cores())
"""Those that the worker was given, before it keeps to the first of them, the harness's: nobody is
measured there."""

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


class _Jobs:
    """The jobs that run, and whether the worker is wanted when the last one has ended.

    One that nobody waits for any more goes on until it has measured its round, which counts when
    its run is resumed: the worker must not disturb it. It may even begin after the worker was let
    go of.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running = 0
        self._is_wanted = False

    @contextlib.contextmanager
    def running(self, worker: Worker) -> Iterator[None]:
        """Hold the worker for a job."""
        with self._lock:
            self._running += 1
            self._hold(worker)
        try:
            yield
        finally:
            with self._lock:
                self._running -= 1
                self._let_go_unless_needed(worker)

    def held(self, worker: Worker) -> None:
        """The worker is wanted from now on."""
        with self._lock:
            self._is_wanted = True
            self._hold(worker)

    def let_go(self, worker: Worker) -> None:
        """The worker is wanted no more, once it has no job."""
        with self._lock:
            self._is_wanted = False
            self._let_go_unless_needed(worker)

    @staticmethod
    def _hold(worker: Worker) -> None:
        _keep_to(CORES[:1])
        worker.loop.add_callback(_stop_sampling, worker)

    def _let_go_unless_needed(self, worker: Worker) -> None:
        if not self._is_wanted and not self._running:
            _keep_to(CORES)
            worker.loop.add_callback(_sample_again, worker)


JOBS = _Jobs()


async def get_ready(dask_worker: Worker) -> None:
    """Get a worker ready for jobs, in its event loop: it keeps to the harness's core, samples
    nothing, and has the resource that keeps its jobs apart."""
    JOBS.held(dask_worker)
    _stop_sampling(dask_worker)
    if RESOURCE not in dask_worker.state.total_resources:
        await dask_worker.set_resources(**{RESOURCE: 1})


async def let_go(dask_worker: Worker) -> None:
    """Give a worker its cores and its profiler back, in its event loop, once it has no job."""
    JOBS.let_go(dask_worker)


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
            "waits": step.waits,
        }
        worker.log_event(topic, event)

    job: Job = pickle.loads(packed)
    with JOBS.running(worker):  # held again: another driver may have let go of this worker
        return in_own_process(job, CORES, tell, longest_s)


def _keep_to(cores: Iterable[int]) -> None:
    """Keep all threads of this process to some cores."""
    for thread in os.listdir("/proc/self/task"):
        with contextlib.suppress(ProcessLookupError):  # it has ended meanwhile
            os.sched_setaffinity(int(thread), cores)


def _sample_again(worker: Worker) -> None:
    for kind in PROFILING:
        callback = worker.periodic_callbacks.get(kind)
        if callback is not None and not callback.is_running():
            callback.start()


def _stop_sampling(worker: Worker) -> None:
    for kind in PROFILING:
        if kind in worker.periodic_callbacks:
            worker.periodic_callbacks[kind].stop()
