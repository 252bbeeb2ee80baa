"""`fetchoff workloads`: list the suites and workloads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fetchoff.catalog.workloads import Suite
    from fetchoff.cli.listings import CatalogueListing
    from fetchoff.cli.table import Listing
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
    of_suites = [(suite.id, f"{suite.about}; on {suite.origin}") for suite in suites]
    console = data_console()
    console.print(_table("suite", of_suites), crop=False)
    console.print()
    console.print(_table("workload", [(one.id, one.about) for one in workloads]), crop=False)


def _table(kind: str, rows: Sequence[tuple[str, str]]) -> Listing:
    from rich.markup import escape

    from fetchoff.cli.table import Listing

    return Listing((kind, "what it is"), [(name, escape(about)) for name, about in rows])


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
