"""Measure on a cluster with progress, and show the results: shared by run and resume."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

from fetchoff.cli.console import data_console, say
from fetchoff.model.errors import FetchoffError, StoreError

if TYPE_CHECKING:
    from fetchoff.cli.fleet.live import FleetWatcher
    from fetchoff.fleet.driver import Limits
    from fetchoff.fleet.seam.cluster import Cluster
    from fetchoff.model.fleet import FleetAnalysis
    from fetchoff.store.run_folder import RunFolder


def measure(folder: RunFolder, cluster: Cluster, watcher: FleetWatcher, limits: Limits) -> None:
    """Measure to the end; on an error, say what is kept. The folder is closed."""
    from fetchoff.fleet.driver import Driver
    from fetchoff.fleet.host.work import measure_round

    watcher.expect(folder.header.experiment, folder.header.hosts)
    try:
        with watcher.shown():
            Driver(folder, cluster, measure_round, watcher, limits).run()
    except (KeyboardInterrupt, FetchoffError):
        say(
            f"what was fetched is kept in {folder.path}; "
            f"continue with 'fetchoff fleet resume {folder.path}'"
        )
        with contextlib.suppress(FetchoffError):
            write_and_show(folder, quiet=True, as_json=False)
        raise
    finally:
        folder.close()


def explain(folder: RunFolder, cluster: Cluster) -> None:
    """Let every host explain its slowest clients; what is explained when the user presses Ctrl-C
    stays on the hosts."""
    from fetchoff.fleet.explaining import explain_on_hosts
    from fetchoff.fleet.host.work import explain_slowest
    from fetchoff.model.origin import BUILT_IN

    if folder.header.experiment.origin != BUILT_IN:
        say("note: only exchanges with the built-in origin can be explained")
        return
    try:
        explain_on_hosts(folder, cluster, explain_slowest, say)
    except KeyboardInterrupt:
        say("interrupted: nothing is explained")


def write_and_show(
    folder: RunFolder, *, quiet: bool, as_json: bool, per_day: float | None = None
) -> None:
    """Write the result files and show them; if writing fails, show them and raise StoreError."""
    from fetchoff.app.fleet_results import fleet_analysis_of, write_fleet

    analysis = fleet_analysis_of(folder)
    try:
        write_fleet(analysis, folder.path)
    except StoreError:
        show(analysis, folder.path, quiet=True, as_json=as_json, per_day=per_day)
        raise
    show(analysis, folder.path, quiet=quiet, as_json=as_json, per_day=per_day)


def show(
    analysis: FleetAnalysis, folder: Path, *, quiet: bool, as_json: bool, per_day: float | None
) -> None:
    """Print the results to standard output, and the paths of the files to standard error.

    `per_day`: also show the costs of this many exchanges per day, on each host.
    """
    from fetchoff.app.fleet_results import HOSTS, MATRIX
    from fetchoff.app.results import CSV, JSON

    if as_json:
        from fetchoff.report.files import fleet_results

        print(fleet_results.json_text(analysis))
        return
    from fetchoff.report.terminal import fleet

    data_console().print(fleet.whole(analysis))
    if any(own.explanations for _, own in analysis.measured()):
        data_console().print(fleet.explained(analysis))
    if per_day is not None:
        data_console().print(fleet.per_day(analysis, per_day))
    if not quiet:
        say(
            f"data: {folder / CSV}, {folder / MATRIX}, {folder / JSON}   "
            f"report of each host: {folder / HOSTS}"
        )
