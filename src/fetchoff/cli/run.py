"""`fetchoff run`: measure a suite and rank the clients."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from fetchoff.cli import options

if TYPE_CHECKING:
    from fetchoff.catalog.workloads import Suite
    from fetchoff.model.client import Client

NAME = "run"


def command(
    suite: Annotated[str, typer.Argument(help="A suite's name, or a TOML file.")] = "default",
    workload: options.Workloads = None,
    client: Annotated[
        list[str] | None,
        typer.Option("--client", "-c", help="Only these: ids, globs, adapter folders. Repeatable."),
    ] = None,
    baseline: Annotated[str, typer.Option("--baseline", help="Ratios are relative to it.")] = "",
    budget: options.Budget = None,
    out: options.Out = None,
    seed: options.Seed = None,
    setup: Annotated[
        bool, typer.Option("--setup", help="First set up the clients that never were.")
    ] = False,
    quiet: options.Quiet = False,
    as_json: options.Json = False,
) -> None:
    """Measure clients on a suite of workloads; print the ranking and write the report.

    Clients that are not ready are left out, and listed. Ctrl-C keeps what was measured:
    'fetchoff resume' goes on with it.
    """
    from fetchoff.catalog import workloads
    from fetchoff.cli.experiments import ranking
    from fetchoff.cli.measure import Manner, measure_and_show, new_run

    chosen_suite = workloads.suite(suite)
    chosen_workloads = [workloads.workload(name) for name in workload or chosen_suite.workloads]
    clients = _clients(chosen_suite, client, baseline, set_up=setup, quiet=quiet)
    experiment = ranking(
        clients,
        chosen_workloads,
        suite=chosen_suite.id,
        baseline=baseline or chosen_suite.baseline,
        budget_s=budget or chosen_suite.budget_s,
        seed=seed,
    )
    folder = new_run(experiment, clients, chosen_suite.about, out)
    measure_and_show(folder, clients, Manner(quiet=quiet, as_json=as_json))


def _clients(
    suite: Suite, patterns: list[str] | None, baseline: str, *, set_up: bool, quiet: bool
) -> list[Client]:
    from fetchoff.cli.choose import chosen, states
    from fetchoff.cli.setup import set_up_all
    from fetchoff.model.client import Readiness

    manifests = chosen([*(patterns or suite.clients), *([baseline] if baseline else [])])
    clients = states(manifests)
    fresh = [c.manifest for c in clients if c.readiness is Readiness.NOT_SET_UP]
    if set_up and fresh:
        set_up_all(fresh, quiet=quiet)
        clients = states(manifests)
    return clients
