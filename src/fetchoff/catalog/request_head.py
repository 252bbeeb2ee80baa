"""What of a request's head a workload chooses: its target and its fields, as clients can send them.

All clients are asked for the same request. Most libraries take a map of fields, so a workload names
each of them once. They differ in how they write what is not ASCII, so a workload has none of it.
"""

from __future__ import annotations

import re
from typing import Annotated
from urllib.parse import quote

from pydantic import AfterValidator, WithJsonSchema

_NOT_IN_TARGET = re.compile(r"[^!\"$-~]")
"""A target is a path and a query (RFC 9112, section 3.2.1): visible ASCII, and no fragment."""

_NAME = re.compile(r"[\w!#$%&'*+.^`|~-]+", re.ASCII)
"""A token (RFC 9110, section 5.6.2)."""

_VALUE = re.compile(r"([!-~]([\t -~]*[!-~])?)?")
"""As fields should have it (RFC 9110, section 5.5): visible ASCII, and white space inside."""


def _must_be_target(target: str) -> str:
    if not target.startswith("/"):
        raise ValueError(f"{target!r} must begin with '/'")
    if found := _NOT_IN_TARGET.search(target):
        raise ValueError(
            f"{target!r} has {found[0]!r}, which no target can have: "
            f"write it as '{quote(found[0], safe='')}'"
        )
    return target


def _must_be_name(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise ValueError(
            f"{name!r} is no name of a field: write letters, digits and hyphens, as in 'X-Name'"
        )
    return name


def _must_be_value(value: str) -> str:
    if not _VALUE.fullmatch(value):
        raise ValueError(
            f"{value!r} is no value of a field: write visible ASCII on one line, without white "
            "space at either end"
        )
    return value


Target = Annotated[
    str,
    AfterValidator(_must_be_target),
    WithJsonSchema({"type": "string", "pattern": "^/"}),
]
Value = Annotated[str, AfterValidator(_must_be_value)]
Field = tuple[Annotated[str, AfterValidator(_must_be_name)], Value]


def _must_differ(fields: tuple[Field, ...]) -> tuple[Field, ...]:
    names = [name.lower() for name, _ in fields]  # RFC 9110, section 5.1
    for name in names:
        if names.count(name) > 1:
            raise ValueError(
                f"has '{name}' more than once, which many clients can't send: "
                "join the values by ', '"
            )
    return fields


Fields = Annotated[tuple[Field, ...], AfterValidator(_must_differ)]
