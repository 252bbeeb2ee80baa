"""The control channel of the tap (docs/tap.md)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from fetchoff.model.recording import Segment
from fetchoff.protocol.fields import Garbled, Message, text, whole

VERSION = 1
_ROWS = TypeAdapter(tuple[Segment, ...])


@dataclass(frozen=True)
class Refusal:
    """Why the tap does not do what it is asked, and what would help, or ""."""

    reason: str
    hint: str


@dataclass(frozen=True)
class Tapped:
    """What passed, in its order. `lost`: segments that did not fit in, or that the kernel dropped.

    `fault`: what went wrong meanwhile, or "".
    """

    segments: tuple[Segment, ...]
    lost: int
    fault: str = ""


def must_greet(message: Message) -> None:
    """Garbled unless it speaks this version."""
    version = whole(message, "protocol")
    if version != VERSION:
        raise Garbled(f"speaks version {version} of the control protocol, not {VERSION}")


def start(ports: Sequence[int], most: int, keep: Path | None) -> Message:
    """Ask for a recording of these ports of the origin; whole packets are kept in a file."""
    return {
        "op": "start",
        "ports": list(ports),
        "most": most,
        "keep": None if keep is None else str(keep),
    }


def stop() -> Message:
    """Ask for the end of the recording."""
    return {"op": "stop"}


def read_refusal(message: Message) -> Refusal | None:
    """What an answer refuses; None if it refuses nothing."""
    if "error" not in message:
        return None
    return Refusal(text(message, "error"), text(message, "hint") if "hint" in message else "")


def read_tapped(message: Message) -> Tapped:
    """The answer to `stop`."""
    rows = message.get("segments")
    if not isinstance(rows, list):
        raise Garbled("'segments' is not a list")
    try:
        segments = _ROWS.validate_python(rows)
    except ValidationError as error:
        wrong = error.errors()[0]
        where = ".".join(map(str, wrong["loc"]))
        raise Garbled(f"a segment has a wrong '{where}': {wrong['msg']}") from error
    fault = text(message, "fault") if "fault" in message else ""
    return Tapped(segments, whole(message, "lost"), fault)
