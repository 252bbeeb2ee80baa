"""fetchoff-link behind its control channel, and the namespaces that it holds (docs/links.md)."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Collection, Iterable
from pathlib import Path

from fetchoff.model.errors import KEPT, LinkError
from fetchoff.protocol import link as control
from fetchoff.protocol.fields import Garbled, Message
from fetchoff.run.os import procfs
from fetchoff.run.os.child import Child
from fetchoff.run.os.process import ChildFailed
from fetchoff.run.os.programs import program

BINARY = "fetchoff-link"
CONTROL_TIMEOUT_S = 10.0
EMPTY_S = 2.0
OWN_NAMESPACE = "/proc/self/ns/net"
NEEDS = "see docs/links.md for what it needs"
ANOTHER = "the fetchoff-link of this version is needed; FETCHOFF_LINK can name it"
IN_USER_NAMESPACE = "--user"
SEES_PACKETS = "--packets"
UNKNOWN = "unknown variant"  # serde's words for an operation that an older program lacks


class LinkProgram:
    """The process that makes links and loopbacks. LinkError when it goes away.

    `options`: of its task `control`. `makes`: what it is asked for, in messages. Nothing of what
    it makes outlives it.
    """

    def __init__(self, folder: Path, *options: str, makes: str) -> None:
        self._makes = makes
        self._enter = str(program(BINARY))
        command = (self._enter, "control", *options)
        with contextlib.ExitStack() as undo:
            try:
                self._child = Child(command, {}, folder, folder / "link.stderr")
                undo.callback(self._child.end)
                self._user = control.read_greeting(self._child.receive(CONTROL_TIMEOUT_S))
            except ChildFailed as error:
                raise LinkError(f"the link emulator {error}", NEEDS) from error
            except Garbled as error:
                raise LinkError(
                    f"the link emulator answers with garbage: {error}", ANOTHER
                ) from error
            undo.pop_all()

    @property
    def lifeline(self) -> int:
        """The reading end of a pipe that closes when the process ends."""
        return self._child.output_fd

    def ask(self, message: Message) -> Message:
        """One request on the control channel."""
        try:
            answer = self._child.ask(message, CONTROL_TIMEOUT_S)
        except ChildFailed as error:
            raise LinkError(f"the link emulator {error}", KEPT) from error
        if "error" in answer:
            why = str(answer["error"])
            if message["op"] not in control.MAKING and UNKNOWN not in why:
                raise LinkError(f"the link emulator says: {why}", KEPT)
            hint = ANOTHER if UNKNOWN in why else NEEDS
            raise LinkError(f"{self._makes} cannot be made: {why}", hint)
        return answer

    def inside(self, namespace: str, *options: str) -> tuple[str, ...]:
        """How a command begins that is to run in one of its namespaces.

        `options`: further ones of the task `enter`.
        """
        user = (IN_USER_NAMESPACE, self._user) if self._user else ()
        return (self._enter, "enter", namespace, *user, *options, "--")

    def must_be_there(self) -> None:
        if not self._child.is_alive:
            raise LinkError(f"the link emulator {self._child.exit_reason()}", KEPT)

    def end(self) -> None:
        self._child.end()


def seeing_packets(inside: tuple[str, ...]) -> tuple[str, ...]:
    """The beginning of a command line that runs there, for a command that may also open packet
    sockets. In no user namespace of ours, that is for the machine to permit."""
    return (*inside[:-1], SEES_PACKETS, "--") if IN_USER_NAMESPACE in inside else inside


Namespaces = frozenset[tuple[int, int]]


def reached(paths: Iterable[str]) -> Namespaces:
    """The namespaces at these paths, but never the one that this process is in.

    Raises OSError where there is none.
    """
    return frozenset(map(procfs.namespace, paths)) - {procfs.namespace(OWN_NAMESPACE)}


def end_what_is_inside(namespaces: Collection[tuple[int, int]]) -> None:
    """Kill all processes in them: one that stayed would keep its namespace, whoever started it."""
    deadline = time.monotonic() + EMPTY_S
    while left := [pid for place in namespaces for pid in procfs.inside(place)]:
        for pid in left:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        if time.monotonic() > deadline:
            return
        time.sleep(0.01)
