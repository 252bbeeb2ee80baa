"""`fetchoff reproduce`: measure published comparisons again and judge their claims."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fetchoff.cli import completing, options

if TYPE_CHECKING:
    from fetchoff.catalog.workloads import Suite
    from fetchoff.cli.measure import Manner
    from fetchoff.model.analysis import Analysis
    from fetchoff.model.claim import Article
    from fetchoff.model.client import Client
    from fetchoff.model.course import Course
    from fetchoff.model.errors import FetchoffError
    from fetchoff.model.experiment import Experiment
    from fetchoff.store.run_folder import RunFolder

NAME = "reproduce"


@dataclass(frozen=True)
class Request:
    """What the user asks for of each article. `out`: the folder of all run folders."""

    links: tuple[str, ...]
    origin: str | None
    allow_remote: bool
    full: bool
    budget_s: float | None
    out: Path | None
    seed: int | None
    sets_up: bool


def command(
    articles: Annotated[
        list[str] | None,
        typer.Argument(
            help="Ids of articles, such as perl-2011, or of reported claims; 'reported' is all.",
            autocompletion=completing.articles,
        ),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Reproduce all articles.")] = False,
    link: options.Links = None,
    origin: options.Origin = None,
    allow_remote: options.AllowRemote = False,
    full: options.Full = False,
    budget: options.Budget = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="The folder for all run folders; default: runs/…."),
    ] = None,
    seed: options.Seed = None,
    setup: Annotated[
        bool, typer.Option("--setup", help="First set up clients not yet set up.")
    ] = False,
    explain: options.Explain = False,
    wait: options.Wait = False,
    quiet: options.Quiet = False,
    as_json: options.Json = False,
) -> None:
    """Measure published comparisons again, and say which claims hold on this machine.

    Each article has its own suite. It runs against the server that the author used, or against the
    built-in origin if that server is not ready. Fetchoff prints the article's tables with the
    measured figures beside the published ones, and each claim with both ratios. The budget applies
    to each article; without one, at least three rounds are measured. Besides articles there is what
    people have reported in trackers and READMEs: 'fetchoff reproduce reported'.
    """
    from fetchoff.catalog import claims
    from fetchoff.cli.measure import Manner
    from fetchoff.model.errors import FetchoffError, InputError

    if everything and articles:
        raise InputError(f"--all and '{articles[0]}' contradict each other", "give one of them")
    names = claims.articles() if everything else claims.spelt_out(articles or [])
    if not names:
        raise InputError(
            "no article was named",
            f"give --all, 'reported', or ids of these articles: {', '.join(claims.articles())}",
        )
    manner = Manner(quiet=quiet, as_json=as_json, waits=wait, explains=explain)
    request = Request(
        links=tuple(link or ()),
        origin=origin,
        allow_remote=allow_remote,
        full=full,
        budget_s=budget,
        out=out,
        seed=seed,
        sets_up=setup,
    )
    done: list[Analysis] = []
    try:
        failed = _all_of([claims.article(name) for name in names], request, manner, done)
    except (KeyboardInterrupt, FetchoffError):
        if done:
            _show(done, manner)
        raise
    _show(done, manner)
    if failed:
        raise typer.Exit(failed[0].exit_code)


def _show(done: list[Analysis], manner: Manner) -> None:
    from fetchoff.cli.console import data_console, print_json
    from fetchoff.report.files.json_results import judged
    from fetchoff.report.terminal import claims as shown

    if manner.as_json:
        found = [one.reproduction for one in done if one.reproduction]
        print_json([claim for reproduction in found for claim in judged(reproduction)])
    elif done:
        data_console().print(shown.whole(done))


def _all_of(
    wanted: list[Article], request: Request, manner: Manner, done: list[Analysis]
) -> list[FetchoffError]:
    """Every article's run, put among those that are `done`; why others have none.

    Of several, one that can't be measured is told and stops no other, unless all would fail alike:
    another process is measuring, or nothing can be written. That, and Ctrl-C, leaves what is done.
    """
    from fetchoff.cli.console import say
    from fetchoff.model.errors import BusyError, FetchoffError, StoreError

    failed: list[FetchoffError] = []
    for number, article in enumerate(wanted):
        begun: list[RunFolder] = []
        try:
            done.append(_reproduced(article, request, manner, begun))
        except (KeyboardInterrupt, BusyError, StoreError):
            if len(wanted) > 1:
                is_kept = any(run.path.exists() for run in begun)
                say(_stopped(article, _to_go_on(wanted[number + is_kept :], request, manner)))
            raise
        except FetchoffError as error:
            if len(wanted) == 1:
                raise
            failed.append(error)
            say(f"{article.id} is left out: {error.message}")
            if error.hint:
                say(f"hint: {error.hint}")
    return failed


def _stopped(article: Article, to_go_on: str) -> str:
    """Where it stopped, and how to go on: what was begun has a run folder, and is told with it."""
    return f"stopped at {article.id}" + (f"; '{to_go_on}' measures the rest" if to_go_on else "")


def _to_go_on(rest: list[Article], request: Request, manner: Manner) -> str:
    """The command that measures the rest as the user wants it; "" if there is no rest."""
    import shlex

    if not rest:
        return ""
    words = ["fetchoff", "reproduce", *(one.id for one in rest)]
    given = (
        *(("--link", link) for link in request.links),
        ("--origin", request.origin),
        ("--budget", request.budget_s and f"{request.budget_s:g}"),
        ("--out", request.out and str(request.out)),
        ("--seed", None if request.seed is None else str(request.seed)),
    )
    for name, value in given:
        words += [name, value] if value else []
    flags = {
        "--allow-remote": request.allow_remote,
        "--full": request.full,
        "--setup": request.sets_up,
        "--explain": manner.explains,
        "--wait": manner.waits,
        "--quiet": manner.quiet,
        "--json": manner.as_json,
    }
    words += [name for name, is_given in flags.items() if is_given]
    return shlex.join(words)


def _reproduced(
    article: Article, request: Request, manner: Manner, begun: list[RunFolder]
) -> Analysis:
    """Set up what one article needs, run it, and judge its claims. `begun`: gets its run."""
    from fetchoff.app.choose import chosen
    from fetchoff.app.courses import courses
    from fetchoff.app.measure import new_run
    from fetchoff.app.serving import must_serve
    from fetchoff.catalog import claims
    from fetchoff.cli.setup import clients_of

    folder = request.out / article.id if request.out else None
    suite = claims.suite(article.id, full=request.full)
    clients = clients_of(chosen(suite.clients), set_up=request.sets_up, quiet=manner.quiet)
    origin, note = _origin_of(suite, request)
    measured = courses(suite.workloads, request.links)
    must_serve(origin, measured, allow_remote=request.allow_remote)
    experiment = _experiment(suite, clients, measured, origin, request)
    run = new_run(experiment, clients, suite.about, folder, *([note] if note else []))
    begun.append(run)
    return _measured(article, run, clients, manner)


def _origin_of(suite: Suite, request: Request) -> tuple[str, str]:
    """The origin of an article's run, and a note on it. Whoever asks for one gets that one, ready
    or not; an author's server may be replaced."""
    from fetchoff.app.serving import located, must_be_set_up, ready_or_built_in
    from fetchoff.cli.console import say

    wanted = located(request.origin or suite.origin)
    if not request.origin:
        return ready_or_built_in(wanted, set_up=request.sets_up, say=say)
    if request.sets_up:
        must_be_set_up(wanted, say)
    return wanted, ""


