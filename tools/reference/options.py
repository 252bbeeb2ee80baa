"""docs/reference/options.md: every command, argument and option."""

from __future__ import annotations

from tools.reference.command_line import CommandHelp, commands
from tools.reference.markdown import code, plain, table

LEAD = """\
# Every option

This page has what `fetchoff COMMAND --help` tells, and is written from it by `make reference`.
[Commands](../commands.md) explains how to use the commands, what they print, and how they end."""


def page() -> str:
    """The page as Markdown, with a section per command."""
    return "\n\n".join([LEAD, *map(section, commands())]) + "\n"


def section(command: CommandHelp) -> str:
    """One command."""
    rows = [
        (code(one.written), plain(one.meaning)) for one in (*command.arguments, *command.options)
    ]
    parts = [
        f"## {command.name}",
        code(command.usage),
        *map(plain, command.about),
        table(("argument or option", "meaning"), rows),
    ]
    return "\n\n".join(parts)
