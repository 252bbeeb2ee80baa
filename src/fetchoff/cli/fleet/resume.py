"""`fetchoff fleet resume`: continue a run on many hosts."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from fetchoff.cli import options
from fetchoff.cli.fleet import options as fleet_options
from fetchoff.model.errors import HostError

NAME = "resume"


def command(
    run: options.RunPath,
    scheduler: fleet_options.Scheduler = None,
    hosts: fleet_options.Hosts = None,
    local: fleet_options.Local = None,
    security: fleet_options.Secure = False,
    away: fleet_options.Away = fleet_options.AWAY_S,
    longest_round: fleet_options.LongestRound = fleet_options.ROUND_S,
    explain: options.Explain = False,
    quiet: options.Quiet = False,
    as_json: options.Json = False,
) -> None:
    """Continue a run whose driver, scheduler or hosts were killed or interrupted.

    A run that ended without hosts that were lost continues with those that have come back. The
    hosts must have the names that they had. Nothing that they measured whole is measured again,
    even if this machine hadn't heard of it.
    """
    from fetchoff.app.unchanged import must_be_this_fetchoff
    from fetchoff.cli.console import say
    from fetchoff.cli.fleet import measuring
    from fetchoff.cli.fleet.joining import Where, joined
    from fetchoff.cli.fleet.live import watcher
    from fetchoff.fleet.beginning import must_be_resumable
    from fetchoff.fleet.driver import Limits
    from fetchoff.fleet.standing import standings_of, unfinished
    from fetchoff.store.run_folder import RunFolder

    folder = RunFolder.open(run, to_append=True)
    must_be_resumable(folder.header, run)
    standings = standings_of(folder)
    lost = unfinished(standings, folder) if folder.ended is not None else []
    shown = watcher(quiet=quiet or as_json)
    where = Where(scheduler, hosts, local, security)
    if folder.ended is not None and not lost:
        folder.close()
        if not quiet:
            say("this run is complete; nothing is left to measure")
        if explain:
            with joined(where, shown.noted, quiet=quiet or as_json) as there:
                measuring.explain(folder, there.cluster)
    else:
        must_be_this_fetchoff(folder.header)
        with joined(where, shown.noted, quiet=quiet or as_json) as there:
            cluster = there.cluster
            if lost:
                must_have_come_back(lost, cluster.present())
            limits = Limits(away, longest_round)
            measuring.measure(
                folder, cluster, shown, limits, standings, as_json=as_json, explains=explain
            )
            if explain:
                measuring.explain(folder, cluster)
    measuring.write_and_show(folder, quiet=quiet, as_json=as_json)


def must_have_come_back(lost: Sequence[str], present: Collection[str]) -> None:
    """Raise HostError if none of the hosts that a run ended without is there: it would only end
    again."""
    if not set(lost) & set(present):
        raise HostError(
            f"this run ended without {', '.join(lost)}, and none of them has come back",
            "start its worker with the name that it had; 'fetchoff report' shows what was measured",
        )
