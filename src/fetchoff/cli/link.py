"""`fetchoff link`: run any command over an emulated link."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from fetchoff.cli import completing, options

if TYPE_CHECKING:
    from fetchoff.model.link import Emulated, Link

NAME = "link"


def command(
    name: Annotated[
        str,
        typer.Argument(
            metavar="ID",
            help="A link of 'fetchoff links', or a TOML file.",
            autocompletion=completing.links,
        ),
    ],
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="COMMAND", help="The command, after '--'; default: your shell."),
    ] = None,
    port: Annotated[
        int, typer.Option("--port", min=1, max=65_535, help="The port of the origin.")
    ] = 8080,
    seed: Annotated[
        int,
        typer.Option("--seed", min=0, max=options.MOST_SEED, help="Seed of losses and jitter."),
    ] = 0,
    quiet: options.Quiet = False,
) -> None:
    """Run any command over an emulated link to the built-in origin.

    The environment variable ORIGIN holds the origin's URL. The exit status is that of the command.
    Example: fetchoff link london -- sh -c 'curl $ORIGIN/json/99'
    """
    import os

    from fetchoff.app.sandbox import open_sandbox
    from fetchoff.catalog import links
    from fetchoff.cli.console import say
    from fetchoff.run.os.exec_command import in_foreground, must_be_runnable

    link = links.link(name)
    argv = words or [os.environ.get("SHELL") or "/bin/sh"]
    must_be_runnable(argv)
    with open_sandbox(link, port, seed) as place:
        if not quiet:
            say(opening(link, place.url))
        status = in_foreground(argv, place.network.at_client, place.environment)
        used = place.used()
        if used and not quiet:
            say(closing(link, used))
    raise typer.Exit(status)


def opening(link: Link, url: str) -> str:
    from fetchoff.report.wording.links import summary

    return f"{link.id}: {summary(link)}; the origin is {url} ($ORIGIN)"


def closing(link: Link, used: Emulated) -> str:
    from fetchoff.model.lateness import fault_of

    fault = fault_of(used, link)
    return (
        f"{link.id}: {used.packets_up:,} packets up, {used.packets - used.packets_up:,} down, "
        f"{used.lost:,} lost, "
        f"{used.dropped:,} dropped from a full queue; "
        f"the emulator took {used.cpu_ns / 1e9:.2f} s of CPU time and "
        f"{f'did not keep up: {fault}' if fault else 'kept up'}"
    )
