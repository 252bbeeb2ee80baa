"""docs/reference/listings.md: what the listings print with `--json`, from their types."""

from __future__ import annotations

from collections.abc import Iterator
from types import NoneType, UnionType
from typing import Annotated, Any, get_args, get_origin, get_type_hints, is_typeddict

from tools.reference.markdown import code, table

from fetchoff.cli.listings import OF_COMMANDS

LEAD = """\
# Listings as JSON

With `--json`, these commands print one JSON document to standard output. The page is written from
the types of `src/fetchoff/cli/listings.py` by `make reference`; a test compares them with what the
commands print. [Result files](../results.md) has what `run`, `compare`, `report` and `resume`
print, [gates](../gate.md) what `gate` does."""
NAMES = {str: "text", int: "whole number", float: "number", bool: "true or false", NoneType: "null"}


def page() -> str:
    """The page as Markdown, with a section per command."""
    return "\n\n".join([LEAD, *(section(*one) for one in OF_COMMANDS.items())]) + "\n"


def section(command: str, kind: Any) -> str:
    """One command, and every kind of object that it prints."""
    parts = [f"## fetchoff {command} --json", f"What it prints: {told(kind)}."]
    for inner in dict.fromkeys(objects(kind)):
        parts += [f"### {name(inner)}", inner.__doc__.strip(), keys(inner)]
    return "\n\n".join(parts)


def keys(kind: Any) -> str:
    """The keys of one kind of object."""
    rows = []
    for key, hint in get_type_hints(kind, include_extras=True).items():
        value, meaning = get_args(hint) if get_origin(hint) is Annotated else (hint, "")
        rows.append((code(key), told(value), meaning))
    return table(("key", "value", "meaning"), rows)


def objects(kind: Any) -> Iterator[Any]:
    """The kinds of objects in a type, the outermost first."""
    if is_typeddict(kind):
        yield kind
        for inner in get_type_hints(kind).values():
            yield from objects(inner)
    else:
        for inner in get_args(kind):
            yield from objects(inner)


def told(kind: Any) -> str:
    """A type in words."""
    if is_typeddict(kind):
        return f"[{name(kind)}](#{name(kind).lower()})"
    if isinstance(kind, UnionType):
        return " or ".join(map(told, get_args(kind)))
    if get_origin(kind) is list:
        return f"list of {told(get_args(kind)[0])}"
    if get_origin(kind) is dict:
        return f"object, each value {told(get_args(kind)[1])}"
    return NAMES[kind]


def name(kind: Any) -> str:
    """What a kind of object is called."""
    return str(kind.__name__).removesuffix("Listing")
