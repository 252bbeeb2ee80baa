"""A loopback in a namespace of its own, with receive buffers of one size (docs/decisions/0014).

On the machine's, the kernel makes a client's receive buffer larger while data arrives, by what it
happens to see, and so a client's processes differ by chance.
"""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path

from fetchoff.model.course import Course
from fetchoff.model.errors import LinkError
from fetchoff.model.link import Link
from fetchoff.model.loopback import RECEIVE_BUFFER_BYTES, Loopback
from fetchoff.protocol import link as control
from fetchoff.protocol.fields import Garbled
from fetchoff.run.host.machine import usable_cores
from fetchoff.run.network import emulator
from fetchoff.run.network.link_program import (
    ANOTHER,
    NEEDS,
    LinkProgram,
    end_what_is_inside,
    reached,
)
from fetchoff.run.network.namespace_sockets import NamespaceSockets
from fetchoff.run.network.seam import LOOPBACK_DEVICE, LayNetwork, Network


class OwnLoopback:
    """Client and origin beside each other in a namespace that has nothing but a loopback.

    LinkError where it can't be made, or goes away. Nothing of it outlives the process that makes
    it.
    """

    client_device = LOOPBACK_DEVICE

    def __init__(self, folder: Path, receive_buffer: int = RECEIVE_BUFFER_BYTES) -> None:
        with contextlib.ExitStack() as undo:
            self._program = LinkProgram(folder, makes="the loopback")
            undo.callback(self._program.end)
            try:
                answer = self._program.ask(control.open_loopback(receive_buffer))
                opened = control.read_opened_loopback(answer)
                self._namespaces = reached((opened.namespace,))
            except Garbled as error:
                raise LinkError(f"fetchoff-link answers with garbage: {error}", ANOTHER) from error
            except OSError as error:
                raise LinkError(f"the loopback cannot be reached: {error}", NEEDS) from error
            self.origin_address = self.origin_name = self.listens_at = opened.ipv4
            self.lifeline: int | None = self._program.lifeline
            self.at_client = self.at_origin = self._program.inside(opened.namespace)
            self._sockets = NamespaceSockets(self.at_origin, folder, usable_cores()[0])
            undo.pop_all()

    def socket(self) -> socket.socket:
        return self._sockets.stream()

    def calibrate(self, link: Link, seed: int, core: int) -> None:
        """Loopback needs no calibration."""

    def open_wide(self) -> None:
        """It always is."""

    def shape(self, link: Link, seed: int) -> None:
        """Loopback is not shaped."""

    def used(self) -> None:
        """Loopback counts nothing."""

    def queries(self) -> None:
        """There are no names to look up."""

    def must_be_there(self) -> None:
        self._program.must_be_there()

    def close(self) -> None:
        """The namespace goes, with what is in it."""
        self._sockets.close()
        end_what_is_inside(self._namespaces)
        self._program.end()


@contextlib.contextmanager
def own_loopback(folder: Path) -> Iterator[OwnLoopback]:
    """One of its own, for as long as it is needed."""
    network = OwnLoopback(folder)
    try:
        yield network
    finally:
        network.close()


def laying(loopback: Loopback) -> LayNetwork:
    """How to lay what a course needs, with this loopback where it needs no link."""

    def laid(course: Course, folder: Path) -> AbstractContextManager[Network]:
        if loopback is Loopback.OWN and not course.link.is_emulated:
            return own_loopback(folder)
        return emulator.laid(course, folder)

    return laid
