"""A cluster of Dask as the driver sees it. Hosts are workers, by their names."""

from __future__ import annotations

import pickle
import time
import uuid
from collections.abc import Callable, Iterable
from concurrent.futures import Future as Answer
from concurrent.futures import wait
from typing import Any

from distributed import Client, Future, KilledWorker
from distributed.utils import CancelledError

from fetchoff.fleet.dask.asked import GONE, READY_S, listing, on_worker
from fetchoff.fleet.dask.on_worker import RESOURCE, get_ready, let_go, run_job
from fetchoff.fleet.seam.cluster import NAME, ClusterGone, HostAway, HostFault, Job, Step
from fetchoff.model.errors import HostError, InputError

PAUSE_S = 0.1
FRESH_S = 0.5
"""For so long what the scheduler says of its workers is not asked for again."""

FETCH_S = 60.0
"""For a result to come: its worker may have died since, and then it never comes."""

PATIENCE_S = 30.0
"""A scheduler that is connected to and does not answer for so long is gone."""

LET_GO_S = 5.0
"""For workers to be as they were before; one that is gone or stopped never says so."""

LOST = (KilledWorker, CancelledError, OSError, TimeoutError)
"""What comes instead of a result where its worker or the scheduler is gone."""

OnStep = Callable[[str, Step], None]


class JoinedCluster:
    """The workers of a scheduler. `on_step`: told what a host does, in a thread of Dask's.

    A worker is there as soon as it is ready for jobs. If the scheduler is started again at its
    address soon enough, Dask's client finds it. Until then no host is there.
    """

    def __init__(self, client: Client, on_step: OnStep | None = None) -> None:
        self._client = client
        self._on_step = on_step
        self._topic = f"fetchoff-{uuid.uuid4().hex}"
        self._scheduler = ""
        self._addresses: dict[str, str] = {}
        self._getting_ready: dict[str, Answer[None]] = {}  # by address
        self._failed: dict[str, BaseException | None] = {}  # by address, of those asked again
        self._asked: set[str] = set()
        self._waiting: set[str] = set()
        self._listed_s = 0.0
        self._failing_since_s: float | None = None
        self._list()
        self._await_newcomers()

    @property
    def dashboard(self) -> str:
        """The address of Dask's dashboard, "" if there is none."""
        try:
            return str(self._client.dashboard_link or "")
        except (*GONE, KeyError):
            return ""

    @property
    def unfit(self) -> dict[str, str]:
        """Workers that are listed and cannot be given jobs, and why."""
        return {
            host: self._why_not(address)
            for host, address in self._addresses.items()
            if not self._is_ready(address)
        }

    def present(self) -> frozenset[str]:
        self._refresh()
        return frozenset(h for h, address in self._addresses.items() if self._is_ready(address))

    def start(self, host: str, job: Job, longest_s: float) -> DaskTask:
        if host in self._asked:  # it may have come back elsewhere since
            self._list()
        self._refresh()
        address = self._addresses.get(host, "")
        if not self._is_ready(address):
            raise HostAway("it is not there any more")
        self._asked.add(host)
        self._waiting.discard(host)
        try:
            # `workers` is the address that the name has now: Dask would keep to it for ever, so
            # the driver has deadlines of its own.
            future = self._client.submit(
                run_job,
                pickle.dumps(job),
                self._topic,
                longest_s,
                key=f"fetchoff-{uuid.uuid4().hex}",
                workers=[address],
                allow_other_workers=False,
                resources={RESOURCE: 1},
                retries=0,
                pure=False,
            )
        except GONE as error:
            raise HostAway("it cannot be asked", str(error)) from error
        return DaskTask(
            future,
            is_waiting=lambda: host in self._waiting,
            has_moved=lambda: self._addresses.get(host, address) != address,
        )

    def pause(self) -> None:
        time.sleep(PAUSE_S)

    def now_s(self) -> float:
        return time.monotonic()

    def let_go(self) -> None:
        """Leave the workers as they were before; those that do not answer are left alone."""
        if self._client.status == "running":
            ready = [address for address in self._addresses.values() if self._is_ready(address)]
            wait([on_worker(self._client, address, let_go) for address in ready], LET_GO_S)

    def _await_newcomers(self) -> None:
        """Wait until workers are ready, also those that come meanwhile: they aren't unfit. READY_S
        at most, because one that hangs never is."""
        until_s = time.monotonic() + READY_S
        while coming := [
            answer
            for address, answer in self._getting_ready.items()
            if not answer.done() and address not in self._failed
        ]:
            wait(coming, max(0.0, until_s - time.monotonic()))
            if time.monotonic() >= until_s:
                return
            self._list()

    def _refresh(self) -> None:
        """Ask who is there if that was asked too long ago."""
        if time.monotonic() - self._listed_s > FRESH_S:
            self._list()

    def _list(self) -> None:
        """Ask who is there, and get newcomers ready; nobody while the scheduler does not answer."""
        began = time.monotonic()
        status = self._client.status
        if status not in ("running", "connecting"):
            raise _gone(f"the connection is {status}")
        self._asked.clear()
        self._addresses = self._listed(began) if status == "running" else {}
        self._listed_s = time.monotonic()

    def _listed(self, began: float) -> dict[str, str]:
        try:
            found = listing(self._client)
            if found.scheduler != self._scheduler:  # also one that was started again
                self._meet(found.scheduler)
        except GONE as error:
            if self._failing_since_s is None:
                self._failing_since_s = began
            if time.monotonic() - self._failing_since_s > PATIENCE_S:
                raise _gone(str(error) or "it does not answer") from error
            return {}
        self._failing_since_s = None
        self._get_ready(found.addresses.values())
        return found.addresses

    def _meet(self, scheduler: str) -> None:
        """What has to be done with each scheduler once."""
        self._getting_ready.clear()
        self._failed.clear()
        self._client.subscribe_topic(self._topic, self._heard)
        self._scheduler = scheduler

    def _get_ready(self, addresses: Iterable[str]) -> None:
        """Ask newcomers to get ready, and those again that did not answer."""
        known, self._getting_ready = self._getting_ready, {}
        for address in addresses:
            answer = known.get(address)
            if answer is None or _is_late(answer):
                if answer is not None:
                    self._failed[address] = _error(answer)
                answer = on_worker(self._client, address, get_ready)
            self._getting_ready[address] = answer

    def _is_ready(self, address: str) -> bool:
        answer = self._getting_ready.get(address)
        return answer is not None and answer.done() and _error(answer) is None

    def _why_not(self, address: str) -> str:
        """Why a worker isn't ready: its error, the last one if it is asked again just now."""
        answer = self._getting_ready.get(address)
        is_told = answer is not None and answer.done()
        error = _error(answer) if answer and is_told else self._failed.get(address)
        if error is None or isinstance(error, TimeoutError):
            return "it does not answer"
        return f"{type(error).__name__}: {error}"

    def _heard(self, event: tuple[float, dict[str, Any]]) -> None:
        _, told = event
        if told["waits"]:
            self._waiting.add(told["host"])
        else:
            self._waiting.discard(told["host"])
        if self._on_step is not None:
            self._on_step(told["host"], Step(told["workload"], told["step"], told["is_trouble"]))


