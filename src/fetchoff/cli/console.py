"""Print data to standard output and messages to standard error; colours only on a terminal."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

    from fetchoff.model.errors import FetchoffError

PIPE_WIDTH = 120


def data_console() -> Console:
    """The console for results; in a pipe it is PIPE_WIDTH wide unless COLUMNS is set."""
    from rich.console import Console

    is_free = not sys.stdout.isatty() and "COLUMNS" not in os.environ
    return Console(highlight=False, soft_wrap=False, width=PIPE_WIDTH if is_free else None)


def message_console() -> Console:
    """The console for progress, notes and errors."""
    from rich.console import Console

    return Console(stderr=True, highlight=False)


def say(text: str) -> None:
    """Print a message for the user to standard error."""
    print(text, file=sys.stderr, flush=True)


def print_json(document: object) -> None:
    """Print a JSON document to standard output."""
    print(json.dumps(document, indent=2, ensure_ascii=False, default=str))


def print_error(error: FetchoffError) -> None:
    """Print the `error:` and `hint:` lines."""
    is_plain = not sys.stderr.isatty() or "NO_COLOR" in os.environ
    red, cyan, end = ("", "", "") if is_plain else ("\x1b[1;31m", "\x1b[36m", "\x1b[0m")
    say(f"{red}error:{end} {error.message}")
    if error.hint:
        say(f"{cyan}hint:{end} {error.hint}")
