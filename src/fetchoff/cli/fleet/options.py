"""Options of all commands of a fleet."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Scheduler = Annotated[
    str | None,
    typer.Option(
        "--scheduler", metavar="ADDRESS", help="Use the workers of this Dask scheduler: tcp://…"
    ),
]
Hosts = Annotated[
    Path | None,
    typer.Option(
        "--hosts", metavar="FILE", help="Start workers by SSH on the machines of this TOML file."
    ),
]
Local = Annotated[
    int | None,
    typer.Option(
        "--local",
        metavar="N",
        min=1,
        max=64,
        help="Pretend N hosts on this machine; they take turns.",
    ),
]
Secure = Annotated[
    bool, typer.Option("--security", help="Use TLS with the certificates of Dask's configuration.")
]
Away = Annotated[
    float,
    typer.Option(
        "--away", metavar="S", min=1, help="A host that is away for so many seconds is lost."
    ),
]
LongestRound = Annotated[
    float,
    typer.Option(
        "--longest-round", metavar="S", min=1, help="A host whose round takes longer is lost."
    ),
]
AWAY_S = 60.0
ROUND_S = 3600.0
