"""Check whether this machine is fit for measuring."""

from __future__ import annotations

import contextlib
import os
import shutil
import statistics
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from fetchoff.app.loopbacks import lacking
from fetchoff.model.errors import FetchoffError
from fetchoff.model.link import Link
from fetchoff.run.host import machine
from fetchoff.run.host.placement import Urgency, may_be_real_time, strongest_urgency
from fetchoff.run.host.topology import Topology
from fetchoff.run.network.emulator import EmulatedNetwork
from fetchoff.run.origins.built_in import BuiltInOrigin
from fetchoff.run.os import cpu_quota
from fetchoff.run.os.clocks import process_cpu_clock
from fetchoff.run.os.scratch import scratch

SPINS = 200
SPIN_NS = 1_000_000
NOISY = 0.03
BUSY_LOAD = 0.5
HOW_MUCH_IT_MATTERS = (
    "verdicts can depend on it: of eight clients measured on small-get, go/fasthttp and c/libcurl "
    "changed places when placed freely, and Go's two took 2 to 3 times as much CPU time"
)
"""On two cores: docs/decisions/0012-placement.md."""


class Health(StrEnum):
    """`limited`: you can measure, and the results mention the limitation."""

    GOOD = "good"
    LIMITED = "limited"
    BAD = "bad"


@dataclass(frozen=True)
class MachineCheck:
    """One finding about the machine; `hint`: how to improve it."""

    health: Health
    text: str
    hint: str = ""


def check_machine() -> list[MachineCheck]:
    """All findings; takes about a second."""
    return [
        finding
        for look in (
            _cores,
            _quota,
            _placements,
            _priority,
            _clock,
            check_origin,
            _steal,
            _load,
            _children,
            _guard,
            _loopback,
            _links,
        )
        for finding in look()
    ]


def _cores() -> Iterator[MachineCheck]:
    yield from judge_cores(Topology.of(os.sched_getaffinity(0)))


def judge_cores(topology: Topology) -> Iterator[MachineCheck]:
    """How many there are, and what the client shares."""
    cores = topology.in_order()
    count = len(cores)
    if count == 1:
        yield MachineCheck(
            Health.LIMITED,
            "one core: the harness shares it with client and origin",
            "trust CPU time; wall time includes the harness's work",
        )
    elif topology.together(cores[0], cores[-1]):
        yield MachineCheck(
            Health.LIMITED,
            f"{count} cores, which are threads of one physical core: client and harness slow each "
            "other",
            "measure where two physical cores can be used",
        )
    elif count == 2:
        yield MachineCheck(
            Health.GOOD, "2 cores: client and origin share one, the harness has the other"
        )
    else:
        shared = topology.physical < count
        threads = f", threads of {topology.physical} physical ones" if shared else ""
        yield MachineCheck(Health.GOOD, f"{count} cores{threads}: clients run on core {cores[-1]}")


def _quota() -> Iterator[MachineCheck]:
    yield judge_quota(cpu_quota.tightest(), len(os.sched_getaffinity(0)))


def judge_quota(quota_cores: float, usable_cores: int) -> MachineCheck:
    """Whether a CPU quota can stop what is measured."""
    if quota_cores >= usable_cores:
        return MachineCheck(Health.GOOD, "no CPU quota below the number of cores")
    return MachineCheck(
        Health.LIMITED,
        f"a CPU quota of {cpu_quota.told(quota_cores)} for {usable_cores} usable: when it is used "
        "up, the kernel stops clients and origin for a while, which wall time contains",
        "raise the container's limit ('docker run --cpus', Kubernetes' limits.cpu), or go by CPU "
        "time",
    )


def _placements() -> Iterator[MachineCheck]:
    count = len(os.sched_getaffinity(0))
    if count == 1:
        yield MachineCheck(
            Health.LIMITED,
            "placement: client, origin and harness share one core",
            "on more cores, verdicts on clients with several threads can differ",
        )
        return
    shared = "separate-cores and free also use the harness's core"
    had = shared if count == 2 else "all are possible"
    yield MachineCheck(Health.GOOD, f"--placement: {had}; {HOW_MUCH_IT_MATTERS}")


def _priority() -> Iterator[MachineCheck]:
    if strongest_urgency() is Urgency.HIGH:
        yield MachineCheck(
            Health.GOOD, "nice -20 is permitted: measured processes have priority over others"
        )
    else:
        yield MachineCheck(
            Health.LIMITED,
            "no higher priority is permitted: other processes can preempt clients",
            "run as root, or raise the limit: 'ulimit -e 40', limits.conf(5)",
        )
    if not may_be_real_time():
        yield MachineCheck(
            Health.LIMITED,
            "no real-time priority: the link emulator can be late on a busy machine",
            "run as root, or raise the limit: 'ulimit -r 1', limits.conf(5)",
        )


