"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fetchoff.cli import completing
from fetchoff.cli.duration import duration_s
from fetchoff.model.loopback import Loopback
from fetchoff.model.workload import Placement

Workloads = Annotated[
    list[str] | None,
    typer.Option(
        "--workload",
        "-w",
        help="Measure this workload: a name or a TOML file; small-get+free is small-get placed "
        "freely. Repeatable.",
        autocompletion=completing.workloads,
    ),
]
Budget = Annotated[
    float | None,
    typer.Option(
        "--budget",
        metavar="TIME",
        parser=duration_s,
        help="How long to measure, such as 90, 5m or 8h; the first round is always completed.",
    ),
]
Out = Annotated[Path | None, typer.Option("--out", "-o", help="The run folder; default: runs/….")]
MOST_SEED = 2**64 - 1  # what the link emulator keeps it in
Seed = Annotated[
    int | None,
    typer.Option("--seed", min=0, max=MOST_SEED, help="Seed of the random orders."),
]
Origin = Annotated[
    str | None,
    typer.Option(
        "--origin",
        help="The server: an id of 'fetchoff origins', a folder or a URL.",
        autocompletion=completing.origins,
    ),
]
AllowRemote = Annotated[
    bool, typer.Option("--allow-remote", help="Permit a URL outside private networks.")
]
Placements = Annotated[
    Placement | None,
    typer.Option(
        "--placement",
        metavar="WHERE",
        help="Where client and origin run: shared-core, separate-cores or free; default: as each "
        "workload says.",
    ),
]
Loopbacks = Annotated[
    Loopback | None,
    typer.Option(
        "--loopback",
        metavar="WHOSE",
        help="Between client and built-in origin: own, with receive buffers of one size, or "
        "machine; default: own where this machine permits it.",
    ),
]
Links = Annotated[
    list[str] | None,
    typer.Option(
        "--link",
        "-l",
        help="Measure over this link: an id of 'fetchoff links' or a TOML file. Repeatable.",
        autocompletion=completing.links,
    ),
]
Full = Annotated[bool, typer.Option("--full", help="Use the published sizes; this takes long.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress and no notes.")]
Json = Annotated[bool, typer.Option("--json", help="Print the results as JSON.")]
Wait = Annotated[
    bool, typer.Option("--wait", help="Wait while another run is measured on this machine.")
]
RunPath = Annotated[Path, typer.Argument(help="A run folder.")]
Explain = Annotated[
    bool,
    typer.Option(
        "--explain", help="After the ranking, explain the slowest clients and those that wait."
    ),
]
PerDay = Annotated[
    float | None,
    typer.Option(
        "--per-day", metavar="N", min=1, help="Also show the cost of N exchanges per day."
    ),
]
Client = Annotated[
    str,
    typer.Argument(help="A client: an id or adapter folder.", autocompletion=completing.clients),
]
SuiteName = Annotated[
    str,
    typer.Argument(help="The name of a suite, or a TOML file.", autocompletion=completing.suites),
]
Clients = Annotated[
    list[str] | None,
    typer.Option(
        "--client",
        "-c",
        help="Measure these: an id, glob or adapter folder. Repeatable.",
        autocompletion=completing.clients,
    ),
]
Baseline = Annotated[
    str,
    typer.Option("--baseline", help="Compare with this client.", autocompletion=completing.clients),
]
SetUpFirst = Annotated[bool, typer.Option("--setup", help="First set up clients not yet set up.")]
