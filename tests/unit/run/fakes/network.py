"""A network that only pretends."""

from __future__ import annotations

import socket
from dataclasses import dataclass, field

from fetchoff.model.errors import LinkError
from fetchoff.model.link import Calibration, Emulated, Link, Passage

WELL = Emulated(1, 0, 0, 0, 0, 1, 1)
ONE_WAY = Passage(None, 1, 0)


@dataclass
class FakeNetwork:
    """A network that notes what it is asked to be, and says of itself what it is told to.

    `faults`: of one trial after the other. `used_as`: what the emulator counts. `goes`: it ends
    when it is shaped. `gone`: it has ended by the time that a client fails.
    """

    faults: list[tuple[str, ...]] = field(default_factory=list)
    used_as: Emulated = WELL
    goes: bool = False
    gone: bool = False
    did: list[str] = field(default_factory=list)
    calibrated_on: list[int] = field(default_factory=list)
    origin_address: str = "127.0.0.1"
    origin_name: str = "127.0.0.1"
    listens_at: str = "127.0.0.1"
    at_client: tuple[str, ...] = ()
    at_origin: tuple[str, ...] = ()
    lifeline: int | None = None
    client_device: str = "lo"

    def socket(self) -> socket.socket:
        raise AssertionError("nothing is sent over a pretended network")

    def calibrate(self, link: Link, seed: int, core: int) -> Calibration:
        self.did.append(f"try {link.id}")
        self.calibrated_on.append(core)
        faults = self.faults.pop(0) if self.faults else ()
        return Calibration(link.id, "none", "none", 1, 1.0, 1.0, ONE_WAY, ONE_WAY, faults)

    def open_wide(self) -> None:
        self.did.append("open wide")

    def shape(self, link: Link, seed: int) -> None:
        self.did.append(f"shape {link.id} {seed}{' at random' if link.is_random else ''}")
        if self.goes:
            raise LinkError("the link emulator ended with signal SIGKILL")

    def used(self) -> Emulated:
        return self.used_as

    def queries(self) -> None:
        """There are no names to look up."""

    def must_be_there(self) -> None:
        if self.gone:
            raise LinkError("the link emulator ended with signal SIGKILL")
