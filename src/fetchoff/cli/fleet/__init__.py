"""`fetchoff fleet …`: one experiment on many hosts."""

from __future__ import annotations

import typer

from fetchoff.cli.fleet import doctor, resume, run, setup

NAME = "fleet"

app = typer.Typer(
    help="Measure one experiment on many hosts, as workers of Dask (docs/fleet.md).",
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for module in (run, resume, setup, doctor):
    app.command(name=module.NAME)(module.command)
