"""Convert records to JSON lines and back."""

from __future__ import annotations

import json
from functools import cache

from pydantic import TypeAdapter, ValidationError

from fetchoff.model.observation import (
    Batch,
    Ended,
    HostLost,
    Interrupted,
    Invocation,
    LinkCalibrated,
    LinkUsed,
    Record,
    RoundDone,
    SectionDone,
    Turns,
    TurnsGiven,
)

_KINDS: dict[str, type[Record]] = {
    "batch": Batch,
    "turns": Turns,
    "turns given": TurnsGiven,
    "invocation": Invocation,
    "link tried": LinkCalibrated,
    "link used": LinkUsed,
    "section": SectionDone,
    "round": RoundDone,
    "interrupted": Interrupted,
    "host lost": HostLost,
    "ended": Ended,
}
_NAMES = {kind: name for name, kind in _KINDS.items()}


def to_line(record: Record) -> bytes:
    """The JSON line of a record."""
    kind = _NAMES[type(record)]
    document = {"kind": kind, **_adapter(kind).dump_python(record)}
    return json.dumps(document, separators=(",", ":")).encode() + b"\n"


def from_line(line: bytes) -> Record:
    """The record of a JSON line; ValueError if the line holds none."""
    document = json.loads(line)
    if not isinstance(document, dict) or document.get("kind") not in _KINDS:
        raise ValueError("not a record")
    kind = document.pop("kind")
    try:
        return _adapter(kind).validate_python(document)
    except ValidationError as error:
        raise ValueError(str(error)) from error


@cache
def _adapter(kind: str) -> TypeAdapter[Record]:
    return TypeAdapter(_KINDS[kind])
