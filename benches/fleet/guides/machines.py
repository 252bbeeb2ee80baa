"""Machines that are namespaces of this one, with names and addresses of their own, on one network.

They share its kernel, its cores, its files and its `/etc/machine-id`. All of it ends with the
process that made them: nothing of it has a name in `/run/netns`.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

INSIDE = "FETCHOFF_GUIDES_INSIDE"
NETWORK = "10.77.0"
DEVICE = "eth0"
END_S = 20
DIES_WITH_US = ("setpriv", "--pdeathsig", "KILL")


class Impossible(Exception):
    """No such machines can be made here; the text says what failed."""


@dataclass(frozen=True)
class Machine:
    """`pid`: of the process that keeps its namespaces; 0 is ours, the one that drives the fleet."""

    name: str
    address: str
    pid: int = 0

    def command(self, argv: Sequence[str | Path]) -> list[str]:
        """`argv`, to be run there."""
        there = ("nsenter", "--target", str(self.pid), "--net", "--uts") if self.pid else ()
        return [*DIES_WITH_US, *there, *map(str, argv)]


@dataclass
class Network:
    """`head`: the machine that this process is on; `nodes`: the others; `logs`: a folder."""

    head: Machine
    nodes: list[Machine]
    logs: Path
    started: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def start(
        self, machine: Machine, argv: Sequence[str | Path], log: str, env: Mapping[str, str] = {}
    ) -> subprocess.Popen[bytes]:
        """Start what runs until the end; it says what it says into the file `log`."""
        with (self.logs / log).open("ab") as out:
            process = subprocess.Popen(
                machine.command(argv),
                env={**os.environ, **env},
                cwd=self.logs,  # jobs of SLURM write there where they were asked for
                stdin=subprocess.PIPE,
                stdout=out,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self.started.append(process)
        return process

    def end(self) -> None:
        """End what was started, the newest first, each with its group."""
        for process in reversed(self.started):
            for number in (15, 9):
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, number)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(END_S)
                    break
        self.started.clear()


def is_inside() -> bool:
    """Whether this process is the machine `head`, in namespaces of its own."""
    return os.environ.get(INSIDE) == str(os.getpid())


def begin_inside(module: str) -> NoReturn:
    """Begin anew there, as this same process: `unshare` becomes what it starts."""
    os.environ[INSIDE] = str(os.getpid())
    argv = ("unshare", "--net", "--uts", sys.executable, "-m", module, *sys.argv[1:])
    os.execvp("unshare", argv)


@contextlib.contextmanager
def network(count: int, logs: Path) -> Iterator[Network]:
    """`count` machines and this one, on one bridge."""
    _ip("link", "set", "lo", "up")
    joined = Network(Machine("head", f"{NETWORK}.1"), [], logs)
    subprocess.run(("hostname", joined.head.name), check=True)
    _ip("link", "add", DEVICE, "type", "bridge")
    _ip("address", "add", f"{NETWORK}.1/24", "dev", DEVICE)
    _ip("link", "set", DEVICE, "up")
    keepers = []
    try:
        for number in range(1, count + 1):
            keeper = _keeper(f"node{number}")
            keepers.append(keeper)
            node = Machine(f"node{number}", f"{NETWORK}.{10 + number}", keeper.pid)
            _connect(node, f"to-{node.name}")
            joined.nodes.append(node)
        yield joined
    finally:
        joined.end()
        for node in joined.nodes:  # its device would outlast its namespace for a moment
            subprocess.run(("ip", "link", "delete", f"to-{node.name}"), check=False)
        for keeper in keepers:
            keeper.kill()
            keeper.wait()
        subprocess.run(("ip", "link", "delete", DEVICE), check=False)


def _keeper(name: str) -> subprocess.Popen[str]:
    """A process that keeps namespaces, which exist when this returns."""
    lasting = f"hostname {name} && ip link set lo up && echo there && exec sleep infinity"
    argv = [*DIES_WITH_US, "unshare", "--net", "--uts", "sh", "-c", lasting]
    keeper = subprocess.Popen(argv, stdout=subprocess.PIPE, text=True)
    assert keeper.stdout is not None
    if keeper.stdout.readline() != "there\n":
        keeper.wait()
        raise Impossible("no namespaces can be made here")
    return keeper


def _connect(node: Machine, device: str) -> None:
    _ip(*("link", "add", device, "type", "veth"), *("peer", "name", DEVICE, "netns", str(node.pid)))
    _ip("link", "set", device, "master", DEVICE, "up")
    for change in (
        ("address", "add", f"{node.address}/24", "dev", DEVICE),
        ("link", "set", DEVICE, "up"),
    ):
        subprocess.run(node.command(("ip", *change)), check=True)


def _ip(*words: str) -> None:
    done = subprocess.run(("ip", *words), capture_output=True, text=True, check=False)
    if done.returncode:
        raise Impossible(f"ip {' '.join(words)}: {done.stderr.strip()}")
