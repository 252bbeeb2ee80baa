"""`fetchoff reproduce`: measure published comparisons again and judge their claims."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fetchoff.cli import options

if TYPE_CHECKING:
    from fetchoff.catalog.workloads import Suite
    from fetchoff.cli.measure import Manner
    from fetchoff.model.analysis import Analysis
    from fetchoff.model.claim import Article
    from fetchoff.model.client import Client
    from fetchoff.model.course import Course
    from fetchoff.model.experiment import Experiment
    from fetchoff.store.run_folder import RunFolder

NAME = "reproduce"


def command(
    articles: Annotated[
        list[str] | None, typer.Argument(help="Ids of articles, such as perl-2011.")
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
    to each article; without one, at least three rounds are measured.
    """
    from fetchoff.app.choose import chosen
    from fetchoff.app.courses import courses
    from fetchoff.app.measure import new_run
    from fetchoff.app.serving import located, must_serve, ready_or_built_in
    from fetchoff.catalog import claims, workloads
    from fetchoff.cli.console import data_console, print_json
    from fetchoff.cli.measure import Manner
    from fetchoff.cli.setup import clients_of
    from fetchoff.model.errors import InputError
    from fetchoff.report.files.json_results import plain
    from fetchoff.report.terminal import claims as shown

    if not articles and not everything:
        raise InputError(
            "no article was named",
            f"give --all, or ids of these articles: {', '.join(claims.articles())}",
        )
    wanted = [
        claims.article(name) for name in (claims.articles() if everything else articles or [])
    ]
    manner = Manner(quiet=quiet, as_json=as_json, waits=wait, explains=explain)
    done = []
    for article in wanted:
        folder = out / article.id if out else None
        suite = workloads.suite(article.id, full=full)
        clients = clients_of(chosen(suite.clients), set_up=setup, quiet=quiet)
        wanted_origin, note = ready_or_built_in(located(origin or suite.origin), set_up=setup)
        chosen_courses = courses(suite.workloads, link or ())
        experiment = _experiment(suite, clients, chosen_courses, wanted_origin, budget, seed)
        must_serve(wanted_origin, chosen_courses, allow_remote=allow_remote)
        run = new_run(experiment, clients, suite.about, folder, *([note] if note else []))
        done.append(_measured(article, run, clients, manner))
    if as_json:
        judged = [one.reproduction.judgements for one in done if one.reproduction]
        print_json([plain(judgement) for judgements in judged for judgement in judgements])
    else:
        data_console().print(shown.whole(done))


def _experiment(
    suite: Suite,
    clients: list[Client],
    chosen: list[Course],
    origin: str,
    budget: float | None,
    seed: int | None,
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
        budget_s=budget or suite.budget_s,
        blocks=suite.blocks,
        blocks_over_links=suite.blocks_over_links,
        seed=seed,
        origin=origin,
    )
    return replace(
        experiment,
        entrants=tuple(replace(entrant, seldom=False) for entrant in experiment.entrants),
        decide_on=(),
        least_rounds=1 if budget else MINIMUM_ROUNDS,
    )


def _measured(
    article: Article, folder: RunFolder, clients: list[Client], manner: Manner
) -> Analysis:
    """Run an article's experiment and write the results."""
    from fetchoff.app.results import HTML, analysis_of, write
    from fetchoff.cli.console import say
    from fetchoff.cli.measure import explained, measure_watched
    from fetchoff.store.run_folder import RunFolder

    if not manner.quiet:
        origin = folder.header.origin
        said = f"{article.id}: {article.title} ({article.year}), on {origin.id} {origin.version}"
        say(said.rstrip())
    measure_watched(folder, clients, manner)
    analysis = analysis_of(RunFolder.open(folder.path))
    if manner.explains:
        analysis = explained(analysis, folder, clients, manner)
    write(analysis, folder.path)
    if not manner.quiet:
        say(f"report: {folder.path / HTML}")
    return analysis
