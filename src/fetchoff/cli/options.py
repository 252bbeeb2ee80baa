"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fetchoff.model.workload import Placement

Workloads = Annotated[
    list[str] | None,
    typer.Option("--workload", "-w", help="Only this: a name or a TOML file. Repeatable."),
]
Budget = Annotated[
    float | None,
    typer.Option("--budget", min=1, help="Seconds of measuring; a first round is always made."),
]
Out = Annotated[
    Path | None, typer.Option("--out", "-o", help="The run folder; runs/… if not given.")
]
Seed = Annotated[int | None, typer.Option("--seed", min=0, help="Of the random orders.")]
Origin = Annotated[
    str | None,
    typer.Option("--origin", help="The server: an id of 'fetchoff origins', a folder, a URL."),
]
AllowRemote = Annotated[
    bool, typer.Option("--allow-remote", help="Permit a URL that is not of a private network.")
]
Placements = Annotated[
    Placement | None,
    typer.Option(
        "--placement",
        metavar="WHERE",
        help="Cores of client and origin, instead of what workloads say: shared-core, "
        "separate-cores or free.",
    ),
]
Links = Annotated[
    list[str] | None,
    typer.Option(
        "--link", "-l", help="Over this: an id of 'fetchoff links', a TOML file. Repeatable."
    ),
]
Full = Annotated[bool, typer.Option("--full", help="At the sizes that were published: takes long.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no notes.")]
Json = Annotated[bool, typer.Option("--json", help="Results as JSON on standard output.")]
Wait = Annotated[
    bool, typer.Option("--wait", help="Where another run is being measured, wait for its end.")
]
RunPath = Annotated[Path, typer.Argument(help="A run folder.")]
PerDay = Annotated[
    float | None,
    typer.Option(
        "--per-day", metavar="N", min=1, help="Also what it comes to at N exchanges a day."
    ),
]
