"""A network between two namespaces, emulated by fetchoff-link (docs/links.md)."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path

from fetchoff.model.course import Course
from fetchoff.model.errors import LinkError
from fetchoff.model.link import Calibration, Emulated, Link, Profile
from fetchoff.model.names import ORIGIN_NAME, Names
from fetchoff.protocol import link as control
from fetchoff.protocol.fields import Garbled
from fetchoff.run.host.machine import usable_cores
from fetchoff.run.host.placement import in_real_time, may_be_real_time, on_core
from fetchoff.run.network.calibration import calibrate, faults
from fetchoff.run.network.datagrams import UdpEndpoint
from fetchoff.run.network.link_program import (
    ANOTHER,
    NEEDS,
    LinkProgram,
    end_what_is_inside,
    reached,
)
from fetchoff.run.network.name_service import NameService
from fetchoff.run.network.namespace_sockets import NamespaceSockets
from fetchoff.run.network.seam import LOOPBACK, Network

WIDE_OPEN = Profile()
CLIENT_DEVICE = "fetchoff-near"  # docs/links.md


class EmulatedNetwork:
    """Two namespaces, and the emulator between them. LinkError when it goes away.

    Its processes have the core `core`. `names`: what clients find the origin by; None: by its
    address. Nothing of it outlives the emulator's process.
    """

    client_device = CLIENT_DEVICE

    def __init__(
        self, folder: Path, core: int, mtu: int, congestion: str, names: Names | None = None
    ) -> None:
        urgent = ["--real-time"] if may_be_real_time() else []
        with contextlib.ExitStack() as undo:
            self._program = LinkProgram(folder, "--core", str(core), *urgent, makes="the link")
            undo.callback(self._program.end)
            try:
                answer = self._program.ask(control.open_link(mtu, congestion))
                opened = control.read_opened(answer)
                self._namespaces = reached((opened.near.namespace, opened.far.namespace))
            except Garbled as error:
                raise LinkError(
                    f"the link emulator answers with garbage: {error}", ANOTHER
                ) from error
            except OSError as error:
                raise LinkError(
                    f"the ends of the link cannot be reached: {error}", NEEDS
                ) from error
            self._link, self.backend = opened.link, opened.backend
            self.origin_address, self.congestion = opened.far.ipv4, opened.far.congestion
            self.client_address = opened.near.ipv4
            self.listens_at = self.origin_name = self.origin_address
            self.lifeline: int | None = self._program.lifeline
            self.at_client = self._program.inside(opened.near.namespace)
            self.at_origin = self._program.inside(opened.far.namespace)
            self._at_client = NamespaceSockets(self.at_client, folder, core)
            undo.callback(self._at_client.close)
            self._at_origin = NamespaceSockets(self.at_origin, folder, core)
            undo.callback(self._at_origin.close)
            self._before = self._counts()
            self._names = names and NameService(self._program, opened, names)
            if self._names:
                self.origin_name = ORIGIN_NAME
                self.listens_at = self._names.listens_at or self.origin_address
                self.at_client = self._names.at_client
            undo.pop_all()

    def socket(self) -> socket.socket:
        return self._at_origin.stream()

    def calibrate(self, link: Link, seed: int, core: int) -> Calibration:
        """Calibrate a link in both directions. `core`: where both of its ends run; not the
        emulator's, where clients do not run either."""
        self.shape(link, seed)
        try:
            with (
                self._at_client.datagram() as near,
                self._at_origin.datagram() as far,
                on_core(core),
                in_real_time() if may_be_real_time() else contextlib.nullcontext(),
            ):
                ends = UdpEndpoint(near, self.client_address), UdpEndpoint(far, self.origin_address)
                found = calibrate(link, *ends)
        except OSError as error:
            self.must_be_there()
            raise LinkError(f"nothing can be sent over the link: {error}") from error
        return Calibration(
            link=link.id,
            backend=self.backend,
            congestion=self.congestion,
            round_trips=len(found.round_trips_ms),
            round_trip_p50_ms=found.p50_ms,
            round_trip_p99_ms=found.p99_ms,
            up=found.up,
            down=found.down,
            faults=tuple(faults(link, found)),
        )

    def open_wide(self) -> None:
        """Emulate no delay, rate or loss until the next `shape`."""
        self._program.ask(control.shape(self._link, WIDE_OPEN, WIDE_OPEN, 0))
        if self._names:
            self._names.be_easy()

    def shape(self, link: Link, seed: int) -> None:
        """Emulate this link from now on; with the same seed the same packets are lost."""
        self._program.ask(control.shape(self._link, link.up, link.down, seed))
        if self._names:
            self._names.be_as_asked()

    def queries(self) -> control.Asked | None:
        """What clients have looked up since the last call; None where they find no names."""
        return self._names.queries() if self._names else None

    def used(self) -> Emulated:
        """What the emulator has counted since the last call."""
        now = self._counts()
        before, self._before = self._before, now
        return now.since(before)

    def must_be_there(self) -> None:
        self._program.must_be_there()

    def close(self) -> None:
        """Both namespaces go, with what is in them."""
        self._at_client.close()
        self._at_origin.close()
        end_what_is_inside(self._namespaces)
        self._program.end()

    def _counts(self) -> control.Counts:
        try:
            return control.read_counts(self._program.ask(control.read_link(self._link)))
        except Garbled as error:
            raise LinkError(f"the link's counters are garbled: {error}") from error


@contextlib.contextmanager
def over(link: Link, folder: Path) -> Iterator[Network]:
    """What is to be between the ends of a link, for as long as it is needed."""
    if not link.is_emulated:
        yield LOOPBACK
        return
    network = EmulatedNetwork(folder, usable_cores()[0], link.mtu, link.congestion, link.names)
    try:
        yield network
    finally:
        network.close()


def laid(course: Course, folder: Path) -> AbstractContextManager[Network]:
    """What a course needs between client and origin, for as long as it is needed."""
    return over(course.link, folder)
