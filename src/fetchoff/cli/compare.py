"""`fetchoff compare`: two clients, and a verdict as soon as there is one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from fetchoff.cli import options

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fetchoff.model.analysis import Analysis
    from fetchoff.model.client import Client, Manifest
    from fetchoff.model.experiment import Experiment
    from fetchoff.model.limit import Kept

NAME = "compare"
WORKLOAD = "small-get"
BUDGET_S = 60.0
SLOWER, CANNOT_TELL = 1, 8  # exit statuses of --fail-if-slower


def command(
    a: Annotated[str, typer.Argument(help="The client to compare with: an id or adapter folder.")],
    b: Annotated[str, typer.Argument(help="The client in question.")],
    workload: options.Workloads = None,
    link: options.Links = None,
    origin: options.Origin = None,
    allow_remote: options.AllowRemote = False,
    placement: options.Placements = None,
    budget: options.Budget = None,
    out: options.Out = None,
    seed: options.Seed = None,
    fail_if_slower: Annotated[
        float | None,
        typer.Option(
            "--fail-if-slower",
            metavar="PCT",
            min=0,
            help="Find out whether B takes over PCT % more wall or CPU time than A; exit status 1 "
            "if that is shown.",
        ),
    ] = None,
    strict: Annotated[
        bool,
        typer.Option("--strict", help="Exit status 8 if --fail-if-slower could not be told."),
    ] = False,
    wait: options.Wait = False,
    quiet: options.Quiet = False,
    as_json: options.Json = False,
) -> None:
    """Compare client B with client A, until it is decided or the budget is spent.

    Exit status 0 whichever is faster, unless the comparison could not be made (4) or
    --fail-if-slower says otherwise (1, and with --strict 8).
    """
    from fetchoff.app.choose import told_apart
    from fetchoff.app.courses import courses
    from fetchoff.app.experiments import pair
    from fetchoff.app.measure import new_run
    from fetchoff.app.serving import located, must_serve
    from fetchoff.cli.measure import Manner, measure_and_show
    from fetchoff.model.origin import BUILT_IN

    limit = _limit(fail_if_slower, strict=strict)
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
        placement=placement,
        limit=limit,
    )
    folder = new_run(experiment, [first, second], f"{second.id} against {first.id}", out)
    manner = Manner(quiet=quiet, as_json=as_json, waits=wait)
    analysis = measure_and_show(folder, [first, second], manner)
    _must_be_made(analysis, {first.id: a, second.id: b})
    if limit is not None:
        _must_keep_limit(experiment, analysis, strict=strict)


def _limit(percent: float | None, *, strict: bool) -> float | None:
    from fetchoff.model.errors import InputError

    if percent is None and strict:
        raise InputError(
            "--strict says what to do if --fail-if-slower cannot be told",
            "e.g. --fail-if-slower 3 --strict",
        )
    return None if percent is None else percent / 100


def _one(name: str) -> Manifest:
    from fetchoff.app.choose import chosen
    from fetchoff.model.errors import InputError

    manifests = chosen([name])
    if len(manifests) != 1:
        raise InputError(f"'{name}' is {len(manifests)} clients", "compare takes one on each side")
    return manifests[0]


def _ready(manifest: Manifest) -> Client:
    from fetchoff.app.choose import states
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
    from fetchoff.report.wording.findings import message

    for result in analysis.results:
        for standing in result.standings:
            if standing.costs is None:
                raise AdapterError(
                    f"the comparison could not be made: {standing.client} on {result.workload}: "
                    f"{standing.outcome}: {message(standing)}",
                    f"'fetchoff check {asked[standing.client]}' tries it by itself",
                )


def _must_keep_limit(experiment: Experiment, analysis: Analysis, *, strict: bool) -> None:
    from fetchoff.analysis.limits import kept
    from fetchoff.cli.console import say
    from fetchoff.model.estimate import LimitAnswer
    from fetchoff.report.wording.limits import spent

    if any(result.withheld for result in analysis.results):
        say("the ranking is withheld, so nothing is concluded")
        raise typer.Exit(4)
    found = [
        one
        for result in analysis.results
        for one in kept(experiment, result.workload, result.baseline, result.standings)
    ]
    beyond = [one for one in found if one.answer is LimitAnswer.BEYOND]
    for one in beyond:
        say(f"slower than allowed: {spent(one)}")
    if beyond:
        raise typer.Exit(SLOWER)
    unclear = [one for one in found if one.answer is LimitAnswer.UNCLEAR]
    if unclear:
        _say_unclear(experiment, unclear)
        if strict:
            raise typer.Exit(CANNOT_TELL)


def _say_unclear(experiment: Experiment, unclear: Sequence[Kept]) -> None:
    from fetchoff.analysis.limits import budget_to_tell
    from fetchoff.cli.console import say
    from fetchoff.report.wording.limits import spent

    assert experiment.limit is not None
    for one in unclear:
        slower = f"more than {100 * experiment.limit:g} % slower"
        say(f"cannot tell whether that is {slower}: {spent(one)}")
    budget = budget_to_tell(experiment, unclear)
    if budget is None:
        most = experiment.looks[-1]
        say(f"hint: {most} rounds, the most there are, would not do: a quieter machine could")
    else:
        say(f"hint: --budget {budget} would probably do")
