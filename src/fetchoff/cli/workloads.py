"""`fetchoff workloads`: list the suites and workloads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.table import Table

    from fetchoff.catalog.workloads import Suite
    from fetchoff.cli.listings import CatalogueListing
    from fetchoff.model.workload import Workload

NAME = "workloads"


def command(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the suites and workloads that ship with Fetchoff.

    You can change the value of a workload that has one: 'small-gets@300', 'download@10M'.
    """
    from fetchoff.catalog import files
    from fetchoff.catalog import workloads as catalog
    from fetchoff.cli.console import data_console, print_json

    suites = [catalog.suite(name) for name in files.names("suites")]
    workloads = [catalog.workload(name) for name in files.names("workloads")]
    if as_json:
        print_json(_document(suites, workloads))
        return
    console = data_console()
    console.print(_table("suite", [(s.id, f"{s.about}; on {s.origin}") for s in suites]))
    console.print()
    console.print(_table("workload", [(w.id, w.about) for w in workloads]))


def _table(kind: str, rows: list[tuple[str, str]]) -> Table:
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column(kind, no_wrap=True)
    table.add_column("what it is", overflow="fold")
    for name, about in rows:
        table.add_row(name, escape(about))
    return table


def _document(suites: Sequence[Suite], workloads: Sequence[Workload]) -> CatalogueListing:
    return {
        "suites": [
            {
                "suite": suite.id,
                "about": suite.about,
                "origin": suite.origin,
                "workloads": list(suite.workloads),
            }
            for suite in suites
        ],
        "workloads": [{"workload": one.id, "about": one.about} for one in workloads],
    }
