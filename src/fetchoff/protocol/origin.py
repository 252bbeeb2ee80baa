"""The control channel of the built-in origin (docs/origin.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path

from fetchoff.model.behaviour import ORDINARY, Behaviour
from fetchoff.model.observation import Seen
from fetchoff.model.workload import Settings
from fetchoff.protocol.fields import Garbled, Message, whole

VERSION = 6

SEND_BUFFER_BYTES = 131_072
"""Of connections that are measured in turns. The kernel would choose one for each connection, and a
third of them get one that makes a download of 335 kB half as dear again (docs/decisions/0011)."""


def must_greet(message: Message) -> None:
    """Raise Garbled unless an origin greets in this version of the protocol."""
    version = whole(message, "protocol")
    if version != VERSION:
        raise Garbled(f"speaks version {version} of the control protocol, not {VERSION}")


def open_ledger(settings: Settings, *, in_turns: bool = False) -> Message:
    """Ask for a listener that speaks what the settings need, with a ledger of its own."""
    message = {
        "op": "open",
        "protocol": str(settings.protocol),
        "tls": settings.tls,
        "tickets": settings.tickets,
        "keep_alive": settings.behaviour.keep_alive,
        "behaviour": _toggled(settings.behaviour),
    }
    return {**message, "send_buffer": SEND_BUFFER_BYTES} if in_turns else message


def _toggled(behaviour: Behaviour) -> Message:
    """What differs from what the origin does by itself, persistence apart."""
    ordinary = asdict(replace(ORDINARY, keep_alive=behaviour.keep_alive))
    return {name: value for name, value in asdict(behaviour).items() if value != ordinary[name]}


def read_ledger(ledger: int) -> Message:
    """Ask for the counters."""
    return {"op": "read", "ledger": ledger}


def close_ledger(ledger: int) -> Message:
    """Ask for the last counters, and end the listener."""
    return {"op": "close", "ledger": ledger}


def hold(ledger: int, pid: int, group: Path | None, requests: int, per_iteration: int) -> Message:
    """Hold the ledger's requests from the next one on. So many `requests` will come."""
    return {
        "op": "hold",
        "ledger": ledger,
        "pid": pid,
        "group": str(group) if group else None,
        "requests": requests,
        "per_iteration": per_iteration,
    }


def give_turns(order: Sequence[tuple[int, int, int]], patience_ms: int) -> Message:
    """Give turns in that order: a ledger, the iterations of its lead, and those that are counted.

    `patience_ms`: how long a turn may take at most, the client's coming included.
    """
    return {"op": "turns", "order": [list(turn) for turn in order], "patience_ms": patience_ms}


def release(ledger: int) -> Message:
    """Open the gate of a ledger."""
    return {"op": "release", "ledger": ledger}


@dataclass(frozen=True)
class Edges:
    """CPU nanoseconds that a client used before its first turn and after its last."""

    before_ns: int = 0
    after_ns: int = 0


def read_edges(message: Message) -> Edges:
    """The answer to `release`."""
    return Edges(whole(message, "before_ns"), whole(message, "after_ns"))


@dataclass(frozen=True)
class Turn:
    """One turn as the origin's clocks saw it. Nanoseconds.

    The lead is not part of the exchanges. `others_ns`: CPU time that the other processes behind
    gates used meanwhile; `first_cpu_ns`: what the lead's first iteration used; `held_cpu_ns`: what
    the client used since its turn before. `probe_ps`:
    picoseconds of a fixed piece of the origin's arithmetic, the mean of some in the turn; 0 if
    there was none.
    """

    ledger: int
    exchanges: int
    wall_ns: int
    cpu_ns: int
    origin_ns: int
    others_ns: int
    lead_exchanges: int
    lead_wall_ns: int
    lead_cpu_ns: int
    first_cpu_ns: int
    held_cpu_ns: int
    probe_ps: int


@dataclass(frozen=True)
class Turns:
    """The turns that were given. `lost`: clients that missed one; `exhausted`: with none left.

    `wall_ns`: of all turns; `lost_ns`: what was waited for the lost.
    """

    turns: tuple[Turn, ...]
    lost: tuple[int, ...]
    exhausted: tuple[int, ...]
    wall_ns: int
    lost_ns: int


def read_turns(message: Message) -> Turns:
    """The answer to `turns`."""
    rows = message.get("turns")
    if not isinstance(rows, list):
        raise Garbled("'turns' is not a list")
    return Turns(
        tuple(Turn(*_numbers(row, len(fields(Turn)))) for row in rows),
        _numbers(message.get("lost")),
        _numbers(message.get("exhausted")),
        whole(message, "wall_ns"),
        whole(message, "lost_ns"),
    )


def _numbers(value: object, count: int | None = None) -> tuple[int, ...]:
    if not isinstance(value, list) or not all(type(item) is int and item >= 0 for item in value):
        raise Garbled("a turn is not a list of whole numbers")
    if count is not None and len(value) != count:
        raise Garbled(f"a turn has {len(value)} numbers, not {count}")
    return tuple(value)


@dataclass(frozen=True)
class Counters:
    """What a ledger has counted. `raw` is the whole message, for the record."""

    seen: Seen
    statuses: Mapping[str, int]
    bad_requests: int
    open: int
    max_in_flight: int
    absolute_form: int
    handshakes_resumed: int
    alpn: Mapping[str, int]
    streams: int
    raw: Mapping[str, object]

    @classmethod
    def only(cls, seen: Seen) -> Counters:
        """The counters of an origin that counts nothing else."""
        return cls(seen, {}, 0, 0, 0, 0, 0, {}, 0, {})


def read_counters(message: Message) -> Counters:
    """The answer to `read` and `close`."""
    if "error" in message:
        raise Garbled(f"the origin says: {message['error']}")
    return Counters(
        seen=Seen(
            requests=whole(message, "requests"),
            connections=whole(message, "connections"),
            bytes_in=whole(message, "bytes_in"),
            bytes_out=whole(message, "bytes_out"),
            segments_in=whole(message, "segments_in"),
        ),
        statuses=_counts(message, "statuses"),
        bad_requests=whole(message, "bad_requests"),
        open=whole(message, "open"),
        max_in_flight=whole(message, "max_in_flight"),
        absolute_form=whole(message, "absolute_form"),
        handshakes_resumed=whole(message, "handshakes_resumed"),
        alpn=_counts(message, "alpn"),
        streams=whole(message, "streams"),
        raw={key: value for key, value in message.items() if key != "ledger"},
    )


def read_authority(message: Message) -> str:
    """The certificate in PEM that comes with the answer to `open`."""
    pem = message.get("authority")
    if not isinstance(pem, str) or not pem.startswith("-----BEGIN CERTIFICATE-----"):
        raise Garbled("'authority' is not a certificate")
    return pem


def _counts(message: Message, key: str) -> Mapping[str, int]:
    counts = message.get(key)
    if not isinstance(counts, dict):
        raise Garbled(f"'{key}' is not an object")
    return {str(name): whole(counts, name) for name in counts}


def gained(before: Seen, after: Seen) -> Seen:
    """What a ledger gained between two readings."""
    return Seen(
        requests=after.requests - before.requests,
        connections=after.connections - before.connections,
        bytes_in=after.bytes_in - before.bytes_in,
        bytes_out=after.bytes_out - before.bytes_out,
        segments_in=after.segments_in - before.segments_in,
    )
