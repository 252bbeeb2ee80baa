"""An adapter process: the protocol's four requests over a child."""

from __future__ import annotations

import time
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

from fetchoff.model.client import Description, Launch
from fetchoff.model.errors import AdapterError
from fetchoff.protocol import adapter as protocol
from fetchoff.protocol.fields import Garbled, Message, parse
from fetchoff.run.adapters.seam import HELLO_TIMEOUT_S, Meter, ProcessSpec, Timed, Used
from fetchoff.run.host.placement import Cores, Urgency, misplaced, place
from fetchoff.run.os import cgroups, procfs
from fetchoff.run.os.child import Child, encode
from fetchoff.run.os.clocks import (
    ReadKnownNs,
    ReadNs,
    cgroup_cpu_clock,
    elapsed,
    process_cpu_clock,
)
from fetchoff.run.os.process import ChildFailed
from fetchoff.run.os.threads import ThreadTimes, further_since

PREPARE_TIMEOUT_S = 30.0


class Adapter:
    """A started adapter. Raises AdapterError whenever it breaks the protocol."""

    def __init__(
        self,
        name: str,
        launch: Launch,
        cwd: Path,
        stderr: Path,
        cores: Collection[int] | None = None,
        inside: tuple[str, ...] = (),
        lifeline: int | None = None,
    ) -> None:
        self.name = name
        self._group = cgroups.create() if launch.children else None
        self._counts_children = launch.children
        self._started_ns = time.monotonic_ns()
        self.start_up_ms = 0.0
        self._has_farewell = False
        self.launch = launch
        self.children_peak_kb = 0
        self._done = 0
        try:
            self._child = Child(launch.command, launch.env, cwd, stderr, cores, inside, lifeline)
        except ChildFailed as error:
            self._drop_group()
            raise self._fault(error) from error
        self._clock = self._make_clock()

    def _make_clock(self) -> ReadNs:
        if self._group is not None and cgroups.add(self._group, self.pid):
            self._counts_children = False
            return cgroup_cpu_clock(self._group)
        try:
            return process_cpu_clock(self.pid)
        except OSError:
            return lambda: 0

    @property
    def pid(self) -> int:
        return self._child.pid

    @property
    def is_alive(self) -> bool:
        return self._child.is_alive

    @property
    def cpu_group(self) -> Path | None:
        """The control group whose CPU time is its cost; None if its own clock has it all."""
        return self._group if self._group is not None and not self._counts_children else None

    @property
    def tells_children(self) -> bool:
        """Whether only the adapter itself can say what the processes that it starts cost."""
        return self._counts_children

    def cpu_ns(self) -> int:
        """The CPU time that it has used."""
        try:
            return self._clock()
        except OSError as error:
            raise self._fault(error) from error

    def idle_cpu_ns(self, seconds: float) -> int:
        """The CPU time that it uses within so many seconds while it is asked for nothing."""
        before = self.cpu_ns()
        time.sleep(seconds)
        return self.cpu_ns() - before

    def place(self, cores: Cores, urgency: Urgency) -> None:
        """Let all of its threads run on these cores, with this urgency."""
        place(self.pid, cores, urgency)

    def misplaced(self, cores: Cores, urgency: Urgency) -> str:
        """What is not where it was placed, in words; "" when everything is."""
        return misplaced(self.pid, cores, urgency)

    def meter(self) -> Meter:
        """Start counting what it uses: CPU ticks, peak memory, context switches, threads."""
        pid = self.pid
        procfs.reset_peak(pid)
        self.children_peak_kb, done = 0, self._done
        try:
            before, threads = procfs.read(pid), ThreadTimes.read(pid)
        except OSError as error:
            raise self._fault(error) from error

        def used() -> Used | None:
            try:
                usage = procfs.read(pid).since(before, self.children_peak_kb)
            except OSError:
                return None
            page_faults = None if self.launch.children else usage.page_faults
            usage = replace(usage, page_faults=page_faults, exchanges=self._done - done)
            return Used(usage, further_since(threads, pid))

        return used

    def begin(self, n: int, *, busy_ns: int = 0) -> None:
        """Ask for n iterations; `finished` reads the answer."""
        try:
            self._child.send(protocol.run(n, busy_ns=busy_ns))
        except ChildFailed as error:
            raise self._fault(error) from error

    def finished(self, timeout_s: float) -> protocol.Done:
        """The answer to `begin`."""
        try:
            return self._checked(protocol.read_done(self._child.receive(timeout_s)))
        except (ChildFailed, Garbled) as error:
            raise self._fault(error) from error

    @property
    def output_fd(self) -> int:
        """The file to poll(2) for an answer."""
        return self._child.output_fd

    def say_hello(self) -> None:
        """Send `hello`; the answer is read by `description`, so that many can start at once."""
        try:
            self._child.send(protocol.HELLO)
        except ChildFailed as error:
            raise self._fault(error) from error

    def description(self, timeout_s: float = HELLO_TIMEOUT_S) -> Description:
        """Read the answer to `hello`, within `timeout_s` from the start of the process."""
        started_s = self._started_ns / 1e9
        try:
            description = protocol.read_description(self._child.receive(timeout_s, started_s))
        except (ChildFailed, Garbled) as error:
            raise self._fault(error) from error
        self.start_up_ms = (time.monotonic_ns() - self._started_ns) / 1e6
        return description

    def prepare(self, message: Message, timeout_s: float = PREPARE_TIMEOUT_S) -> protocol.Prepared:
        """Send a `prepare` request."""
        try:
            return protocol.read_prepared(self._child.ask(message, timeout_s))
        except (ChildFailed, Garbled) as error:
            raise self._fault(error) from error

    def ask_raw(self, line: bytes) -> Message:
        """Send bytes as they are, and read the answer."""
        try:
            self._child.send_line(line)
            return self._child.receive(PREPARE_TIMEOUT_S)
        except ChildFailed as error:
            raise self._fault(error) from error

    def ends_with_its_input(self, patience_s: float = 5.0) -> bool:
        """Close its input. Returns whether it then ends by itself."""
        return self._child.ends_with_its_input(patience_s)

    def has_left_others(self, patience_s: float = 1.0) -> bool:
        """Whether processes that it started are still alive after it has ended."""
        return self._child.has_left_others(patience_s)

    def run(self, n: int, timeout_s: float, *, digest: bool = False) -> protocol.Done:
        """Run n iterations, untimed."""
        try:
            answer = self._child.ask(protocol.run(n, digest=digest), timeout_s)
            return self._checked(protocol.read_done(answer))
        except (ChildFailed, Garbled) as error:
            raise self._fault(error) from error

    def run_timed(
        self,
        n: int,
        timeout_s: float,
        origin_cpu: ReadKnownNs,
        *,
        busy_ns: int = 0,
        digest: bool = False,
        allocations: bool = False,
    ) -> Timed:
        """Run n iterations between two readings of the clocks."""
        asked = protocol.run(n, busy_ns=busy_ns, digest=digest, allocations=allocations)
        line = encode(asked)
        clock, now = self._clock, time.perf_counter_ns
        try:
            origin_before = origin_cpu()
            cpu_before = clock()
            wall_before = now()
            self._child.send_line(line)
            answer_line = self._child.receive_line(timeout_s)
            wall_after = now()
            cpu_after = clock()
            origin_after = origin_cpu()
            answer = self._checked(protocol.read_done(parse(answer_line)))
        except (ChildFailed, Garbled, OSError) as error:
            raise self._fault(error) from error
        cpu_ns = cpu_after - cpu_before
        if self._counts_children and answer.children_ns is not None:
            cpu_ns += sum(answer.children_ns)
        origin_ns = elapsed(origin_before, origin_after)
        return Timed(answer, wall_after - wall_before, cpu_ns, origin_ns)

    def _checked(self, answer: protocol.Done) -> protocol.Done:
        self.children_peak_kb = max(self.children_peak_kb, answer.children_peak_kb)
        self._done += answer.done
        if self._child.has_unread:
            raise Garbled("says more than one line for one request")
        return answer

    def request_exit(self) -> None:
        """Ask it to finish, without waiting: many can end at once."""
        if not self._has_farewell:
            self._child.request_exit(protocol.FINISH)
            self._has_farewell = True

    def end(self) -> None:
        """Ask it to finish, then end it with all that it started."""
        try:
            self.request_exit()
            self._child.end()
        finally:
            self._drop_group()

    def kill(self) -> None:
        """End it now, with all that it started."""
        self._child.kill()
        self._drop_group()

    def _drop_group(self) -> None:
        if self._group is not None:
            cgroups.remove(self._group)

    def _fault(self, error: Exception) -> AdapterError:
        return AdapterError(
            f"{self.name}: {error}", f"'fetchoff check {self.name}' tries it by itself"
        )


def start(spec: ProcessSpec) -> Adapter:
    """Start an adapter process of a run; its standard error goes to a file of its own."""
    stderr = spec.folder / (spec.process.replace("/", "--") + ".stderr")
    at, lifeline = spec.network.at_client, spec.network.lifeline
    return Adapter(spec.client, spec.launch, spec.folder, stderr, spec.cores, at, lifeline)


def hello(name: str, launch: Launch, cwd: Path, stderr: Path) -> Description:
    """Start an adapter, ask who it is, and end it."""
    adapter = Adapter(name, launch, cwd, stderr)
    try:
        adapter.say_hello()
        return adapter.description()
    finally:
        adapter.end()
