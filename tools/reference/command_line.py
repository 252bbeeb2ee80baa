"""The command line, as its own help tells it."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import typer

from fetchoff.cli.main import app

NAME = "fetchoff"


@dataclass(frozen=True)
class Parameter:
    """An argument or an option: how it is written, and what it means."""

    written: str
    meaning: str


@dataclass(frozen=True)
class CommandHelp:
    """A command. `about`: paragraphs."""

    name: str
    usage: str
    about: tuple[str, ...]
    arguments: tuple[Parameter, ...]
    options: tuple[Parameter, ...]


def root() -> CommandHelp:
    """`fetchoff` without a command."""
    group = _group()
    return _help_of(group, _above(group))


def commands() -> list[CommandHelp]:
    """All commands, in the order of the help; of a command that has further ones, those."""
    group = _group()
    return list(_within(group, _above(group)))


def _within(group: Any, above: Any) -> Iterator[CommandHelp]:
    for name in group.list_commands(above):
        command = group.get_command(above, name)
        context = command.context_class(command, info_name=name, parent=above)
        if hasattr(command, "list_commands"):
            yield from _within(command, context)
        else:
            yield _help_of(command, context)


def _group() -> Any:
    return typer.main.get_command(app)


def _above(group: Any) -> Any:
    """The context of all commands, which tells them how options are called."""
    return group.context_class(group, info_name=NAME, **group.context_settings)


def _help_of(command: Any, context: Any) -> CommandHelp:
    arguments: list[Parameter] = []
    options: list[Parameter] = []
    for parameter in command.get_params(context):
        if record := parameter.get_help_record(context):
            kind = arguments if parameter.param_type_name == "argument" else options
            kind.append(Parameter(*(" ".join(text.split()) for text in record)))
    text = inspect.cleandoc(command.help or "")
    return CommandHelp(
        name=context.command_path,
        usage=" ".join([context.command_path, *command.collect_usage_pieces(context)]),
        about=tuple(" ".join(part.split()) for part in re.split(r"\n\n+", text) if part),
        arguments=tuple(arguments),
        options=tuple(options),
    )
