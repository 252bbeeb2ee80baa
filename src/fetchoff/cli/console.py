"""Print data to standard output and messages to standard error; colours only on a terminal.

`NO_COLOR` and `TERM=dumb` forbid colours. `TERM=dumb` and `CI` forbid lines that are drawn again
and again, which fill the log of a job.
"""

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


def may_redraw(console: Console) -> bool:
    """Whether somebody watches: a terminal that can draw over what it shows, and no job of CI."""
    return console.is_terminal and not console.is_dumb_terminal and not os.environ.get("CI")


def say(text: str) -> None:
    """Print a message for the user to standard error."""
    print(text, file=sys.stderr, flush=True)


def print_json(document: object) -> None:
    """Print a JSON document to standard output."""
    print(json.dumps(document, indent=2, ensure_ascii=False, default=str))


def print_error(error: FetchoffError) -> None:
    """Print the `error:` and `hint:` lines."""
    red, cyan, end = ("\x1b[1;31m", "\x1b[36m", "\x1b[0m") if _may_colour() else ("", "", "")
    say(f"{red}error:{end} {error.message}")
    if error.hint:
        say(f"{cyan}hint:{end} {error.hint}")


def _may_colour() -> bool:
    """As rich decides it, which is not imported for an error: an empty NO_COLOR forbids nothing."""
    is_dumb = os.environ.get("TERM", "") in ("dumb", "unknown")
    return sys.stderr.isatty() and not is_dumb and not os.environ.get("NO_COLOR")
