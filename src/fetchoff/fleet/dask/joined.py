"""A cluster of Dask as the driver sees it. Hosts are workers, by their names."""

from __future__ import annotations

import pickle
import re
import time
import uuid
from collections.abc import Callable, Iterable
from typing import Any

from distributed import Client, Future, KilledWorker
from distributed.utils import CancelledError

from fetchoff.fleet.dask.on_worker import RESOURCE, HarnessCore, run_job
from fetchoff.fleet.seam.cluster import ClusterGone, HostAway, HostFault, Job, Step
from fetchoff.model.errors import HostError, InputError

PAUSE_S = 0.1
FRESH_S = 0.5
"""For so long what the scheduler says of its workers is not asked for again."""

FETCH_S = 60.0
"""For a result to come: its worker may have died since, and then it never comes."""

PATIENCE_S = 30.0
"""A scheduler that is connected to and does not answer for so long is gone."""

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
GONE = (OSError, TimeoutError, RuntimeError, ValueError)
"""What Dask raises where the scheduler is gone: by its comms, its pools, and its loop."""

LOST = (KilledWorker, CancelledError, OSError, TimeoutError)
"""What comes instead of a result where its worker or the scheduler is gone."""

OnStep = Callable[[str, Step], None]


class JoinedCluster:
    """The workers of a scheduler. `on_step`: told what a host does, in a thread of Dask's.

    If the scheduler is started again at its address soon enough, Dask's client finds it. Until then
    no host is there.
    """

    def __init__(self, client: Client, on_step: OnStep | None = None) -> None:
        self._client = client
        self._on_step = on_step
        self._topic = f"fetchoff-{uuid.uuid4().hex}"
        self._addresses: dict[str, str] = {}
        self._asked_s = -FRESH_S
        self._failing_since_s: float | None = None
        self._scheduler = ""
        self._addresses = self._ask_scheduler()

    @property
    def dashboard(self) -> str:
        """The address of Dask's dashboard, "" if there is none."""
        try:
            return str(self._client.dashboard_link or "")
        except (*GONE, KeyError):
            return ""

    def present(self) -> frozenset[str]:
        now = time.monotonic()
        if now - self._asked_s > FRESH_S:
            self._addresses = self._ask_scheduler()
            self._asked_s = time.monotonic()
        return frozenset(self._addresses)

    def start(self, host: str, job: Job, longest_s: float) -> DaskTask:
        self._asked_s = -FRESH_S  # where it is now, after it may have come back elsewhere
        if host not in self.present():
            raise HostAway("it is not there any more")
        try:
            # `workers` is the address that the name has now: Dask would keep to it for ever, so
            # the driver has deadlines of its own.
            future = self._client.submit(
                run_job,
                pickle.dumps(job),
                self._topic,
                longest_s,
                key=f"fetchoff-{uuid.uuid4().hex}",
                workers=[self._addresses[host]],
                allow_other_workers=False,
                resources={RESOURCE: 1},
                retries=0,
                pure=False,
            )
        except GONE as error:
            raise HostAway(f"it cannot be asked: {error}") from error
        return DaskTask(future)

    def pause(self) -> None:
        time.sleep(PAUSE_S)

    def now_s(self) -> float:
        return time.monotonic()

    def _ask_scheduler(self) -> dict[str, str]:
        """The workers' addresses by name; nobody while the scheduler does not answer."""
        status = self._client.status
        if status not in ("running", "connecting"):
            raise _gone(f"the connection is {status}")
        if status == "connecting":
            return {}
        try:
            found = self._client.scheduler_info(n_workers=-1)
            if found["id"] != self._scheduler:
                self._meet()
                self._scheduler = found["id"]
        except GONE as error:
            now = time.monotonic()
            self._failing_since_s = self._failing_since_s or now
            if now - self._failing_since_s > PATIENCE_S:
                raise _gone(str(error)) from error
            return {}
        self._failing_since_s = None
        return {str(worker["name"]): address for address, worker in found["workers"].items()}

    def _meet(self) -> None:
        """What a scheduler has to know, also one that was started again: it knows nothing."""
        try:
            self._client.register_plugin(HarnessCore())
        except GONE:
            raise
        except Exception as error:  # what a worker raises that cannot load it
            raise HostError(
                f"a worker cannot do what Fetchoff asks of it: {type(error).__name__}: {error}",
                "install 'fetchoff[fleet]', of one version, where each worker runs",
            ) from error
        if self._on_step is not None:
            self._client.subscribe_topic(self._topic, self._heard)

    def _heard(self, event: tuple[float, dict[str, Any]]) -> None:
        assert self._on_step is not None
        _, told = event
        self._on_step(told["host"], Step(told["workload"], told["step"], told["is_trouble"]))


class DaskTask:
    """A job as a task of Dask."""

    def __init__(self, future: Future) -> None:
        self._future = future

    @property
    def is_done(self) -> bool:
        return bool(self._future.status != "pending")

    def result(self) -> Any:
        """What the job returned. The task is forgotten, so that Dask never does it again."""
        try:
            return self._future.result(timeout=FETCH_S)
        except HostError:
            raise
        except LOST as error:
            raise HostAway(f"{type(error).__name__}: {error}") from error
        except Exception as error:  # of whatever the job met that nobody foresaw
            raise HostFault(f"{type(error).__name__}: {error}") from error
        finally:
            self.drop()

    def drop(self) -> None:
        try:
            self._future.cancel()
        except GONE:
            pass


def must_be_names(hosts: Iterable[str]) -> None:
    """Raise InputError if a worker has no name that records and folders can have."""
    for host in hosts:
        if not NAME.fullmatch(host):
            raise InputError(
                f"a worker of this cluster is called '{host}', which cannot be the name of a host",
                "start it with a name of letters, digits, '.', '_' and '-': --name NAME",
            )


def _gone(why: str) -> ClusterGone:
    return ClusterGone(
        f"the scheduler is gone: {why}",
        "what was fetched is kept; start it again, then continue with 'fetchoff fleet resume'",
    )
