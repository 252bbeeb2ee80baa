"""`fetchoff origin`: run the built-in origin alone."""

from __future__ import annotations

from typing import Annotated

import typer

NAME = "origin"


def command(
    listen: Annotated[str, typer.Option("--listen", help="Address and port.")] = "127.0.0.1:8080",
    allow_remote: Annotated[
        bool, typer.Option("--allow-remote", help="Allow addresses that other machines can reach.")
    ] = False,
) -> None:
    """Run the built-in origin until Ctrl-C, like a local httpbin.

    docs/origin.md lists its routes.
    """
    import os

    from fetchoff.run.origins.built_in import binary

    program = str(binary())
    arguments = [program, "--listen", listen, *(["--allow-remote"] if allow_remote else [])]
    os.execv(program, arguments)
