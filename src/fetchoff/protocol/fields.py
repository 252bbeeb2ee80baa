"""Reads fields of messages that other programs wrote, and checks them."""

from __future__ import annotations

import json
from collections.abc import Mapping

Message = Mapping[str, object]
LONGEST_TEXT = 500


class Garbled(ValueError):
    """A message breaks the protocol; the text says how."""


def parse(line: bytes) -> Message:
    """The JSON object on a line."""
    try:
        message = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise Garbled(f"not a JSON line: {shorten(line)}") from error
    if not isinstance(message, dict):
        raise Garbled(f"not a JSON object: {shorten(line)}")
    return message


def whole(message: Message, key: str) -> int:
    """A whole number, not negative."""
    value = message.get(key)
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise Garbled(f"'{key}' is {_shown(value)}, not a whole number")
    return value


def text(message: Message, key: str) -> str:
    """A text that can be shown."""
    value = message.get(key)
    if not isinstance(value, str):
        raise Garbled(f"'{key}' is {_shown(value)}, not a text")
    return printable(value)


def texts(message: Message, key: str) -> tuple[str, ...]:
    """A list of texts."""
    value = message.get(key)
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise Garbled(f"'{key}' is not a list of texts")
    return tuple(printable(item) for item in value)


def printable(words: str) -> str:
    """Foreign text made safe for terminals and files: no control characters or lone surrogates."""
    kept = words if len(words) <= LONGEST_TEXT else words[: LONGEST_TEXT - 1] + "…"
    return "".join(mark if mark.isprintable() else ascii(mark)[1:-1] for mark in kept)


def _shown(value: object, most: int = 80) -> str:
    shown = repr(value)
    return shown if len(shown) <= most else shown[: most - 1] + "…"


def shorten(line: bytes, most: int = 80) -> str:
    """A line, shortened and made safe to show in a message."""
    shown = line.decode("utf-8", errors="backslashreplace").strip()
    return repr(shown if len(shown) <= most else shown[: most - 1] + "…")
