"""System calls of a client by name: how many an exchange makes, and what they carry."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class CallKind:
    """The calls of one name, on files and pipes (`on` is "") or on sockets.

    `count`, `errors`: an exchange. `share` of the time of all calls, waits included. `bytes_each`:
    mean bytes of those that moved some; None where none do.
    """

    name: str
    on: str
    count: float
    errors: float
    share: float
    bytes_each: float | None


@dataclass(frozen=True)
class CallTable:
    """The calls of some whole exchanges of one client, the most frequent first."""

    client: str
    course: str
    exchanges: int
    kinds: tuple[CallKind, ...]
    timers: float
    threads: float
    certificates: float
