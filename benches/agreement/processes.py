"""A process that does exchanges on request, and their cost."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Protocol

from benches.agreement.subjects import Subject, Way

from fetchoff.model.client import Launch
from fetchoff.model.workload import FormBody, Settings, Workload
from fetchoff.protocol import adapter as protocol
from fetchoff.protocol.adapter import Spool
from fetchoff.protocol.fields import Garbled, Message
from fetchoff.run.network.seam import LOOPBACK, Network
from fetchoff.run.os.child import Child
from fetchoff.run.os.clocks import process_cpu_clock
from fetchoff.run.os.process import ChildFailed

LONGEST_S = 120.0


class FailedError(Exception):
    """A process did not do what was requested; the text says what it did instead."""


@dataclass(frozen=True)
class Reading:
    """What some exchanges cost the process that did them."""

    exchanges: int
    cpu_ns: int
    wall_ns: int


PATIENCE_S = 2.0
"""How long a process that is to end may take."""


class Running(Protocol):
    """A process. `cpu_clock` reads its CPU time from outside, in nanoseconds."""

    pid: int

    def cpu_clock(self) -> int: ...
    def do(self, exchanges: int) -> Reading: ...
    def end(self, patience_s: float = PATIENCE_S) -> None: ...


@dataclass(frozen=True)
class Task:
    """What processes are to do, and where: on a core from the beginning, at one end of a network.

    `workload`: of one exchange, a GET or a small form, whose answer's content has a known length.
    """

    workload: Workload
    core: int
    network: Network = LOOPBACK


def unfit(workload: Workload) -> str:
    """Why plain loops can't do this workload; "" if they can."""
    if len(workload.exchanges) != 1:
        return "it has several exchanges"
    (exchange,) = workload.exchanges
    is_get = exchange.method == "GET" and exchange.body is None
    is_form = exchange.method == "POST" and isinstance(exchange.body, FormBody)
    if not (is_get or is_form):
        return "it is neither a GET nor the POST of a form"
    is_plain = replace(workload.settings, reuse=True) == Settings()
    if exchange.headers or workload.settings.reuse is False or not is_plain:
        return "it has headers or settings that the loops don't know"
    return ""


def started(subject: Subject, base_url: str, folder: Path, task: Task) -> Running:
    """Start a subject; FailedError if it cannot be."""
    kind = PlainLoop if subject.way is Way.LOOP else ByHand
    return kind(subject.launch, base_url, folder, task)


class _Process:
    def __init__(self, command: tuple[str, ...], launch: Launch, folder: Path, task: Task) -> None:
        stderr, at = folder / "stderr", task.network
        stderr.unlink(missing_ok=True)
        try:
            self._child = Child(
                command, launch.env, folder, stderr, {task.core}, at.at_client, at.lifeline
            )
        except ChildFailed as error:
            raise FailedError(str(error)) from error
        self.pid = self._child.pid
        self._clock = process_cpu_clock(self.pid)
        self._children_ns = 0

    def cpu_clock(self) -> int:
        try:
            return self._clock() + self._children_ns
        except OSError:
            raise FailedError(self._child.exit_reason()) from None

    def end(self, patience_s: float = PATIENCE_S) -> None:
        self._child.end(patience_s)


class PlainLoop(_Process):
    """A program of `loops/`, which is given a URL, the length of the content there, and the fields
    of a form if it is to be a POST. It reads a number of exchanges, and prints its own two clocks.
    """

    def __init__(self, launch: Launch, base_url: str, folder: Path, task: Task) -> None:
        (exchange,) = task.workload.exchanges
        form = exchange.body.fields if isinstance(exchange.body, FormBody) else ()
        what = (base_url + exchange.target, str(exchange.expect.bytes), *chain(*form))
        super().__init__((*launch.command, *what), launch, folder, task)

    def do(self, exchanges: int) -> Reading:
        try:
            self._child.send_line(b"%d\n" % exchanges)
            line = self._child.receive_line(LONGEST_S)
            cpu_ns, wall_ns = map(int, line.split())
        except ChildFailed as error:
            raise FailedError(str(error)) from error
        except ValueError:
            raise FailedError(f"prints garbage: {line[:80]!r}") from None
        return Reading(exchanges, cpu_ns, wall_ns)


class ByHand(_Process):
    """A shipped adapter; its CPU time is read from outside, around each `run`."""

    def __init__(self, launch: Launch, base_url: str, folder: Path, task: Task) -> None:
        super().__init__(launch.command, launch, folder, task)
        try:
            self._prepare(protocol.prepare(task.workload, base_url, Spool(folder)))
        except FailedError:
            self.end()
            raise

    def _prepare(self, message: Message) -> None:
        try:
            protocol.read_description(self._child.ask(protocol.HELLO, LONGEST_S))
            answer = protocol.read_prepared(self._child.ask(message, LONGEST_S))
        except (ChildFailed, Garbled) as error:
            raise FailedError(str(error)) from error
        if not answer.is_ready:
            raise FailedError(answer.error or f"does not support {answer.unsupported}")

    def do(self, exchanges: int) -> Reading:
        try:
            before = self.cpu_clock()
            message = self._child.ask(protocol.run(exchanges), LONGEST_S)
            after = self.cpu_clock()
            answer = protocol.read_done(message)
        except (ChildFailed, Garbled) as error:
            raise FailedError(str(error)) from error
        if answer.done != exchanges:
            raise FailedError(f"did {answer.done} exchanges of {exchanges}: {answer.error}")
        children_ns = sum(answer.children_ns or ())  # by the kernel's accounts of those that ended
        self._children_ns += children_ns
        return Reading(exchanges, after - before + children_ns, answer.wall_ns)
