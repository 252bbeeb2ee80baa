"""A tap at the client's end of a network: the TCP segments that pass there (docs/tap.md)."""

from __future__ import annotations

import contextlib
from pathlib import Path

from fetchoff.model.errors import SetupError
from fetchoff.model.recording import Missing, Source
from fetchoff.protocol import tap as control
from fetchoff.protocol.fields import Garbled, Message
from fetchoff.protocol.tap import Tapped
from fetchoff.run.network.link_program import seeing_packets
from fetchoff.run.network.seam import Network
from fetchoff.run.os.child import Child
from fetchoff.run.os.process import ChildFailed
from fetchoff.run.os.programs import program

BINARY = "fetchoff-tap"
ANOTHER = "the fetchoff-tap of this version is needed; FETCHOFF_TAP can name it"
CONTROL_TIMEOUT_S = 10.0
MOST_SEGMENTS = 25_000
"""Their answer is one line, of some 150 bytes for each, and must be shorter than the longest."""


class NotTapped(Exception):
    """No segments can be had; `missing` says why."""

    def __init__(self, reason: str, hint: str = "") -> None:
        super().__init__(reason)
        self.missing = Missing(Source.SEGMENTS, reason, hint)


class Tap:
    """A recording from now until `end`. Raises NotTapped where it can't be had.

    `port`: the origin's. `keep`: a file for whole packets. `folder`: for what the tap complains of.
    """

    def __init__(self, network: Network, folder: Path, port: int, keep: Path | None = None) -> None:
        try:
            command = (str(program(BINARY)), "--interface", network.client_device)
        except SetupError as error:
            raise NotTapped(error.message, error.hint) from error
        with contextlib.ExitStack() as undo:
            try:
                inside = seeing_packets(network.at_client)
                self._child = Child(command, {}, folder, folder / "tap.stderr", inside=inside)
                undo.callback(self._child.end)
                control.must_greet(self._child.receive(CONTROL_TIMEOUT_S))
            except ChildFailed as error:
                raise NotTapped(f"the tap {error}") from error
            except Garbled as error:
                raise NotTapped(f"the tap {error}", ANOTHER) from error
            kept = (
                None if keep is None else keep.absolute()
            )  # it has a working directory of its own
            self._ask(control.start([port], MOST_SEGMENTS, kept))
            undo.pop_all()

    def end(self) -> Tapped:
        """End the recording and the tap."""
        try:
            return control.read_tapped(self._ask(control.stop()))
        except Garbled as error:
            raise NotTapped(f"the tap answers with garbage: {error}", ANOTHER) from error
        finally:
            self._child.end()

    def abandon(self) -> None:
        """End the tap; what it has seen is not wanted."""
        self._child.end()

    def _ask(self, message: Message) -> Message:
        try:
            answer = self._child.ask(message, CONTROL_TIMEOUT_S)
            refusal = control.read_refusal(answer)
        except ChildFailed as error:
            raise NotTapped(f"the tap {error}") from error
        except Garbled as error:
            raise NotTapped(f"the tap answers with garbage: {error}", ANOTHER) from error
        if refusal:
            raise NotTapped(refusal.reason, refusal.hint)
        return answer
