"""Reading a TOML file into a checked document: errors name the file, the line and the key."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from fetchoff.model.errors import InputError


class Document(BaseModel):
    """A TOML table: unknown keys are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


D = TypeVar("D", bound=Document)
_WORDS = {
    "extra_forbidden": "unknown key",
    "missing": "is missing",
    "too_short": "must not be empty",
    "tuple_type": "must be a list",
}


def read(path: Path, kind: type[D]) -> D:
    """The document in `path`; InputError if it cannot be read or is not as it should be."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise InputError(f"{path}: no such file") from error
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read: {error}") from error
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{path}: {error}", "see https://toml.io for the syntax") from error
    try:
        return kind.model_validate(table)
    except ValidationError as error:
        raise InputError(_explain(path, text, error)) from error


def _explain(path: Path, text: str, error: ValidationError) -> str:
    lines = []
    faults = error.errors()
    for fault in faults:
        if any(_is_inside(other["loc"], fault["loc"]) for other in faults):
            continue  # an array of tables is "too short" where one of its tables is at fault
        keys = [str(part) for part in fault["loc"]]
        at = _line_of(text, keys)
        where = f"{path}:{at}" if at else str(path)
        what = _WORDS.get(fault["type"], fault["msg"])
        lines.append(f"{where}: {'.'.join(keys)}: {what}")
    return "\n".join(lines)


def _is_inside(inner: tuple[int | str, ...], outer: tuple[int | str, ...]) -> bool:
    return len(inner) > len(outer) and inner[: len(outer)] == outer


def _line_of(text: str, keys: list[str]) -> int | None:
    """The line where the deepest named key stands, as well as text search can tell."""
    for key in reversed([key for key in keys if not key.isdigit()]):
        pattern = re.compile(
            rf"^\s*(?:\[+[\w.\"-]*\b{re.escape(key)}\]+|[\"']?{re.escape(key)}[\"']?\s*=)"
        )
        for number, line in enumerate(text.splitlines(), start=1):
            if pattern.match(line) or re.search(rf"[{{,]\s*{re.escape(key)}\s*=", line):
                return number
    return None
