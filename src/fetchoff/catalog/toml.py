"""Read a TOML file into a validated document; errors name the file, the line and the key."""

from __future__ import annotations

import difflib
import re
import sys
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, ValidationError

from fetchoff.model.errors import InputError
from fetchoff.model.homepage import must_be_of_the_web

Homepage = Annotated[str, AfterValidator(must_be_of_the_web)]


class Document(BaseModel):
    """A TOML table: unknown keys are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


D = TypeVar("D", bound=Document)
Prepare = Callable[[dict[str, Any]], dict[str, Any]]
Location = tuple[int | str, ...]
_NAME = re.compile(r"""[\w-]+|"[^"]*"|'[^']*'""")
_PATH = rf"(?P<path>(?:{_NAME.pattern})(?:\s*\.\s*(?:{_NAME.pattern}))*)"
_HEADER = re.compile(rf"\s*(?P<array>\[)?\[\s*{_PATH}\s*\]")
_SETTING = re.compile(rf"\s*{_PATH}\s*=")
_WORDS = {
    "extra_forbidden": "unknown key",
    "missing": "is missing",
    "too_short": "must not be empty",
    "tuple_type": "must be a list",
}


def read(path: Path, kind: type[D], prepared: Prepare = lambda table: table) -> D:
    """The document in `path`; InputError if it cannot be read or is not valid.

    `prepared`: transforms the table before validation; its ValueError becomes the message.
    """
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
    except RecursionError as error:
        raise InputError(f"{path}: nested too deeply") from error
    except ValueError as error:  # of int(), which tomllib leaves as it is
        raise InputError(
            f"{path}{_at_line(_digits_at(text))}: an integer has too many digits",
            "an integer of TOML has at most 19",
        ) from error
    try:
        table = prepared(table)
    except ValueError as error:
        raise InputError(f"{path}: {error}") from error
    try:
        return kind.model_validate(table)
    except ValidationError as error:
        raise InputError(_explain(path, text, error), _meant(kind, error)) from error


def _explain(path: Path, text: str, error: ValidationError) -> str:
    lines = []
    faults = error.errors()
    for fault in faults:
        if any(_is_inside(other["loc"], fault["loc"]) for other in faults):
            continue  # an array of tables also counts as too short if one of its tables is invalid
        at = _line_of(text, fault["loc"])
        where = f"{path}{_at_line(at)}"
        keys = "".join(f"{key}." for key in fault["loc"])
        what = _WORDS.get(fault["type"], fault["msg"].removeprefix("Value error, "))
        lines.append(": ".join(filter(None, (where, keys.removesuffix("."), what))))
    return "\n".join(lines)


def _at_line(number: int | None) -> str:
    return f":{number}" if number else ""


def _digits_at(text: str) -> int | None:
    """The line of an integer that is longer than int() takes."""
    longest = sys.get_int_max_str_digits()
    for number, line in enumerate(text.splitlines(), start=1):
        if any(len(found.replace("_", "")) > longest for found in re.findall(r"[\d_]+", line)):
            return number
    return None


def _meant(kind: type[Document], error: ValidationError) -> str:
    """A hint with valid keys that are similar to the unknown ones."""
    unknown = [f["loc"][-1] for f in error.errors() if f["type"] == "extra_forbidden"]
    known = set(_keys(kind))
    near = [n for key in unknown for n in difflib.get_close_matches(str(key), known, n=1)]
    return f"did you mean {' and '.join(dict.fromkeys(near))}?" if near else ""


def _keys(kind: object, seen: frozenset[object] = frozenset()) -> Iterator[str]:
    """All keys of a document and of the tables in it."""
    for inner in get_args(kind):
        yield from _keys(inner, seen)
    if isinstance(kind, type) and issubclass(kind, Document) and kind not in seen:
        for name, field in kind.model_fields.items():
            yield field.alias or name
            yield from _keys(field.annotation, seen | {kind})


def _is_inside(inner: Location, outer: Location) -> bool:
    return len(inner) > len(outer) and inner[: len(outer)] == outer


def _line_of(text: str, location: Location) -> int | None:
    """The line of the deepest table or key on the way to `location`."""
    on_the_way = [
        (len(path), -number) for number, path in _paths(text) if location[: len(path)] == path
    ]
    return -max(on_the_way)[1] if on_the_way else None


def _paths(text: str) -> Iterator[tuple[int, Location]]:
    """The line number and path of every line that begins a table or sets a key."""
    table: Location = ()
    lengths: dict[Location, int] = {}  # of the arrays of tables
    for number, line in enumerate(text.splitlines(), start=1):
        if header := _HEADER.match(line):
            *above, name = map(_bare, _NAME.findall(header["path"]))
            table = (*_last_of(above, lengths), name)
            if header["array"]:
                lengths[table] = lengths.get(table, 0) + 1
            if table in lengths:
                table = (*table, lengths[table] - 1)
            yield number, table
        elif setting := _SETTING.match(line):
            yield number, (*table, *map(_bare, _NAME.findall(setting["path"])))


def _last_of(names: Iterable[str], lengths: Mapping[Location, int]) -> Location:
    """A path with the index of the last element inserted after every array of tables."""
    found: Location = ()
    for name in names:
        found = (*found, name)
        if found in lengths:
            found = (*found, lengths[found] - 1)
    return found


def _bare(name: str) -> str:
    return name.strip("\"'")