class DaskTask:
    """A job as a task of Dask.

    `is_waiting`: whether its host has said so. `has_moved`: whether its host is known to be at
    another address than the one that the task is bound to.
    """

    def __init__(
        self, future: Future, is_waiting: Callable[[], bool], has_moved: Callable[[], bool]
    ) -> None:
        self._future = future
        self._is_waiting = is_waiting
        self._has_moved = has_moved

    @property
    def is_done(self) -> bool:
        return self._has_answer or self._has_moved()

    @property
    def waits(self) -> bool:
        return self._is_waiting()

    def result(self) -> Any:
        """What the job returned. The task is forgotten, so that Dask never does it again."""
        try:
            if not self._has_answer and self._has_moved():
                raise HostAway("it has come back at another address")
            return self._future.result(timeout=FETCH_S)
        except HostError:
            raise
        except LOST as error:  # its text may hold addresses, as below
            raise HostAway(f"it went away: {type(error).__name__}", str(error)) from error
        except Exception as error:  # of whatever the job met that nobody foresaw
            # Its text may hold addresses, and what a host is lost for is stored.
            raise HostFault(f"its worker failed with {type(error).__name__}") from error
        finally:
            self.drop()

    def drop(self) -> None:
        try:
            self._future.cancel()
        except GONE:
            pass

    @property
    def _has_answer(self) -> bool:
        return bool(self._future.status != "pending")


def must_be_names(hosts: Iterable[str]) -> None:
    """Raise InputError if a worker has no name that records and folders can have."""
    for host in hosts:
        if not NAME.fullmatch(host):
            raise InputError(
                f"a worker of this cluster is called '{host}', which cannot be the name of a host",
                "start it with a name of letters, digits, '.', '_' and '-': --name NAME",
            )


def _error(answer: Answer[None]) -> BaseException | None:
    """The error that an answer is, if it is one; it is cancelled where the client was closed."""
    return OSError("the client is closed") if answer.cancelled() else answer.exception()


def _is_late(answer: Answer[None]) -> bool:
    """Whether it did not come in time, or was lost on its way."""
    return answer.done() and isinstance(_error(answer), OSError | TimeoutError)


def _gone(why: str) -> ClusterGone:
    return ClusterGone(
        f"the scheduler is gone: {why}",
        "what was fetched is kept; start it again, then continue with 'fetchoff fleet resume'",
    )
