"""`fetchoff compare`: two clients, and a verdict as soon as there is one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from fetchoff.cli import options

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fetchoff.model.analysis import Analysis
    from fetchoff.model.client import Client, Manifest

NAME = "compare"
WORKLOAD = "small-get"
BUDGET_S = 60.0


def command(
    a: Annotated[str, typer.Argument(help="The client to compare with: an id or adapter folder.")],
    b: Annotated[str, typer.Argument(help="The client in question.")],
    workload: options.Workloads = None,
    link: options.Links = None,
    origin: options.Origin = None,
    allow_remote: options.AllowRemote = False,
    budget: options.Budget = None,
    out: options.Out = None,
    seed: options.Seed = None,
    fail_if_slower: Annotated[
        float | None,
        typer.Option(
            "--fail-if-slower",
            metavar="PCT",
            min=0,
            help="Exit status 1 if B is shown to take over PCT % more wall or CPU time than A.",
        ),
    ] = None,
    quiet: options.Quiet = False,
    as_json: options.Json = False,
) -> None:
    """Compare client B with client A, until it is decided or the budget is spent.

    Exit status 0 whichever is faster, unless the comparison could not be made (4) or
    --fail-if-slower says otherwise (1).
    """
    from fetchoff.cli.choose import told_apart
    from fetchoff.cli.courses import courses
    from fetchoff.cli.experiments import pair
    from fetchoff.cli.measure import Manner, measure_and_show, new_run
    from fetchoff.cli.serving import located, must_serve
    from fetchoff.model.origin import BUILT_IN

    first, second = map(_ready, told_apart(_one(a), _one(b)))
    chosen = courses(workload or [WORKLOAD], link or ())
    served_by = located(origin or BUILT_IN)
    must_serve(served_by, chosen, allow_remote=allow_remote)
    experiment = pair(
        first,
        second,
        chosen,
        budget_s=budget or BUDGET_S,
        seed=seed,
        origin=served_by,
    )
    folder = new_run(experiment, [first, second], f"{second.id} against {first.id}", out)
    analysis = measure_and_show(folder, [first, second], Manner(quiet=quiet, as_json=as_json))
    _must_be_made(analysis, {first.id: a, second.id: b})
    if fail_if_slower is not None:
        _fail_if_slower(analysis, 1 + fail_if_slower / 100)


def _one(name: str) -> Manifest:
    from fetchoff.cli.choose import chosen
    from fetchoff.model.errors import InputError

    manifests = chosen([name])
    if len(manifests) != 1:
        raise InputError(f"'{name}' is {len(manifests)} clients", "compare takes one on each side")
    return manifests[0]


def _ready(manifest: Manifest) -> Client:
    from fetchoff.cli.choose import states
    from fetchoff.cli.setup import set_up_all
    from fetchoff.model.client import Readiness
    from fetchoff.model.errors import SetupError

    client = states([manifest])[0]
    if client.readiness is Readiness.NOT_SET_UP:
        client = set_up_all([manifest], quiet=True)[0]
    if client.readiness is not Readiness.READY:
        raise SetupError(f"{client.id} is not ready: {client.reason}", client.hint)
    return client


def _must_be_made(analysis: Analysis, asked: Mapping[str, str]) -> None:
    """`asked`: what the user called each client, which can be a folder."""
    from fetchoff.model.errors import AdapterError

    for result in analysis.results:
        for standing in result.standings:
            if standing.costs is None:
                raise AdapterError(
                    f"the comparison could not be made: {standing.client} on {result.workload}: "
                    f"{standing.outcome}: {standing.message}",
                    f"'fetchoff check {asked[standing.client]}' tries it by itself",
                )


def _fail_if_slower(analysis: Analysis, limit: float) -> None:
    from fetchoff.cli.console import say

    if any(result.withheld for result in analysis.results):
        say("the ranking is withheld, so nothing is concluded")
        raise typer.Exit(4)
    slower = [
        f"{standing.client} takes {relative.ratio.point:.3f} times the {metric} time on "
        f"{result.workload}"
        for result in analysis.results
        for standing in result.standings
        for metric, relative in (("wall", standing.wall), ("CPU", standing.cpu))
        if relative is not None and relative.ratio.low > limit
    ]
    for line in slower:
        say(f"slower than allowed: {line}")
    if slower:
        raise typer.Exit(1)
