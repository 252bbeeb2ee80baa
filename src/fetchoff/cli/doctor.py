"""`fetchoff doctor`: what this machine can and cannot do for measuring."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from fetchoff.run.examination import Finding

NAME = "doctor"
SIGNS = {"good": ("green", "good"), "limited": ("yellow", "limited"), "bad": ("red", "bad")}


def command(
    as_json: Annotated[bool, typer.Option("--json", help="For a program.")] = False,
) -> None:
    """Say what this machine can and cannot do for measuring, and what would help.

    Exit status 1 if nothing can be measured here.
    """
    from fetchoff.cli.console import data_console, print_json
    from fetchoff.run.examination import Health, examine
    from fetchoff.run.machine import facts, tools

    findings = examine()
    if as_json:
        print_json(
            {
                "findings": [_document(finding) for finding in findings],
                "machine": facts(),
                "tools": tools(),
            }
        )
    else:
        from rich.table import Table

        table = Table(box=None, pad_edge=False, show_header=False)
        for finding in findings:
            colour, word = SIGNS[finding.health]
            hint = f"\n[dim]{finding.hint}[/]" if finding.hint else ""
            table.add_row(f"[{colour}]{word}[/]", f"{finding.text}{hint}")
        data_console().print(table)
    if any(finding.health is Health.BAD for finding in findings):
        raise typer.Exit(1)


def _document(finding: Finding) -> dict[str, str]:
    return {"health": str(finding.health), "text": finding.text, "hint": finding.hint}
