"""The reference pages and the man page are what the code says."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from tools.reference import keys, man
from tools.reference.__main__ import DOCS, PAGES
from tools.reference.command_line import commands
from tools.reference.markdown import plain

from fetchoff.catalog import claims, kits, links, manifests, origins, workloads
from fetchoff.catalog.toml import Document
from fetchoff.cli.main import app


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_up_to_date(name: str) -> None:
    """If this fails, run `make reference`."""
    assert (DOCS / name).read_text(encoding="utf-8") == PAGES[name]()


def test_every_command_is_there_with_its_options() -> None:
    found = {command.name: command for command in commands()}
    names = {str(command.name) for command in app.registered_commands}
    for group in app.registered_groups:
        assert group.typer_instance is not None
        further = group.typer_instance.registered_commands
        names |= {f"{group.name} {command.name}" for command in further}
    assert set(found) == {f"fetchoff {name}" for name in names}
    written = [one.written for one in found["fetchoff run"].options]
    assert any(words.startswith("-w, --workload") for words in written)
    assert [one.written for one in found["fetchoff report"].arguments] == ["run <path>"]


def test_every_kind_of_file_is_there() -> None:
    """A table that no file of the page leads to would be missing without a word."""
    page = PAGES["reference/toml.md"]()
    rooms = (claims, kits, links, manifests, origins, workloads)
    tables = {
        name
        for room in rooms
        for name, kind in vars(room).items()
        if isinstance(kind, type)
        and issubclass(kind, Document)
        and kind.__module__ == room.__name__
    }
    told = {heading.strip("_") for heading in re.findall(r"^###? (?:\w+: )?(\w+)$", page, re.M)}
    abstract = {"Stated", "Value"}
    named = {name.strip("_").removesuffix("Table") or "Table" for name in tables}
    assert named - abstract <= told


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        (
            {"type": "integer", "minimum": 1, "maximum": 4096},
            "whole number, at least 1, at most 4,096",
        ),
        ({"anyOf": [{"type": "boolean"}, {"type": "null"}]}, "`true` or `false`"),
        ({"enum": ["GET", "PUT"], "type": "string"}, '`"GET"`, `"PUT"`'),
        ({"type": "array", "items": {"type": "string"}, "minItems": 1}, "list of text, not empty"),
        (
            {"type": "object", "additionalProperties": {"type": "string"}},
            "table of names, each with text",
        ),
        ({"type": "string", "pattern": "^a|b"}, r"text, like `^a\|b`"),
        ({}, "anything"),
    ],
    ids=str,
)
def test_values_in_words(schema: dict[str, object], words: str) -> None:
    assert keys.told(schema, keys.FILES[0], {}) == words


def test_marks_of_markdown_mean_nothing() -> None:
    assert plain("a|b <c> *d* e_f") == r"a\|b &lt;c> \*d\* e\_f"


def test_marks_of_roff_mean_nothing() -> None:
    assert man.roff(".SH") == r"\&.SH"
    assert man.roff(r"a\b --c") == r"a\eb \-\-c"


def test_the_man_page_tells_all_statuses() -> None:
    rows = dict(man.rows("Exit status"))
    assert {"0", "8", "141"} <= set(rows)
    assert rows["7"] == "a link could not be emulated, or its emulator went away (what it needs)"
    assert "NO_COLOR" in dict(man.rows("Environment"))


def test_groff_has_nothing_to_say_of_the_man_page(tmp_path: Path) -> None:
    if (groff := shutil.which("groff")) is None:
        pytest.skip("there is no groff")
    page = tmp_path / "fetchoff.1"
    page.write_text(man.page(), encoding="utf-8")
    command = [groff, "-k", "-man", "-ww", "-Tutf8", str(page)]
    done = subprocess.run(command, capture_output=True, check=False)
    assert done.stderr.decode() == ""
    assert "EXIT STATUS" in re.sub(".\x08", "", done.stdout.decode())
