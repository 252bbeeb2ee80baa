"""The exit statuses: those of the code, of the errors, and of the documentation are the same."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from fetchoff.catalog.paths import shipped
from fetchoff.cli.status import Status
from fetchoff.model.errors import FetchoffError

SOURCES = sorted((shipped("docs").parent / "src" / "fetchoff" / "cli").glob("*.py"))


def documented() -> dict[int, str]:
    """The rows of the table in docs/commands.md."""
    text = (shipped("docs") / "commands.md").read_text(encoding="utf-8")
    section = text.partition("\n## Exit status\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (\d+) \| (.+) \|$", section, re.M)
    return {int(status): meaning for status, meaning in rows}


def errors(kind: type[FetchoffError] = FetchoffError) -> Iterator[type[FetchoffError]]:
    yield kind
    for narrower in kind.__subclasses__():
        yield from errors(narrower)


def test_every_status_is_documented_and_no_other() -> None:
    assert sorted(documented()) == sorted(Status)
    assert all(documented().values())


def test_every_error_has_one_of_them() -> None:
    statuses = {kind: kind.exit_code for kind in errors()}
    assert len(statuses) > 5
    assert {kind: s for kind, s in statuses.items() if s not in set(Status) or s == 0} == {}


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_no_command_ends_with_a_number_of_its_own(path: Path) -> None:
    assert re.findall(r"(?:Exit|exit)\(\d+\)|_exit\(\d+", path.read_text(encoding="utf-8")) == []
