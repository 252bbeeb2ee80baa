"""How an origin behaves where HTTP and TCP leave it a choice: what a diagnosis toggles.

One factor at a time is changed, everything else stays the same. A toggle at the origin works for
clients of every language.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Continue(StrEnum):
    """When the origin sends 100 (Continue) to a request that expects it."""

    WHEN_READ = "when-read"
    NEVER = "never"


@dataclass(frozen=True)
class Behaviour:
    """Choices of an origin. The defaults are those of the built-in origin.

    `quick_ack`: acknowledge each segment at once (`TCP_QUICKACK`, armed again after every read),
    which ends the wait of Nagle's algorithm for a delayed acknowledgement. `charset`: name a
    character set with each content type (`; charset=utf-8`). `coding`: compress content if the
    client offers it. `streams`, `stream_window`, `connection_window`, `frame_bytes`: settings of
    HTTP/2 that the origin sends; None is its default. `answer_pieces`: write the content of an
    answer in so many segments. `silent_after`: answer so many requests of a connection, and from
    the next one on nothing, not even a PING, though the connection stays open. `hangs_up`: the
    connection is closed instead, once that request has arrived; HTTP/1.1 only. `keep_alive`:
    whether connections of HTTP/1.1 stay open.
    """

    quick_ack: bool = False
    continues: Continue = Continue.WHEN_READ
    charset: bool = False
    coding: bool = True
    keep_alive: bool = True
    answer_pieces: int = 1
    silent_after: int | None = None
    hangs_up: bool = False
    streams: int | None = None
    stream_window: int | None = None
    connection_window: int | None = None
    frame_bytes: int | None = None

    def __post_init__(self) -> None:
        """ValueError if the choices contradict each other."""
        if self.hangs_up and self.silent_after is None:
            raise ValueError("hangs_up needs silent_after: after how many requests")
        if self.silent_after is not None and self.continues is Continue.NEVER:
            raise ValueError("silent_after and continues are changed one at a time")


ORDINARY = Behaviour()
"""How the built-in origin behaves while clients are ranked."""
