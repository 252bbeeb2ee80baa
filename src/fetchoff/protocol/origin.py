"""The control channel of the built-in origin (docs/origin.md)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from fetchoff.model.observation import Seen
from fetchoff.protocol.fields import Garbled, Message, whole


def open_ledger(*, keep_alive: bool = True, digest: bool = False) -> Message:
    """Ask for a listener with a ledger of its own."""
    return {"op": "open", "keep_alive": keep_alive, "digest": digest}


def read_ledger(ledger: int) -> Message:
    """Ask for the counters."""
    return {"op": "read", "ledger": ledger}


def hash_uploads(ledger: int, *, on: bool) -> Message:
    """Switch the hashing of uploads."""
    return {"op": "set", "ledger": ledger, "digest": on}


def close_ledger(ledger: int) -> Message:
    """Ask for the last counters and the listener's end."""
    return {"op": "close", "ledger": ledger}


@dataclass(frozen=True)
class Counters:
    """A ledger as read. `raw` has all of it, for the record."""

    seen: Seen
    statuses: Mapping[str, int]
    bad_requests: int
    open: int
    max_in_flight: int
    raw: Mapping[str, object]


def read_counters(message: Message) -> Counters:
    """The answer to `read` and `close`."""
    if "error" in message:
        raise Garbled(f"the origin says: {message['error']}")
    statuses = message.get("statuses")
    if not isinstance(statuses, dict):
        raise Garbled("'statuses' is not an object")
    return Counters(
        seen=Seen(
            requests=whole(message, "requests"),
            connections=whole(message, "connections"),
            bytes_in=whole(message, "bytes_in"),
            bytes_out=whole(message, "bytes_out"),
            segments_in=whole(message, "segments_in"),
        ),
        statuses={str(code): whole(statuses, code) for code in statuses},
        bad_requests=whole(message, "bad_requests"),
        open=whole(message, "open"),
        max_in_flight=whole(message, "max_in_flight"),
        raw={key: value for key, value in message.items() if key != "ledger"},
    )


def gained(before: Seen, after: Seen) -> Seen:
    """What a ledger gained between two readings."""
    return Seen(
        requests=after.requests - before.requests,
        connections=after.connections - before.connections,
        bytes_in=after.bytes_in - before.bytes_in,
        bytes_out=after.bytes_out - before.bytes_out,
        segments_in=after.segments_in - before.segments_in,
    )
