"""`fetchoff fleet run`: measure a suite on many hosts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from fetchoff.cli import options
from fetchoff.cli.fleet import options as fleet_options

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fetchoff.catalog.workloads import Suite
    from fetchoff.fleet.seam.told import Wanted
    from fetchoff.model.client import Client
    from fetchoff.model.course import Course
    from fetchoff.model.experiment import Experiment

NAME = "run"


def command(
    suite: options.SuiteName = "default",
    scheduler: fleet_options.Scheduler = None,
    hosts: fleet_options.Hosts = None,
    local: fleet_options.Local = None,
    security: fleet_options.Secure = False,
    shard: Annotated[
        bool,
        typer.Option(
            "--shard", help="Divide the workloads among the hosts; otherwise each measures all."
        ),
    ] = False,
    away: fleet_options.Away = fleet_options.AWAY_S,
    longest_round: fleet_options.LongestRound = fleet_options.ROUND_S,
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
    quiet: options.Quiet = False,
    as_json: options.Json = False,
) -> None:
    """Measure clients on many hosts; print what each host says, and what all say together.

    Every host measures everything, for --budget seconds at most, or with --shard some of the
    workloads. A host that is lost is named and not replaced. If you press Ctrl-C, what was fetched
    is kept; continue with 'fetchoff fleet resume'.
    """
    from fetchoff.app.courses import courses, must_be_measurable
    from fetchoff.app.experiments import ranking
    from fetchoff.app.serving import located
    from fetchoff.catalog import workloads
    from fetchoff.cli.console import say
    from fetchoff.cli.fleet import measuring
    from fetchoff.cli.fleet.joining import Where, joined
    from fetchoff.cli.fleet.live import watcher
    from fetchoff.cli.fleet.setup import set_up_on
    from fetchoff.cli.run import asked_for, budget_s_of, in_full, nobody_measured
    from fetchoff.model.host import FleetMode
    from fetchoff.model.origin import BUILT_IN
    from fetchoff.store.run_folder import RUNS, must_be_writable, must_hold_no_run

    baseline = in_full(baseline)
    chosen_suite = workloads.suite(suite, full=full)
    chosen = courses(workload or chosen_suite.workloads, link or (), placement)
    must_be_measurable(chosen)
    served_by = located(origin or (BUILT_IN if workload else chosen_suite.origin))
    wanted = _wanted(chosen_suite, client, baseline, chosen, served_by, allow_remote)

    def rank(clients: Sequence[Client], had_by: Mapping[str, int]) -> Experiment:
        return ranking(
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
            had_by=had_by,
        )

    if out is not None:
        must_hold_no_run(out)
    must_be_writable(out or RUNS)
    shown = watcher(quiet=quiet or as_json)
    where = Where(scheduler, hosts, local, security)
    with joined(where, shown.noted, quiet=quiet or as_json) as there:
        from fetchoff.fleet.beginning import Asked, begin
        from fetchoff.fleet.driver import Limits
        from fetchoff.fleet.left_out import LeftOut

        cluster = there.cluster
        if setup:
            set_up_on(cluster, there.names(), wanted, quiet=quiet or as_json)
        names = there.names()  # also those that have come meanwhile
        asked = Asked(
            title=chosen_suite.about,
            out=out,
            wanted=wanted,
            rank=rank,
            mode=FleetMode.SHARD if shard else FleetMode.REPLICATE,
            loopback=loopback,
        )
        folder = begin(cluster, names, asked, LeftOut(say, there.absent_from(names)))
        limits = Limits(away, longest_round)
        measuring.measure(folder, cluster, shown, limits, as_json=as_json, explains=explain)
        if explain:
            measuring.explain(folder, cluster)
    if not measuring.write_and_show(folder, quiet=quiet, as_json=as_json, per_day=per_day):
        raise nobody_measured()


def _wanted(
    suite: Suite,
    clients: list[str] | None,
    baseline: str,
    courses: Sequence[Course],
    origin: str,
    allow_remote: bool,
) -> Wanted:
    """What hosts are asked for, as `fetchoff run` would choose it on one machine."""
    from fetchoff.fleet.seam.told import Wanted

    return Wanted(
        clients=(*(clients or suite.clients), *([baseline] if baseline else [])),
        without=() if clients else tuple(suite.without),
        if_ready=() if clients else tuple(suite.if_ready),
        courses=tuple(courses),
        origin=origin,
        allow_remote=allow_remote,
    )
