"""The control channel of fetchoff-link (docs/links.md)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import TypeAdapter, ValidationError

from fetchoff.model.link import Emulated, Profile, Steps, late_p99_us
from fetchoff.model.recording import Query
from fetchoff.protocol.fields import Garbled, Message, text, whole

VERSION = 2
DIRECTIONS = ("up", "down")
MAKING = ("open", "loopback", "names")
"""Requests that something be made. All others are about what is there already."""
UNASKED = ("overruns", "overflowed", "refused")
_QUERIES = TypeAdapter(tuple[Query, ...])


@dataclass(frozen=True)
class End:
    """One end of a link: its namespace's path, its addresses, and its TCP settings.

    `ipv6`: "" where the kernel doesn't have it.
    """

    namespace: str
    ipv4: str
    congestion: str
    ipv6: str = ""


@dataclass(frozen=True)
class Opened:
    """A link that is there. `near` is the client's end, `far` the origin's."""

    link: int
    backend: str
    near: End
    far: End


@dataclass(frozen=True)
class OpenedLoopback:
    """A loopback that is there. `receive_buffer`: the size of TCP's receive buffers, in bytes."""

    loopback: int
    namespace: str
    ipv4: str
    receive_buffer: int


@dataclass(frozen=True)
class Asked:
    """What clients have looked up, in its order. `lost`: queries that were not kept."""

    queries: tuple[Query, ...] = ()
    lost: int = 0


@dataclass(frozen=True)
class Counts:
    """The emulator's counters of both directions together, since the link was opened.

    `packets` came to the link, `packets_up` of them from the client. `late_us`: how many left so
    much later than due, by the upper bound of each step, for each direction.
    """

    packets: int
    lost: int
    dropped: int
    unasked: int
    late_us: tuple[dict[int, int], ...]
    cpu_ns: int
    elapsed_ns: int
    packets_up: int = 0

    def since(self, before: Counts) -> Emulated:
        """The difference between two readings."""
        late_us = tuple(
            _gained(now, then) for now, then in zip(self.late_us, before.late_us, strict=True)
        )
        return Emulated(
            packets=self.packets - before.packets,
            lost=self.lost - before.lost,
            dropped=self.dropped - before.dropped,
            unasked=self.unasked - before.unasked,
            late_p99_us=max(map(late_p99_us, late_us)),
            cpu_ns=self.cpu_ns - before.cpu_ns,
            elapsed_ns=self.elapsed_ns - before.elapsed_ns,
            packets_up=self.packets_up - before.packets_up,
            late_us=late_us,
        )


def _gained(now: dict[int, int], then: dict[int, int]) -> Steps:
    gained = ((bound, count - then.get(bound, 0)) for bound, count in sorted(now.items()))
    return tuple((bound, count) for bound, count in gained if count)


def read_greeting(message: Message) -> str:
    """The user namespace to enter before its network namespaces, or ""."""
    version = whole(message, "protocol")
    if version != VERSION:
        raise Garbled(f"speaks version {version} of the control protocol, not {VERSION}")
    return "" if message.get("user_namespace") is None else text(message, "user_namespace")


def open_link(mtu: int, congestion: str) -> Message:
    """Ask for a link without delay, rate or loss."""
    return {"op": "open", "mtu": mtu, "congestion": congestion}


def open_loopback(receive_buffer: int) -> Message:
    """Ask for a loopback of its own whose receive buffers have so many bytes."""
    return {"op": "loopback", "receive_buffer": receive_buffer}


def shape(link: int, up: Profile, down: Profile, seed: int) -> Message:
    """Ask for a profile for each direction; packets are numbered from 0 again."""
    return {"op": "set", "link": link, "up": _profile(up, seed), "down": _profile(down, seed)}


