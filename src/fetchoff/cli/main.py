"""The `fetchoff` command. Commands import modules only when they run, so that help is fast."""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType
from typing import Annotated

import typer

import fetchoff
from fetchoff.cli import (
    check,
    clients,
    compare,
    completion,
    doctor,
    explain,
    fleet,
    gate,
    history,
    link,
    links,
    origin,
    origins,
    output,
    report,
    reproduce,
    resume,
    run,
    setup,
    site,
    versions,
    workloads,
)
from fetchoff.cli.console import print_error, say
from fetchoff.cli.status import Status
from fetchoff.model.errors import FetchoffError

app = typer.Typer(
    name="fetchoff",
    help="Measure HTTP clients, head to head, in any language.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Start with 'fetchoff doctor', then 'fetchoff run --setup'.",
)
for module in (
    run,
    compare,
    gate,
    history,
    explain,
    reproduce,
    report,
    resume,
    clients,
    versions,
    setup,
    check,
    workloads,
    links,
    link,
    origins,
    origin,
    doctor,
    completion,
):
    app.command(name=module.NAME)(module.command)
for group in (site, fleet):
    app.add_typer(group.app, name=group.NAME)


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"fetchoff {fetchoff.__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Measure HTTP clients, head to head, in any language."""


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _swallowed(ended: SystemExit) -> BaseException | None:
    """What no command took care of, and Typer has ended for: Ctrl-C, with 130 and without a word;
    with 1, which is a verdict here, the end of a file, and a reader that went away."""
    context = ended.__context__
    if isinstance(context, BrokenPipeError):
        return context
    cause = getattr(context, "__cause__", None)
    return cause if isinstance(cause, (KeyboardInterrupt, EOFError)) else None


def _read_by_nobody() -> None:
    """Python writes what is left to standard output as it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def main() -> None:
    """Run the command line; each error that a user can cause ends in one message and exit code.

    Raises what nobody expects.
    """
    # SIGTERM and SIGHUP act like Ctrl-C: what was measured is kept and shown. A signal that was
    # ignored at the start stays ignored, as under nohup (Python does the same with SIGINT in
    # background jobs).
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _interrupt)
    if completion.VARIABLE in os.environ:
        completion.prepare()
    output.replace_closed()
    try:
        with output.watched():
            app()
    except FetchoffError as error:
        print_error(error)
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        say("interrupted")
        sys.exit(Status.INTERRUPTED)
    except SystemExit as ended:
        swallowed = _swallowed(ended)
        if isinstance(swallowed, BrokenPipeError):
            _read_by_nobody()
            sys.exit(Status.READER_WENT_AWAY)
        if isinstance(swallowed, EOFError):
            raise swallowed from None
        if swallowed is not None:
            say("interrupted")
        raise
    except BrokenPipeError:
        _read_by_nobody()
        sys.exit(Status.READER_WENT_AWAY)
