"""`fetchoff compare`: measure two clients until there is a verdict."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Annotated

import typer

from fetchoff.cli import completing, options
from fetchoff.cli.status import Status

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fetchoff.model.analysis import Analysis
    from fetchoff.model.client import Client, Manifest
    from fetchoff.model.experiment import Experiment
    from fetchoff.model.limit import Kept
    from fetchoff.model.observation import Record

NAME = "compare"
WORKLOAD = "small-get"
BUDGET_S = 60.0


def command(
    a: Annotated[
        str,
        typer.Argument(
            help="The baseline: an id or adapter folder.", autocompletion=completing.clients
        ),
    ],
    b: Annotated[
        str,
        typer.Argument(help="The client to compare with it.", autocompletion=completing.clients),
    ],
    workload: options.Workloads = None,
    link: options.Links = None,
    origin: options.Origin = None,
    allow_remote: options.AllowRemote = False,
    placement: options.Placements = None,
    loopback: options.Loopbacks = None,
    budget: options.Budget = None,
    out: options.Out = None,
    seed: options.Seed = None,
    fail_if_slower: Annotated[
        float | None,
        typer.Option(
            "--fail-if-slower",
            metavar="PCT",
            min=0,
            help="Exit with status 1 if B is shown to take over PCT % more wall or CPU time than "
            "A; measure until this is decided.",
        ),
    ] = None,
    strict: Annotated[
        bool,
        typer.Option("--strict", help="Exit with status 8 if --fail-if-slower is undecided."),
    ] = False,
    explain: options.Explain = False,
    wait: options.Wait = False,
    quiet: options.Quiet = False,
    as_json: options.Json = False,
) -> None:
    """Compare client B with client A, until there is a verdict or the budget is spent.

    The exit status is 0 whichever client is faster, 4 if the comparison failed, 1 if B is slower
    than --fail-if-slower allows, and 8 if --strict is given and that is undecided.
    """
    from fetchoff.app.choose import told_apart
    from fetchoff.app.courses import courses
    from fetchoff.app.experiments import pair
    from fetchoff.app.measure import new_run
    from fetchoff.app.serving import located, must_serve
    from fetchoff.cli.measure import Manner, measure_and_show
    from fetchoff.model.origin import BUILT_IN

    limit = _limit(fail_if_slower, strict=strict)
    chosen = courses(workload or [WORKLOAD], link or (), placement)
    first, second = map(made_ready, told_apart(one(a), one(b)))
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
    title = f"{second.id} against {first.id}"
    folder = new_run(experiment, [first, second], title, out, loopback=loopback)
    manner = Manner(quiet=quiet, as_json=as_json, waits=wait, explains=explain)
    analysis = measure_and_show(folder, [first, second], manner)
    must_be_made(analysis, {first.id: a, second.id: b})
    if limit is not None:
        _must_keep_limit(experiment, analysis, folder.records(), strict=strict)


def _limit(percent: float | None, *, strict: bool) -> float | None:
    from fetchoff.model.errors import InputError

    if percent is None and strict:
        raise InputError(
            "--strict needs --fail-if-slower",
            "give both, such as --fail-if-slower 3 --strict",
        )
    return None if percent is None else percent / 100


def ready(name: str) -> Client:
    """The one client that a name means, set up if it isn't ready; InputError or SetupError."""
    return made_ready(one(name))


def one(name: str, called: str = "") -> Manifest:
    """The one client that a name means; InputError if there is none, or several.

    `called`: what the name is, in the message.
    """
    from fetchoff.app.choose import chosen
    from fetchoff.model.errors import InputError

    manifests = chosen([name])
    if len(manifests) != 1:
        raise InputError(
            f"{called}'{name}' matches {len(manifests)} clients; give exactly one",
            f"list them: fetchoff clients {shlex.quote(name)}",
        )
    return manifests[0]


def made_ready(manifest: Manifest) -> Client:
    """The client, set up if it isn't ready; SetupError if it cannot be.

    Also if that failed before: what stood in the way, such as a registry that didn't answer, may
    be gone, and a comparison that needs the client would otherwise fail for ever. So it would if a
    library that a ready client shares with the machine has changed: setup says hello to it again.
    """
    from fetchoff.cli.setup import set_up_all
    from fetchoff.model.client import Readiness
    from fetchoff.model.errors import SetupError

    client = set_up_all([manifest], quiet=True)[0]
    if client.readiness is not Readiness.READY:
        raise SetupError(f"{client.id} is not ready: {client.reason}", client.hint)
    return client


def must_be_made(analysis: Analysis, asked: Mapping[str, str]) -> None:
    """AdapterError if a client has no result. `asked`: its id or folder, as the user gave it."""
    from fetchoff.model.errors import AdapterError
    from fetchoff.report.wording.findings import message

    for result in analysis.results:
        for standing in result.standings:
            if standing.costs is None:
                client, _, _ = standing.client.partition(
                    "#"
                )  # a client beside itself has another key
                raise AdapterError(
                    f"the comparison failed: {standing.client} on {result.workload}: "
                    f"{standing.outcome}: {message(standing)}",
                    f"test the client alone with 'fetchoff check {asked[client]}'",
                )


def _must_keep_limit(
    experiment: Experiment, analysis: Analysis, records: Sequence[Record], *, strict: bool
) -> None:
    from fetchoff.analysis.limits import kept
    from fetchoff.cli.console import say
    from fetchoff.model.estimate import LimitAnswer
    from fetchoff.report.wording.limits import spent

    if any(result.withheld for result in analysis.results):
        say("the ranking is withheld, so --fail-if-slower is not decided")
        raise typer.Exit(Status.NOT_BELIEVED)
    found = [
        one
        for result in analysis.results
        for one in kept(experiment, result.workload, result.baseline, result.standings)
    ]
    beyond = [one for one in found if one.answer is LimitAnswer.BEYOND]
    for one in beyond:
        say(f"slower than allowed: {spent(one)}")
    if beyond:
        raise typer.Exit(Status.NO)
    unclear = [one for one in found if one.answer is LimitAnswer.UNCLEAR]
    if unclear:
        _say_unclear(experiment, records, unclear)
        if strict:
            raise typer.Exit(Status.CANNOT_TELL)


def _say_unclear(
    experiment: Experiment, records: Sequence[Record], unclear: Sequence[Kept]
) -> None:
    from fetchoff.analysis.limits import budget_to_tell, has_given_up
    from fetchoff.cli.console import say
    from fetchoff.report.wording.limits import spent

    assert experiment.limit is not None
    for one in unclear:
        slower = f"more than {100 * experiment.limit:g} % slower"
        why = ", but two clocks differ by more than that about it" if one.clocks_apart else ""
        say(f"undecided whether {slower}: {spent(one)}{why}")
    by_rounds = [one for one in unclear if not one.clocks_apart]
    if not by_rounds:
        say("hint: no number of rounds would decide this; go by CPU time")
        return
    if has_given_up(records):
        say("hint: a client broke down too often to go on; test both with 'fetchoff check'")
        return
    budget = budget_to_tell(records, by_rounds)
    if budget is None:
        most = experiment.looks[-1]
        say(
            f"hint: even {most} rounds like these would not decide this; use a quieter machine, or "
            "a much larger --budget, with which rounds are longer where neither client compiles"
        )
    else:
        say(f"hint: --budget {budget} would probably decide this")
