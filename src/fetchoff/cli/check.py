"""`fetchoff check`: the contract suite against one adapter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from fetchoff.cli import completing
from fetchoff.cli.status import Status

if TYPE_CHECKING:
    from fetchoff.cli.listings import CaseListing
    from fetchoff.contract.case import Result

NAME = "check"


def command(
    adapters: Annotated[
        list[str],
        typer.Argument(help="Ids, globs, or adapter folders.", autocompletion=completing.clients),
    ],
    only: Annotated[str, typer.Option("--only", help="Only cases whose name has this.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show only failed cases.")] = False,
) -> None:
    """Test adapters that you write against the contract.

    Sets up each adapter, starts it, and tests every feature that it declares. The records of the
    built-in origin decide, not what the adapter says. The exit status is 1 if a case fails.
    """
    from fetchoff.app.choose import chosen
    from fetchoff.cli.console import print_json, say
    from fetchoff.cli.setup import set_up_all
    from fetchoff.contract.case import CaseVerdict
    from fetchoff.contract.suite import case_names, opened
    from fetchoff.model.errors import UnknownName

    if not any(only in name for name in case_names()):
        raise UnknownName("case", only, case_names())

    documents: list[CaseListing] = []
    failures = 0
    for client in set_up_all(chosen(adapters), quiet=True):
        if client.launch is None:
            failures += 1
            continue
        counts = dict.fromkeys(CaseVerdict, 0)
        with opened(client.id, client.launch, client.manifest.faults) as suite:
            for result in suite.results(only):
                counts[result.verdict] += 1
                documents.append(_document(client.id, result))
                if not as_json and not (quiet and result.verdict is not CaseVerdict.FAILED):
                    about = f": {result.text}" if result.text else ""
                    print(f"{result.verdict:<12} {client.id} {result.case}{about}", flush=True)
        failures += counts[CaseVerdict.FAILED]
        summary = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
        say(f"{client.id}: {summary}")
    if as_json:
        print_json(documents)
    if failures:
        raise typer.Exit(Status.NO)


def _document(client: str, result: Result) -> CaseListing:
    verdict, text = str(result.verdict), result.text
    return {"client": client, "case": result.case, "verdict": verdict, "text": text}