def _experiment(
    suite: Suite,
    clients: list[Client],
    chosen: list[Course],
    origin: str,
    request: Request,
) -> Experiment:
    """The experiment of an article: it uses the whole budget, whatever the results so far.

    Every client takes part in every round. Unless the user has given a budget, at least as many
    rounds are measured as are needed to judge a claim.
    """
    from dataclasses import replace

    from fetchoff.app.experiments import ranking
    from fetchoff.model.estimate import MINIMUM_ROUNDS

    experiment = ranking(
        clients,
        chosen,
        suite=suite.id,
        baseline=suite.baseline,
        budget_s=request.budget_s or suite.budget_s,
        blocks=suite.blocks,
        blocks_over_links=suite.blocks_over_links,
        seed=request.seed,
        origin=origin,
    )
    return replace(
        experiment,
        entrants=tuple(replace(entrant, seldom=False) for entrant in experiment.entrants),
        decide_on=(),
        least_rounds=1 if request.budget_s else MINIMUM_ROUNDS,
    )


def _measured(
    article: Article, folder: RunFolder, clients: list[Client], manner: Manner
) -> Analysis:
    """Run an article's experiment and write the results."""
    from fetchoff.app.results import HTML, write
    from fetchoff.cli.console import say
    from fetchoff.cli.measure import claims_explained, explained, measure_to_end

    if not manner.quiet:
        origin = folder.header.origin
        year = f" ({article.year})" if article.year else ""
        said = f"{article.id}: {article.title}{year}, on {origin.id} {origin.version}"
        say(said.rstrip())
    analysis = measure_to_end(folder, clients, manner, prints_results=False)
    analysis = claims_explained(analysis, folder, clients, manner)
    if manner.explains:
        analysis = explained(analysis, folder, clients, manner)
    write(analysis, folder.path)
    if not manner.quiet:
        say(f"report: {folder.path / HTML}")
    return analysis
