"""`fetchoff reproduce`: measure what was published again, and judge it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fetchoff.cli import options

if TYPE_CHECKING:
    from fetchoff.cli.measure import Manner
    from fetchoff.model.analysis import Analysis
    from fetchoff.model.claim import Article
    from fetchoff.model.client import Client

NAME = "reproduce"


def command(
    articles: Annotated[
        list[str] | None, typer.Argument(help="Articles by id, such as perl-2011.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Every article there is.")] = False,
    budget: options.Budget = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="A folder of run folders; runs/… if none.")
    ] = None,
    seed: options.Seed = None,
    setup: Annotated[
        bool, typer.Option("--setup", help="First set up the clients that never were.")
    ] = False,
    quiet: options.Quiet = False,
    as_json: options.Json = False,
) -> None:
    """Measure what five articles have published, and say which of their claims hold here.

    Each article is a suite. Its tables are printed with our figures beside theirs, and each claim
    with the published and the measured ratio. The budget is for each article.
    """
    from fetchoff.catalog import claims, workloads
    from fetchoff.cli.choose import chosen
    from fetchoff.cli.console import data_console, print_json
    from fetchoff.cli.measure import Manner
    from fetchoff.cli.setup import clients_of
    from fetchoff.model.errors import InputError
    from fetchoff.report import claims as shown
    from fetchoff.report.json_results import plain

    if not articles and not everything:
        raise InputError(
            "nothing to reproduce", f"name articles, or give --all: {', '.join(claims.articles())}"
        )
    wanted = [
        claims.article(name) for name in (claims.articles() if everything else articles or [])
    ]
    manner = Manner(quiet=quiet, as_json=as_json)
    done = []
    for article in wanted:
        folder = out / article.id if out else None
        manifests = chosen(workloads.suite(article.id).clients)
        clients = clients_of(manifests, set_up=setup, quiet=quiet)
        done.append(_measured(article, clients, budget, folder, seed, manner))
    if as_json:
        judged = [one.reproduction.judgements for one in done if one.reproduction]
        print_json([plain(judgement) for judgements in judged for judgement in judgements])
    else:
        data_console().print(shown.whole(done))


def _measured(
    article: Article,
    clients: list[Client],
    budget: float | None,
    out: Path | None,
    seed: int | None,
    manner: Manner,
) -> Analysis:
    """Run the article's suite for its whole budget, and judge its claims."""
    from dataclasses import replace

    from fetchoff.catalog import workloads
    from fetchoff.cli import results
    from fetchoff.cli.console import say
    from fetchoff.cli.experiments import ranking
    from fetchoff.cli.measure import launches, measure, new_run
    from fetchoff.store.run_folder import RunFolder

    suite = workloads.suite(article.id)
    experiment = ranking(
        clients,
        [workloads.workload(name) for name in suite.workloads],
        suite=suite.id,
        baseline=suite.baseline,
        budget_s=budget or suite.budget_s,
        blocks=suite.blocks,
        seed=seed,
    )
    folder = new_run(replace(experiment, decide_on=()), clients, suite.about, out)
    if not manner.quiet:
        say(f"{article.id}: {article.title} ({article.year})")
    measure(folder, launches(clients), manner)
    analysis = results.analysis_of(RunFolder.open(folder.path))
    results.write(analysis, folder.path)
    if not manner.quiet:
        say(f"report: {folder.path / results.HTML}")
    return analysis
