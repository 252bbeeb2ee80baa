"""`fetchoff doctor`: check whether this machine is fit for measuring."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from fetchoff.cli.status import Status

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fetchoff.app.doctor import MachineCheck
    from fetchoff.cli.listings import HealthListing, MachineListing

NAME = "doctor"
SIGNS = {"good": ("green", "good"), "limited": ("yellow", "limited"), "bad": ("red", "bad")}


def command(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Check whether this machine is fit for measuring, and how to improve it.

    The exit status is 1 if nothing can be measured on this machine.
    """
    from fetchoff.app.doctor import Health, check_machine
    from fetchoff.cli.console import data_console, print_json
    from fetchoff.run.host.machine import facts, tools

    checks = check_machine()
    if as_json:
        print_json(_documents(checks, facts(), tools()))
    else:
        from rich.table import Table

        table = Table(box=None, pad_edge=False, show_header=False)
        for check in checks:
            colour, word = SIGNS[check.health]
            hint = f"\n[dim]{check.hint}[/]" if check.hint else ""
            table.add_row(f"[{colour}]{word}[/]", f"{check.text}{hint}")
        data_console().print(table)
    if any(check.health is Health.BAD for check in checks):
        raise typer.Exit(Status.NO)


def _document(check: MachineCheck) -> HealthListing:
    return {"health": str(check.health), "text": check.text, "hint": check.hint}


def _documents(
    checks: Sequence[MachineCheck], machine: dict[str, str], tools: dict[str, str]
) -> MachineListing:
    return {"findings": [_document(check) for check in checks], "machine": machine, "tools": tools}
