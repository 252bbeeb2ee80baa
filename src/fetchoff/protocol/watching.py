"""Watching: how the built-in origin is asked for events, and how it tells them (docs/origin.md)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from functools import cache
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from fetchoff.model import recording
from fetchoff.model.recording import Event
from fetchoff.protocol.fields import Garbled, Message, whole

_KINDS: dict[str, type[Event]] = {
    kind.kind: kind
    for kind in (
        recording.Accepted,
        recording.Handshaken,
        recording.Read,
        recording.Head,
        recording.Content,
        recording.Answered,
        recording.Cut,
        recording.Written,
        recording.Blocked,
        recording.Frame,
        recording.TcpState,
        recording.Closed,
    )
}


def watch(ledger: int, pid: int | None, group: Path | None, most: int) -> Message:
    """Ask for events from now on, `most` at the most, with the CPU clock of a client."""
    return {
        "op": "watch",
        "ledger": ledger,
        "pid": pid,
        "group": str(group) if group else None,
        "most": most,
    }


def end_watch(ledger: int) -> Message:
    """Ask for the events so far; no more are kept."""
    return {"op": "watched", "ledger": ledger}


def read_events(message: Message) -> tuple[tuple[Event, ...], int]:
    """The answer to `end_watch`: events in their order, and how many did not fit in."""
    return events_of(message.get("events")), whole(message, "lost")


def events_of(rows: object) -> tuple[Event, ...]:
    """Events from their objects; Garbled if they are none."""
    if not isinstance(rows, list):
        raise Garbled("'events' is not a list")
    return tuple(map(_event, rows))


def event_rows(events: Iterable[Event]) -> list[Message]:
    """The objects of events, as the origin tells them."""
    return [{"kind": event.kind, **asdict(event)} for event in events]


def _event(row: object) -> Event:
    if not isinstance(row, dict) or row.get("kind") not in _KINDS:
        raise Garbled("an event has no known kind")
    kind = row["kind"]
    try:
        return _adapter(kind).validate_python({k: v for k, v in row.items() if k != "kind"})
    except ValidationError as error:
        wrong = error.errors()[0]
        where = ".".join(map(str, wrong["loc"]))
        raise Garbled(f"an event '{kind}' has a wrong '{where}': {wrong['msg']}") from error


@cache
def _adapter(kind: str) -> TypeAdapter[Event]:
    return TypeAdapter(_KINDS[kind])
