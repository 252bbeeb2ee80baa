"""Reading fields out of messages that somebody else wrote."""

from __future__ import annotations

import json
from collections.abc import Mapping

Message = Mapping[str, object]


class Garbled(ValueError):
    """A message that is not what the protocol says; the text tells how."""


def parse(line: bytes) -> Message:
    """The JSON object on a line."""
    try:
        message = json.loads(line)
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise Garbled(f"not a JSON line: {shorten(line)}") from error
    if not isinstance(message, dict):
        raise Garbled(f"not a JSON object: {shorten(line)}")
    return message


def whole(message: Message, key: str) -> int:
    """A whole number, not negative."""
    value = message.get(key)
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise Garbled(f"'{key}' is {value!r}, not a whole number")
    return value


def text(message: Message, key: str) -> str:
    """A text."""
    value = message.get(key)
    if not isinstance(value, str):
        raise Garbled(f"'{key}' is {value!r}, not a text")
    return value


def texts(message: Message, key: str) -> tuple[str, ...]:
    """A list of texts."""
    value = message.get(key)
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise Garbled(f"'{key}' is not a list of texts")
    return tuple(value)


def shorten(line: bytes, most: int = 80) -> str:
    """A line as it can be shown in a message."""
    shown = line.decode("utf-8", errors="backslashreplace").strip()
    return repr(shown if len(shown) <= most else shown[: most - 1] + "…")
