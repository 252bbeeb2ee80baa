"""Clusters to join: one that is there, and one of this machine (over_ssh.py: one over SSH).

What is started here ends with the context, and with this process however that ends.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from distributed import Client
from distributed.comm.addressing import parse_address, parse_host_port
from distributed.comm.registry import get_backend
from distributed.security import Security

from fetchoff.fleet.dask.asked import GONE, listing
from fetchoff.fleet.dask.on_worker import RESOURCE
from fetchoff.fleet.dask.required import environment
from fetchoff.model.errors import HostError, InputError
from fetchoff.run.host.machine import usable_cores
from fetchoff.run.host.placement import on_core
from fetchoff.run.os.process import guarded
from fetchoff.run.os.scratch import scratch

LOOPBACK = "127.0.0.1"
TLS = "tls://"
CONNECT_S = 20.0
START_S = 60.0
END_S = 10.0
LOOK_S = 0.05
DEATH_S = 30
"""A worker that finds no scheduler for so long ends."""


@contextlib.contextmanager
def there_is(address: str, security: Security | None) -> Iterator[Client]:
    """A client of a scheduler that is there; HostError if it does not answer.

    InputError if it is no address, or is to be reached by TLS without certificates: Dask has only a
    TypeError for that. This process keeps to the harness's core meanwhile: this machine may be one
    of the hosts.
    """
    must_be_an_address(address)
    if security is None and address.startswith(TLS):
        raise InputError(
            f"{address} is reached by TLS, which needs certificates",
            "add --security; docs/fleet.md shows how to make them and where to name them",
        )
    with on_core(usable_cores()[0]):
        try:
            client = Client(address, timeout=CONNECT_S, security=security, set_as_default=False)
        except (OSError, TimeoutError, ValueError, RuntimeError) as error:
            raise HostError(
                f"no scheduler answers at {address}: {error}",
                "start one with 'dask scheduler', and its workers with 'dask worker': "
                "docs/fleet.md",
            ) from error
        with closed(client):
            yield client


def must_be_an_address(address: str) -> None:
    """Raise InputError if no scheduler can have this address: a client of Dask's that never had
    one isn't closed in order."""
    try:
        scheme, place = parse_address(address)
        get_backend(scheme)
        parse_host_port(place)
    except ValueError as error:
        raise InputError(
            f"'{address}' is not the address of a scheduler: {error}",
            "give its host and its port, such as --scheduler tcp://HOST:8786",
        ) from error


@contextlib.contextmanager
def of_this_machine(count: int, security: Security | None) -> Iterator[Client]:
    """A scheduler and `count` workers, local-1 and so on, over loopback.

    Scheduler, workers and this process keep to the harness's core: nobody is measured there.
    HostError if one of them doesn't start.
    """
    with scratch() as folder, contextlib.ExitStack() as ending:
        with on_core(usable_cores()[0]):
            address = _scheduler(folder, "tls" if security is not None else "tcp", ending)
        workers: list[subprocess.Popen[bytes]] = []
        ending.callback(_end, workers)
        names = [f"local-{number}" for number in range(1, count + 1)]
        for name in names:
            workers.append(_worker(folder, address, name))
        with there_is(address, security) as client:
            if late := missing(client, names):
                said = _last_line(folder / f"{late[0]}.log")
                raise HostError(f"the worker {late[0]} did not start: {said}")
            yield client


def missing(client: Client, names: Iterable[str]) -> list[str]:
    """Those of these workers that have not come to their scheduler within START_S."""
    deadline, left = time.monotonic() + START_S, list(names)
    while left and time.monotonic() < deadline:
        with contextlib.suppress(*GONE):
            there = listing(client).addresses
            left = [name for name in left if name not in there]
        if left:
            time.sleep(LOOK_S)
    return left


@contextlib.contextmanager
def closed(client: Client) -> Iterator[None]:
    """Close a client at the end, whatever has become of its scheduler."""
    try:
        yield
    finally:
        with contextlib.suppress(Exception):
            client.close(timeout=2)


def _scheduler(folder: Path, protocol: str, ending: contextlib.ExitStack) -> str:
    """Start a scheduler; its address."""
    file, log = folder / "scheduler.json", folder / "scheduler.log"
    process = _start(
        "dask_scheduler",
        *("--host", LOOPBACK, "--port", "0", "--protocol", protocol),
        *("--dashboard-address", f"{LOOPBACK}:0", "--scheduler-file", str(file)),
        output=log,
    )
    ending.callback(_end, [process])
    return _address(file, process, log)


def _worker(folder: Path, address: str, name: str) -> subprocess.Popen[bytes]:
    """Start a worker; it keeps to its core by itself, and has to see all of them before."""
    return _start(
        "dask_worker",
        *(address, "--name", name, "--host", LOOPBACK),
        # Without an address, its HTTP server listens everywhere, dashboard or not.
        *("--no-dashboard", "--dashboard-address", f"{LOOPBACK}:0"),
        *("--no-nanny", "--nthreads", "1", "--memory-limit", "0"),
        *("--resources", f"{RESOURCE}=1", "--death-timeout", str(DEATH_S)),
        *("--local-directory", str(folder / name)),
        output=folder / f"{name}.log",
    )


def _start(module: str, *arguments: str, output: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", f"distributed.cli.{module}", *arguments]
    with output.open("wb") as log:
        return subprocess.Popen(
            guarded(command),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            env={**os.environ, **environment()},
            start_new_session=True,
        )


def _end(processes: Sequence[subprocess.Popen[bytes]]) -> None:
    """End them all at once: a worker that has a job takes all the time that it is given."""
    for process in processes:
        process.terminate()
    deadline = time.monotonic() + END_S
    for process in processes:
        try:
            process.wait(timeout=max(0.0, deadline - time.monotonic()))
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
            raise HostError(f"Dask's scheduler did not start: {_last_line(log)}")
        time.sleep(LOOK_S)


def _last_line(log: Path) -> str:
    said = log.read_text(errors="replace").strip().splitlines()
    return said[-1] if said else "it says nothing"