def set_names(
    link: int, name: str, addresses: Sequence[str], delay_ms: float, unreachable: Sequence[str]
) -> Message:
    """Ask for a name server that knows this name, or for other answers of the one that is there.

    `unreachable`: addresses of nobody of which the origin's end says so at once.
    """
    return {
        "op": "names",
        "link": link,
        "name": name,
        "addresses": list(addresses),
        "delay_ms": delay_ms,
        "unreachable": list(unreachable),
    }


def take_queries(link: int) -> Message:
    """Ask what clients have looked up since the last time."""
    return {"op": "queries", "link": link}


def read_link(link: int) -> Message:
    """Ask for the counters."""
    return {"op": "read", "link": link}


def _profile(profile: Profile, seed: int) -> Message:
    message: dict[str, object] = {"delay_ms": profile.delay_ms, "jitter_ms": profile.jitter_ms}
    if profile.rate_mbit_s is not None:
        message["rate_mbit_s"] = profile.rate_mbit_s
    if profile.queue_bytes is not None:
        message["queue"] = {"bytes": profile.queue_bytes}
    if profile.queue_packets is not None:
        message["queue"] = {"packets": profile.queue_packets}
    if profile.bursts is not None:
        bursts = profile.bursts
        message["loss"] = {
            "bursts": {
                "begin": bursts.begin,
                "end": bursts.end,
                "within": bursts.within,
                "outside": bursts.outside,
            }
        }
    elif profile.loss:
        message["loss"] = {"independent": profile.loss}
    return {**message, "seed": seed}


def read_opened(message: Message) -> Opened:
    """The answer to `open`."""
    return Opened(
        whole(message, "link"),
        text(message, "backend"),
        _end(message.get("near")),
        _end(message.get("far")),
    )


def read_opened_loopback(message: Message) -> OpenedLoopback:
    """The answer to `loopback`."""
    return OpenedLoopback(
        whole(message, "loopback"),
        text(message, "namespace"),
        text(message, "ipv4"),
        whole(message, "receive_buffer"),
    )


def read_queries(message: Message) -> Asked:
    """The answer to `queries`."""
    try:
        queries = _QUERIES.validate_python(message.get("queries"))
    except ValidationError as error:
        wrong = error.errors()[0]
        where = ".".join(map(str, wrong["loc"]))
        raise Garbled(f"a query has a wrong '{where}': {wrong['msg']}") from error
    return Asked(queries, whole(message, "lost"))


def _end(message: object) -> End:
    if not isinstance(message, dict):
        raise Garbled("an end of the link is not an object")
    ipv6 = "" if message.get("ipv6") is None else text(message, "ipv6")
    namespace, ipv4 = text(message, "namespace"), text(message, "ipv4")
    return End(namespace, ipv4, text(message, "congestion"), ipv6)


def read_counts(message: Message) -> Counts:
    """The answer to `read` and `close`."""
    directions = [message.get(name) for name in DIRECTIONS]
    known = [direction for direction in directions if isinstance(direction, dict)]
    if len(known) != len(DIRECTIONS):
        raise Garbled("a direction of the link is not an object")

    def total(*names: str) -> int:
        return sum(whole(direction, name) for direction in known for name in names)

    return Counts(
        packets=total("packets"),
        lost=total("lost"),
        dropped=total("queue_dropped"),
        unasked=total(*UNASKED),
        late_us=tuple(_steps(direction) for direction in known),
        cpu_ns=whole(message, "cpu_ns"),
        elapsed_ns=whole(message, "elapsed_ns"),
        packets_up=whole(known[0], "packets"),
    )


def _steps(direction: Message) -> dict[int, int]:
    lateness = direction.get("lateness")
    steps = lateness.get("histogram_us") if isinstance(lateness, dict) else None
    if not isinstance(steps, list):
        raise Garbled("'lateness' has no histogram")
    if not all(_is_step(step) for step in steps):
        raise Garbled("a step of the histogram is not a bound and a count")
    return dict(steps)


def _is_step(step: object) -> bool:
    return (
        isinstance(step, list) and len(step) == 2 and all(type(n) is int and n >= 0 for n in step)
    )
