"""`fetchoff completion`: have the shell complete commands, options and names."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

NAME = "completion"
VARIABLE = "_FETCHOFF_COMPLETE"  # set by a shell that asks what may come next


class Shell(StrEnum):
    """The shells that have a script."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


def command(
    shell: Annotated[Shell, typer.Argument(metavar="SHELL", help="bash, zsh or fish.")],
) -> None:
    """Print the script that has your shell complete commands, options and names.

    bash, in ~/.bashrc: eval "$(fetchoff completion bash)". zsh, in ~/.zshrc after compinit:
    eval "$(fetchoff completion zsh)". fish, once: fetchoff completion fish >
    ~/.config/fish/completions/fetchoff.fish
    """
    from typer.completion import get_completion_script  # type: ignore[attr-defined]

    print(get_completion_script(prog_name="fetchoff", complete_var=VARIABLE, shell=shell.value))


def prepare() -> None:
    """Teach typer the scripts' questions; needed only where a shell asks one."""
    from typer.completion import completion_init  # type: ignore[attr-defined]

    completion_init()
