"""Sockets in another network namespace, for a process that stays where it is.

A socket belongs to the namespace that it was made in, whoever uses it. So a small process in there
makes them, and hands them over (SCM_RIGHTS, unix(7)).
"""

from __future__ import annotations

import contextlib
import socket
import sys
from pathlib import Path

from fetchoff.model.errors import LinkError
from fetchoff.run.os.process import Background, ChildFailed

TIMEOUT_S = 10.0

_SOURCE = """
import socket, sys
door = socket.socket(fileno=int(sys.argv[1]))
while asked := door.recv(1):
    made = socket.socket(type=socket.SOCK_DGRAM if asked == b"d" else socket.SOCK_STREAM)
    socket.send_fds(door, [asked], [made.fileno()])
    made.close()
"""


class NamespaceSockets:
    """Hands out IPv4 sockets of the namespace that `inside` leads to.

    LinkError where there are none.
    """

    def __init__(self, inside: tuple[str, ...], folder: Path, core: int) -> None:
        self._door, theirs = socket.socketpair()
        self._door.settimeout(TIMEOUT_S)
        with theirs:
            command = (sys.executable, "-I", "-S", "-c", _SOURCE, str(theirs.fileno()))
            output = folder / "namespace-sockets.log"
            try:
                self._process = Background(
                    command, {}, folder, output, {core}, inside, theirs.fileno()
                )
            except ChildFailed as error:
                self._door.close()
                raise LinkError(f"the helper that opens sockets on a link {error}") from error

    def stream(self) -> socket.socket:
        """Of TCP."""
        return self._made(b"s")

    def datagram(self) -> socket.socket:
        """Of UDP."""
        return self._made(b"d")

    def _made(self, kind: bytes) -> socket.socket:
        descriptors: list[int] = []
        # Nothing comes, or it cannot even be asked: its exit_reason tells why.
        with contextlib.suppress(OSError):
            self._door.sendall(kind)
            _, descriptors, _, _ = socket.recv_fds(self._door, 1, 1)
        if not descriptors:
            raise LinkError(
                f"the helper that opens sockets on a link {self._process.exit_reason()}"
            )
        return socket.socket(fileno=descriptors[0])

    def close(self) -> None:
        self._door.close()
        self._process.end()
