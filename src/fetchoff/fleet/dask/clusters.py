"""Clusters to join: one that is there, one of this machine, and one over SSH.

What is started here ends with the context, and with this process however that ends.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from distributed import Client, Scheduler
from distributed.deploy.spec import SpecCluster
from distributed.deploy.ssh import Worker as SSHWorker
from distributed.security import Security

from fetchoff.catalog.hosts import RemoteHost
from fetchoff.fleet.dask.on_worker import RESOURCE
from fetchoff.fleet.dask.required import environment
from fetchoff.model.errors import HostError
from fetchoff.run.host.machine import usable_cores
from fetchoff.run.host.placement import on_core
from fetchoff.run.os.process import guarded
from fetchoff.run.os.scratch import scratch

LOOPBACK = "127.0.0.1"
CONNECT_S = 20.0
START_S = 60.0
LOOK_S = 0.05
DEATH_S = 30
"""A worker that finds no scheduler for so long ends."""


@contextlib.contextmanager
def there_is(address: str, security: Security | None) -> Iterator[Client]:
    """A client of a scheduler that is there; HostError if it does not answer."""
    try:
        client = Client(address, timeout=CONNECT_S, security=security, set_as_default=False)
    except (OSError, TimeoutError, ValueError, RuntimeError) as error:
        raise HostError(
            f"no scheduler answers at {address}: {error}",
            "start one with 'dask scheduler', and its workers with 'dask worker': docs/fleet.md",
        ) from error
    with _closed(client):
        yield client


@contextlib.contextmanager
def of_this_machine(count: int, security: Security | None) -> Iterator[Client]:
    """A scheduler and `count` workers, local-1 and so on, over loopback.

    Scheduler, workers and this process keep to the harness's core: nobody is measured there.
    """
    harness = usable_cores()[0]
    with scratch() as folder, contextlib.ExitStack() as ending:
        with on_core(harness):
            address = _scheduler(folder, "tls" if security is not None else "tcp", ending)
        for number in range(1, count + 1):
            _worker(folder, address, f"local-{number}", ending)
        with on_core(harness), there_is(address, security) as client:
            _wait_for(client, count)
            yield client


def _scheduler(folder: Path, protocol: str, ending: contextlib.ExitStack) -> str:
    """Start a scheduler; its address."""
    file, log = folder / "scheduler.json", folder / "scheduler.log"
    process = _start(
        "dask_scheduler",
        *("--host", LOOPBACK, "--port", "0", "--protocol", protocol),
        *("--dashboard-address", f"{LOOPBACK}:0", "--scheduler-file", str(file)),
        output=log,
        ending=ending,
    )
    return _address(file, process, log)


def _worker(folder: Path, address: str, name: str, ending: contextlib.ExitStack) -> None:
    """Start a worker; it keeps to its core by itself, and has to see all of them before."""
    _start(
        "dask_worker",
        *(address, "--name", name, "--host", LOOPBACK, "--no-dashboard"),
        *("--no-nanny", "--nthreads", "1", "--memory-limit", "0"),
        *("--resources", f"{RESOURCE}=1", "--death-timeout", str(DEATH_S)),
        *("--local-directory", str(folder / name)),
        output=folder / f"{name}.log",
        ending=ending,
    )


@contextlib.contextmanager
def over_ssh(
    hosts: Sequence[RemoteHost], listen: str, security: Security | None
) -> Iterator[Client]:
    """Workers that SSH starts, and a scheduler in this process that they reach at `listen`."""
    spec = {
        host.name: {
            "cls": SSHWorker,
            "options": {
                "address": host.address,
                "connect_options": _connect_options(host),
                "kwargs": {
                    "name": host.name,
                    "nthreads": 1,
                    "memory_limit": 0,
                    "dashboard": False,
                    "resources": {RESOURCE: 1},
                    "death_timeout": DEATH_S,
                },
                "worker_class": "distributed.Worker",
                "remote_python": host.python,
            },
        }
        for host in hosts
    }
    options: dict[str, Any] = {
        "host": listen,
        "port": 0,
        "protocol": "tls://" if security is not None else "tcp://",
        "dashboard_address": f"{LOOPBACK}:0",
        "security": security,
    }
    try:
        cluster = SpecCluster(
            workers=spec,
            scheduler={"cls": Scheduler, "options": options},
            security=security,
            silence_logs=False,
        )
    except Exception as error:  # asyncssh has many of its own, which need not be installed
        raise HostError(
            f"the hosts cannot be reached by SSH: {error}",
            "each must let you in without a password, and have Fetchoff where 'python' says",
        ) from error
    with cluster:
        client = Client(cluster, security=security, set_as_default=False)
        with _closed(client):
            _wait_for(client, len(hosts))
            yield client


def _connect_options(host: RemoteHost) -> dict[str, Any]:
    options = {"username": host.user, "port": host.port}
    return {name: value for name, value in options.items() if value}


def _wait_for(client: Client, count: int) -> None:
    try:
        client.wait_for_workers(count, timeout=START_S)
    except TimeoutError as error:
        here = len(client.scheduler_info(n_workers=-1)["workers"])
        raise HostError(f"only {here} of {count} hosts came within {START_S:.0f} s") from error


@contextlib.contextmanager
def _closed(client: Client) -> Iterator[None]:
    """Close a client at the end, whatever has become of its scheduler."""
    try:
        yield
    finally:
        with contextlib.suppress(Exception):
            client.close(timeout=2)


def _start(
    module: str, *arguments: str, output: Path, ending: contextlib.ExitStack
) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", f"distributed.cli.{module}", *arguments]
    with output.open("wb") as log:
        process = subprocess.Popen(
            guarded(command),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            env={**os.environ, **environment()},
            start_new_session=True,
        )
    ending.callback(_end, process)
    return process


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(timeout=10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _address(file: Path, scheduler: subprocess.Popen[bytes], log: Path) -> str:
    """The address that a scheduler writes to its file."""
    deadline = time.monotonic() + START_S
    while True:
        with contextlib.suppress(OSError, ValueError, KeyError):
            return str(json.loads(file.read_text())["address"])
        if scheduler.poll() is not None or time.monotonic() > deadline:
            said = log.read_text(errors="replace").strip().splitlines()
            raise HostError(
                f"Dask's scheduler did not start: {said[-1] if said else 'it says nothing'}"
            )
        time.sleep(LOOK_S)