def _clock() -> Iterator[MachineCheck]:
    try:
        read = process_cpu_clock(os.getpid())
    except OSError as error:
        yield MachineCheck(
            Health.BAD,
            f"the CPU clocks of other processes cannot be read: {error}",
            "use Linux",
        )
        return
    began = time.perf_counter_ns()
    for _ in range(1000):
        read()
    cost_ns = (time.perf_counter_ns() - began) / 1000
    yield MachineCheck(
        Health.GOOD,
        f"CPU clocks of processes: in nanoseconds, {cost_ns:.0f} ns per reading",
    )


def check_origin() -> Iterator[MachineCheck]:
    """Whether the built-in origin starts."""
    with scratch() as folder:
        try:
            with contextlib.ExitStack() as started:
                origin = BuiltInOrigin(folder)
                started.callback(origin.end)
                origin.open().close()
        except FetchoffError as error:  # its program may be missing, too
            yield MachineCheck(Health.BAD, error.message, error.hint)
        else:
            yield MachineCheck(Health.GOOD, "the built-in origin starts and answers")


def _steal() -> Iterator[MachineCheck]:
    """Repeat the same spin, and see how long each takes."""
    took = []
    for _ in range(SPINS):
        began_cpu = time.thread_time_ns()
        began = time.perf_counter_ns()
        while time.thread_time_ns() - began_cpu < SPIN_NS:
            pass
        took.append(time.perf_counter_ns() - began)
    yield judge_steal(took)


def judge_steal(took_ns: Sequence[float]) -> MachineCheck:
    """How much of the time of equal spins went to other work, which the shortest had least of."""
    lost = 1 - min(took_ns) / statistics.mean(took_ns)
    text = f"other work took {lost:.1%} of the time of a spinning process"
    if lost <= NOISY:
        return MachineCheck(Health.GOOD, text)
    hint = "stop other work, or expect to need more rounds for a verdict"
    return MachineCheck(Health.LIMITED, text, hint)


def _load() -> Iterator[MachineCheck]:
    load = os.getloadavg()[0]
    if load > BUSY_LOAD * len(os.sched_getaffinity(0)):
        yield MachineCheck(
            Health.LIMITED,
            f"the load is {load:.1f}: other programs are running",
            "stop them, or wait until they end",
        )
    else:
        yield MachineCheck(Health.GOOD, f"the load is {load:.1f}")


def _children() -> Iterator[MachineCheck]:
    yield judge_children(has_cgroups=machine.has_cgroups(), is_root=os.geteuid() == 0)


def judge_children(*, has_cgroups: bool, is_root: bool) -> MachineCheck:
    """How the cost of processes that a client starts is counted here."""
    if has_cgroups:
        return MachineCheck(
            Health.GOOD, "control groups: the cost of clients' child processes is exact"
        )
    return MachineCheck(
        Health.LIMITED,
        "no control groups: the cost of clients' child processes comes from wait4",
        # a container, or a namespace that `ip netns exec` enters, may have none for root either
        "mount control groups at /sys/fs/cgroup, writable"
        if is_root
        else "run as root, which can make control groups",
    )


def _guard() -> Iterator[MachineCheck]:
    if shutil.which("setpriv") is None:
        yield MachineCheck(
            Health.LIMITED,
            "no setpriv: if the harness is killed, a client that hangs keeps running",
            "install the package util-linux",
        )


def _loopback() -> Iterator[MachineCheck]:
    why_not = lacking()
    if why_not is None:
        yield MachineCheck(
            Health.GOOD, "a loopback of its own can be made, with receive buffers of one size"
        )
    else:
        yield MachineCheck(
            Health.LIMITED,
            "no loopback of its own, so downloads vary more from process to process: "
            f"{why_not.message}",
            why_not.hint,
        )


def _links() -> Iterator[MachineCheck]:
    anywhere = Link("anywhere", "")
    with scratch() as folder:
        try:
            core = machine.usable_cores()[0]
            network = EmulatedNetwork(folder, core, anywhere.mtu, anywhere.congestion)
        except FetchoffError as error:
            yield MachineCheck(Health.LIMITED, f"no emulated links: {error.message}", error.hint)
        else:
            network.close()
            how = network.backend.replace("_", " ")
            yield MachineCheck(Health.GOOD, f"links can be emulated by {how}; see 'fetchoff links'")
