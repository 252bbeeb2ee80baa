"""What the listings print for a program is what their types say."""

from __future__ import annotations

import json
from collections.abc import Iterator
from types import NoneType, UnionType
from typing import Annotated, Any, get_args, get_origin, get_type_hints, is_typeddict

import pytest
from tests.command import Command, fake

from fetchoff.cli import origins
from fetchoff.cli.listings import OF_COMMANDS, CaseListing, LinkListing

ARGUMENTS = {
    "clients": ("--json",),
    "workloads": ("--json",),
    "links": ("--json",),
    "origins": ("--json",),
    "doctor": ("--json",),
    "check": (fake("honest"), "--only", "hello", "--json"),
    "versions": (fake("aging"), "--json"),
}


def faults(value: Any, kind: Any, at: str = "") -> Iterator[str]:
    """Where a JSON value is not of a type."""
    if get_origin(kind) is Annotated:
        yield from faults(value, get_args(kind)[0], at)
    elif is_typeddict(kind):
        hints = get_type_hints(kind)
        if not isinstance(value, dict) or set(value) != set(hints):
            yield f"{at}: not the keys of {kind.__name__}"
            return
        for key, inner in hints.items():
            yield from faults(value[key], inner, f"{at}.{key}")
    elif get_origin(kind) is list and isinstance(value, list):
        for number, one in enumerate(value):
            yield from faults(one, get_args(kind)[0], f"{at}[{number}]")
    elif get_origin(kind) is dict and isinstance(value, dict):
        for key, one in value.items():
            yield from faults(one, get_args(kind)[1], f"{at}.{key}")
    elif isinstance(kind, UnionType):
        if all(list(faults(value, one, at)) for one in get_args(kind)):
            yield f"{at}: {value!r} is not {kind}"
    elif not _is(value, kind):
        yield f"{at}: {value!r} is not {kind}"


def _is(value: Any, kind: Any) -> bool:
    if kind is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    return kind in (str, int, bool, NoneType) and type(value) is kind


@pytest.mark.parametrize("command", OF_COMMANDS)
def test_a_listing_is_of_its_type(command: str, fetchoff: Command) -> None:
    ran = fetchoff(command, *ARGUMENTS[command])
    assert ran.status == 0, ran.err
    document = json.loads(ran.out)
    assert document
    assert list(faults(document, OF_COMMANDS[command], command)) == []


def test_what_is_not_of_a_type_is_told() -> None:
    case = {"client": "a/b", "case": "hello", "verdict": "passed", "text": ""}
    assert list(faults(case, CaseListing)) == []
    assert list(faults({**case, "text": None}, CaseListing)) == [".text: None is not <class 'str'>"]
    assert list(faults({**case, "more": 1}, CaseListing)) == [": not the keys of CaseListing"]
    assert list(faults([case], CaseListing))
    assert list(faults({"mtu": "1500"}, LinkListing))
    assert list(faults({"a": True}, dict[str, int]))


def test_every_key_has_its_meaning() -> None:
    for kind in _types(list(OF_COMMANDS.values())):
        for key, hint in get_type_hints(kind, include_extras=True).items():
            assert get_origin(hint) is Annotated, f"{kind.__name__}.{key}"


def _types(kinds: list[Any]) -> Iterator[Any]:
    for kind in kinds:
        if is_typeddict(kind):
            yield kind
            yield from _types(list(get_type_hints(kind).values()))
        else:
            yield from _types(list(get_args(kind)))


def test_the_built_in_origin_can_be_named(capsys: pytest.CaptureFixture[str]) -> None:
    """It is in the table; asked for by its name, it was unknown."""
    origins.command(["built-in"])
    assert "built-in" in capsys.readouterr().out
    origins.command(["built-in"], as_json=True)
    assert json.loads(capsys.readouterr().out) == []
