"""A cluster whose workers SSH starts, by Dask's own means."""

from __future__ import annotations

import asyncio
import contextlib
import shlex
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from distributed import Client, Scheduler
from distributed.core import Status
from distributed.deploy.spec import ProcessInterface, SpecCluster
from distributed.deploy.ssh import Worker as SSHWorker
from distributed.security import Security
from distributed.utils import format_dashboard_link
from tornado.ioloop import PeriodicCallback

from fetchoff.catalog.hosts import RemoteHost
from fetchoff.fleet.dask.clusters import (
    CONNECT_S,
    DEATH_S,
    LOOPBACK,
    START_S,
    closed,
    missing,
)
from fetchoff.fleet.dask.on_worker import RESOURCE
from fetchoff.model.errors import HostError
from fetchoff.run.host.machine import usable_cores
from fetchoff.run.host.placement import on_core

WORKER = "fetchoff.fleet.dask.on_worker.OneAddressWorker"
ALIVE_S = 15
"""Without a sign of life from a host, its connection is asked for one."""

AGAIN_S = 5.0
"""Between two looks at whether a worker has to be started again."""

ACCESS = "each must let you in without a password, and have 'fetchoff[fleet]' where 'python' says"

Told = Callable[[str, HostError], None]


class SSHHost(SSHWorker):  # type: ignore[misc]
    """A worker that SSH starts. One that can't be started ends nobody else: `told` is told why, and
    the cluster starts it again."""

    def __init__(self, scheduler: str, told: Told, **options: Any) -> None:
        super().__init__(scheduler, **options)
        self._told = told
        self.has_failed = False

    async def start(self) -> None:
        try:
            await asyncio.wait_for(super().start(), START_S)
        except Exception as error:  # asyncssh has many of its own, which need not be installed
            told = HostError("it cannot be started by SSH", await self._reason(error))
            self._told(self.name, told)
            self.has_failed = True
            await ProcessInterface.start(self)

    async def _reason(self, error: Exception) -> str:
        """Dask says only that a worker did not start; so ask the host for what may lack there."""
        if self.connection is None:
            return str(error) or f"it did not answer within {START_S:.0f} s"
        code = shlex.quote(f"import {WORKER.rpartition('.')[0]}")
        with contextlib.suppress(Exception):
            tried = await self.connection.run(
                f"{self.remote_python} -c {code}", timeout=START_S, errors="replace"
            )
            said = str(tried.stderr).strip().splitlines()
            if tried.exit_status != 0 and said:
                return said[-1]
        return f"its worker did not start: {error}"


class SSHCluster(SpecCluster):  # type: ignore[misc]
    """Tells where its dashboard is: on loopback, wherever the scheduler listens for hosts."""

    @property
    def dashboard_link(self) -> str:
        port = self.scheduler_info.get("services", {}).get("dashboard")
        return str(format_dashboard_link(LOOPBACK, port)) if port else ""


def worker_options(name: str) -> dict[str, Any]:
    """What a worker is started with, by whatever means: options of WORKER."""
    return {
        "name": name,
        "nthreads": 1,
        "memory_limit": 0,
        "dashboard": False,
        "resources": {RESOURCE: 1},
        "death_timeout": DEATH_S,
    }


@contextlib.contextmanager
def over_ssh(
    hosts: Sequence[RemoteHost], listen: str, security: Security | None, absent: Told
) -> Iterator[Client]:
    """Workers that SSH starts, and a scheduler in this process that they reach at `listen`.

    A worker that ends is started again. `absent` is told hosts that don't come, once for each
    reason, in any thread; its hint may hold addresses. HostError if none comes. This process keeps
    to the harness's core: this machine may be one of the hosts.
    """
    faults: dict[str, str] = {}

    def told(name: str, error: HostError) -> None:
        if faults.get(name) != error.hint:
            faults[name] = error.hint
            absent(name, error)

    names = [host.name for host in hosts]
    with on_core(usable_cores()[0]), _cluster(hosts, listen, security, told) as cluster:
        if faults.keys() >= set(names):
            raise HostError("no host can be started by SSH", ACCESS)
        client = Client(cluster, security=security, set_as_default=False)
        with closed(client):
            _wait_for(client, [name for name in names if name not in faults], listen, absent)
            _tend(cluster, len(names))
            yield client


@contextlib.contextmanager
def _cluster(
    hosts: Sequence[RemoteHost], listen: str, security: Security | None, told: Told
) -> Iterator[SSHCluster]:
    spec = {host.name: {"cls": SSHHost, "options": _options(host, told)} for host in hosts}
    options = {
        "host": listen,
        "port": 0,
        "protocol": "tls://" if security is not None else "tcp://",
        "dashboard_address": f"{LOOPBACK}:0",
        "security": security,
    }
    try:
        cluster = SSHCluster(
            workers=spec,
            scheduler={"cls": Scheduler, "options": options},
            security=security,
            silence_logs=False,
        )
    except (OSError, RuntimeError) as error:
        raise HostError(
            f"the scheduler cannot listen at {listen}: {error}",
            "'listen' in the file of hosts must be an address of this machine",
        ) from error
    with cluster:
        yield cluster


def _options(host: RemoteHost, told: Told) -> dict[str, Any]:
    login = {"username": host.user, "port": host.port}
    return {
        "told": told,
        "address": host.address,
        "connect_options": {
            **{name: value for name, value in login.items() if value},
            "connect_timeout": CONNECT_S,
            "keepalive_interval": ALIVE_S,
        },
        "kwargs": worker_options(host.name),
        "worker_class": WORKER,
        "remote_python": shlex.quote(host.python),
    }


def _wait_for(client: Client, names: Sequence[str], listen: str, absent: Told) -> None:
    """Wait for workers that were started; HostError if none of them comes."""
    late = missing(client, names)
    hint = f"'listen' must be an address of this machine that hosts can reach; it is {listen}"
    why = f"did not come within {START_S:.0f} s"
    if late and len(late) == len(names):
        raise HostError(f"no host came to the scheduler: {', '.join(late)} {why}", hint)
    for name in late:
        absent(name, HostError(f"it {why}", hint))


def _tend(cluster: SSHCluster, count: int) -> None:
    """Start workers again that are gone, as long as the cluster lasts.

    Dask's cluster lets go of a worker some seconds after it has gone, and opens what it lacks
    whenever it is scaled, also to what it has.
    """

    def tend() -> None:
        for name, host in list(cluster.workers.items()):
            if host.has_failed:
                del cluster.workers[name]
                host.status = Status.failed
        cluster.scale(count)

    tending = PeriodicCallback(tend, AGAIN_S * 1000)
    cluster.periodic_callbacks["fetchoff"] = tending
    cluster.loop.add_callback(tending.start)
