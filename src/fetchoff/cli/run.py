"""`fetchoff run`: measure a suite of workloads and rank the clients."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from fetchoff.cli import options

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fetchoff.catalog.workloads import Suite
    from fetchoff.model.client import Client, Manifest
    from fetchoff.model.errors import AdapterError

NAME = "run"
SECONDS_A_CLIENT = 3.0
_GLOB = re.compile(r"[*?\[]")


def command(
    suite: options.SuiteName = "default",
    workload: options.Workloads = None,
    client: options.Clients = None,
    baseline: options.Baseline = "",
    link: options.Links = None,
    origin: options.Origin = None,
    allow_remote: options.AllowRemote = False,
    placement: options.Placements = None,
    loopback: options.Loopbacks = None,
    full: options.Full = False,
    budget: options.Budget = None,
    out: options.Out = None,
    seed: options.Seed = None,
    setup: options.SetUpFirst = False,
    per_day: options.PerDay = None,
    explain: options.Explain = False,
    wait: options.Wait = False,
    quiet: options.Quiet = False,
    as_json: options.Json = False,
) -> None:
    """Measure clients on a suite of workloads; print the ranking and write the report.

    Clients that are not ready are left out and listed. If you press Ctrl-C, what was measured is
    kept; continue with 'fetchoff resume'.
    """
    from fetchoff.app.courses import courses
    from fetchoff.app.experiments import ranking
    from fetchoff.app.measure import new_run
    from fetchoff.app.serving import located, must_be_set_up, must_serve
    from fetchoff.catalog import workloads
    from fetchoff.cli.console import say
    from fetchoff.cli.measure import Manner, measure_and_show
    from fetchoff.model.origin import BUILT_IN

    baseline = in_full(baseline)
    chosen_suite = workloads.suite(suite, full=full)
    chosen = courses(workload or chosen_suite.workloads, link or (), placement)
    served_by = located(origin or (BUILT_IN if workload else chosen_suite.origin))
    if setup:
        must_be_set_up(served_by, say)
    must_serve(served_by, chosen, allow_remote=allow_remote)
    clients = _clients(chosen_suite, client, baseline, set_up=setup, quiet=quiet)
    experiment = ranking(
        clients,
        chosen,
        suite=chosen_suite.id,
        baseline=asked_for(baseline, clients) if baseline else chosen_suite.baseline,
        budget_s=budget or budget_s_of(chosen_suite, clients, chosen=bool(client)),
        blocks=chosen_suite.blocks,
        blocks_over_links=chosen_suite.blocks_over_links,
        seed=seed,
        origin=served_by,
        placement=placement,
    )
    folder = new_run(experiment, clients, chosen_suite.about, out, loopback=loopback)
    manner = Manner(quiet, as_json, waits=wait, per_day=per_day, explains=explain)
    analysis = measure_and_show(folder, clients, manner)
    standings = (standing for result in analysis.results for standing in result.standings)
    if all(standing.costs is None for standing in standings):
        raise nobody_measured()


def budget_s_of(suite: Suite, clients: Sequence[Client], *, chosen: bool) -> float:
    """The suite's budget, or more if the user chose more clients than it is made for."""
    return max(suite.budget_s, SECONDS_A_CLIENT * len(clients)) if chosen else suite.budget_s


def nobody_measured() -> AdapterError:
    """The error of a run in which no client could be measured."""
    from fetchoff.model.errors import AdapterError

    return AdapterError(
        "no client could be measured",
        "see the reasons in the results, and test a client with 'fetchoff check CLIENT'",
    )


def in_full(baseline: str) -> str:
    """The baseline as the user named it; if that is a glob, the id of its only match.

    A suite leaves out what globs match, never who is named in full.
    """
    if not baseline:
        return ""
    client = str(_the_one(baseline).id)
    is_glob = _GLOB.search(baseline) and not Path(baseline).is_dir()
    return client if is_glob else baseline


def asked_for(baseline: str, clients: Sequence[Client]) -> str:
    """The id of the client that the user named as baseline."""
    from fetchoff.app.choose import tries_again
    from fetchoff.model.client import Kind, Readiness
    from fetchoff.model.errors import InputError

    named = _the_one(baseline).id
    client = next((client for client in clients if client.manifest.id == named), None)
    if client is None:
        raise InputError(
            f"{named} cannot be the baseline: it is not among the clients that are measured",
            f"name it with --client, too: --client {shlex.quote(baseline)}",
        )
    if client.readiness is not Readiness.READY:
        has_failed = client.readiness is Readiness.UNAVAILABLE
        again = tries_again([client]) if has_failed else ""
        hint = "; ".join(filter(None, (client.hint, again)))
        raise InputError(f"{client.id} cannot be the baseline: {client.reason}", hint)
    if client.manifest.kind is Kind.FLOOR:
        raise InputError(
            f"{client.id} cannot be the baseline: it is a floor, which is never ranked",
            "choose another client from 'fetchoff clients'",
        )
    return client.id


def _the_one(baseline: str) -> Manifest:
    from fetchoff.cli.compare import one

    return one(baseline, "the baseline ")


def _clients(
    suite: Suite, patterns: list[str] | None, baseline: str, *, set_up: bool, quiet: bool
) -> list[Client]:
    from fetchoff.app.choose import chosen, states
    from fetchoff.cli.setup import clients_of
    from fetchoff.model.client import Readiness

    wanted = [*(patterns or suite.clients), *([baseline] if baseline else [])]
    manifests = chosen(wanted, without=() if patterns else suite.without)
    clients = clients_of(manifests, set_up=set_up, quiet=quiet)
    more = [] if patterns else states(chosen(suite.if_ready))
    taken = {client.id for client in clients}
    return clients + [
        client for client in more if client.readiness is Readiness.READY and client.id not in taken
    ]
