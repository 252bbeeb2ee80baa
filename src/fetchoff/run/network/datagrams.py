"""UDP packets from one end of a link to the other: how long, how many, how fast.

One process reads and writes at both ends, so one clock times everything.
"""

from __future__ import annotations

import contextlib
import math
import select
import socket
import struct
import time
from collections.abc import Callable
from dataclasses import dataclass

HEADERS_BYTES = 28  # of IPv4 and UDP
PING_BYTES = 92  # with headers
TICK_S = 0.001
LAST_S = 0.3  # what has not come so long after its time will not come

_RECEIVE_BUFFER_BYTES = 1 << 23
_SO_RCVBUFFORCE = 33  # socket(7); Python has no name for it


@dataclass(frozen=True)
class Pinged:
    """`reached`: how many of those sent came to the other end. Milliseconds."""

    sent: int
    reached: int
    round_trips_ms: tuple[float, ...]


@dataclass(frozen=True)
class Arrived:
    """What came of packets of one size that were sent evenly. Seconds, of a monotonic clock."""

    sent: int
    size_bytes: int
    at_s: tuple[float, ...]

    def mbit_s(self, settled_s: float = 0.0) -> float:
        """To the last, from the first that came at least so long after the first of all."""
        at_s = [at for at in self.at_s if at - self.at_s[0] >= settled_s]
        if len(at_s) < 2:
            return 0.0
        return (len(at_s) - 1) * self.size_bytes * 8e-6 / (at_s[-1] - at_s[0])


class UdpEndpoint:
    """A socket at one end of a link."""

    def __init__(self, made: socket.socket, address: str) -> None:
        made.bind((address, 0))
        with contextlib.suppress(PermissionError):
            made.setsockopt(socket.SOL_SOCKET, _SO_RCVBUFFORCE, _RECEIVE_BUFFER_BYTES)
        made.settimeout(0)  # never waits
        self.socket = made
        self.address = (address, made.getsockname()[1])


def ping(
    near: UdpEndpoint, far: UdpEndpoint, count: int, gap_s: float, round_trip_s: float
) -> Pinged:
    """Send `count` packets that the far end sends back; they do not wait for each other."""
    times: list[float] = []
    poll = select.poll()
    poll.register(near.socket, select.POLLIN)
    poll.register(far.socket, select.POLLIN)
    began = time.perf_counter()
    last_s = began + count * gap_s + 2 * round_trip_s + LAST_S
    sent = reached = 0
    while len(times) < count and (now := time.perf_counter()) < last_s:
        due_s = began + sent * gap_s if sent < count else last_s
        if now >= due_s:
            stamp = struct.pack("!Q", time.perf_counter_ns())
            near.socket.sendto(stamp.ljust(PING_BYTES - HEADERS_BYTES, b"."), far.address)
            sent += 1
            continue
        for fd, _ in poll.poll((due_s - now) * 1e3):
            if fd == far.socket.fileno():
                far.socket.sendto(far.socket.recv(PING_BYTES), near.address)
                reached += 1
            else:
                (stamped_ns,) = struct.unpack_from("!Q", near.socket.recv(PING_BYTES))
                times.append((time.perf_counter_ns() - stamped_ns) / 1e6)
    return Pinged(sent, reached, tuple(times))


def send_evenly(
    sender: UdpEndpoint,
    receiver: UdpEndpoint,
    count: int,
    size_bytes: int,
    a_second: float,
    late_s: float,
) -> Arrived:
    """Send `count` packets of that size, so many a second; they may take `late_s` to arrive."""
    content = bytes(size_bytes - HEADERS_BYTES)
    at_s: list[float] = []
    take_in = _taking_in(receiver.socket, bytearray(size_bytes), at_s)
    began, sent = time.perf_counter(), 0
    while sent < count:
        due = min(count, math.ceil((time.perf_counter() - began) * a_second))
        with contextlib.suppress(BlockingIOError):
            for _ in range(due - sent):
                sender.socket.sendto(content, receiver.address)
                sent += 1
        take_in()
        time.sleep(TICK_S)
    quiet_since = time.perf_counter()
    while len(at_s) < count and time.perf_counter() - quiet_since < late_s + LAST_S:
        if take_in():
            quiet_since = time.perf_counter()
        time.sleep(TICK_S)
    return Arrived(sent, size_bytes, tuple(at_s))


def _taking_in(receiver: socket.socket, into: bytearray, at_s: list[float]) -> Callable[[], int]:
    """Reads all that is there, and notes when; gives how many those were."""

    def take_in() -> int:
        before = len(at_s)
        with contextlib.suppress(BlockingIOError):
            while True:
                receiver.recv_into(into)
                at_s.append(time.perf_counter())
        return len(at_s) - before

    return take_in
