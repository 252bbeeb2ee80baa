"""docs/fetchoff.1: the man page, from the help and from docs/commands.md."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from tools.reference.command_line import CommandHelp, commands, root

import fetchoff

COMMANDS = Path(__file__).resolve().parent.parent.parent / "docs" / "commands.md"


def page() -> str:
    """The page in the macros of man(7)."""
    version = fetchoff.__version__
    parts = [
        '.\\" written by make reference',
        f'.TH FETCHOFF 1 "" "Fetchoff {version}" "User Commands"',
        ".SH NAME",
        "fetchoff \\- measure HTTP clients, head to head, in any language",
        ".SH SYNOPSIS",
        f".B {roff(root().usage)}",
        ".SH COMMANDS",
        *(line for command in commands() for line in of_command(command)),
        ".SH EXIT STATUS",
        *tagged(rows("Exit status")),
        ".SH ENVIRONMENT",
        *tagged(rows("Environment")),
        ".SH SEE ALSO",
        "The documentation of Fetchoff, of which",
        ".B docs/commands.md",
        "explains each command.",
    ]
    return "\n".join(parts) + "\n"


def of_command(command: CommandHelp) -> Iterator[str]:
    """One command: how it is used, what it does, its arguments and options."""
    yield f".SS {roff(command.usage)}"
    for number, paragraph in enumerate(command.about):
        if number:
            yield ".PP"
        yield roff(paragraph)
    yield from tagged((one.written, one.meaning) for one in (*command.arguments, *command.options))


def tagged(pairs: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Paragraphs, each with a tag."""
    for tag, text in pairs:
        yield ".TP"
        yield f".B {roff(tag)}"
        yield roff(text)


def rows(section: str) -> list[tuple[str, str]]:
    """A table of docs/commands.md, as plain text."""
    text = COMMANDS.read_text(encoding="utf-8")
    body = text.partition(f"\n## {section}\n")[2].partition("\n## ")[0]
    found = [tuple(map(unmarked, row)) for row in re.findall(r"^\| (.+?) \| (.+) \|$", body, re.M)]
    return [(first, second) for first, second in found[1:]]  # without the headings


def unmarked(text: str) -> str:
    """Markdown without its marks."""
    return re.sub(r"\[([^\]]+)\]\([^)]+\)", r"\1", text).replace("`", "").replace("\\|", "|")


def roff(text: str) -> str:
    """Text that means nothing to roff but itself."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{escaped}" if escaped.startswith((".", "'")) else escaped
