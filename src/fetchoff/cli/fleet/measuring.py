"""Measure on a cluster with progress, and show the results: shared by run and resume."""

from __future__ import annotations

import contextlib
import shutil
import sys
from typing import TYPE_CHECKING

from fetchoff.cli.console import data_console, say
from fetchoff.model.errors import FetchoffError, StoreError

if TYPE_CHECKING:
    from rich.console import RenderableType

    from fetchoff.cli.fleet.live import FleetWatcher
    from fetchoff.fleet.driver import Limits
    from fetchoff.fleet.seam.cluster import Cluster
    from fetchoff.fleet.standing import Standing
    from fetchoff.model.analysis import Analysis
    from fetchoff.model.fleet import FleetAnalysis
    from fetchoff.store.run_folder import RunFolder


def measure(
    folder: RunFolder,
    cluster: Cluster,
    watcher: FleetWatcher,
    limits: Limits,
    standings: dict[str, Standing] | None = None,
    *,
    as_json: bool = False,
    explains: bool = False,
) -> None:
    """Measure to the end; on an error, say what is kept, and show it. The folder is closed.

    `standings`: of the folder, if they are known already. `explains`: hosts will explain next;
    otherwise nothing more is shown of what they do.
    """
    from fetchoff.fleet.driver import Driver
    from fetchoff.fleet.host.work import measure_round

    driver = Driver(folder, cluster, measure_round, watcher, limits, standings)
    watcher.expect(folder.header.experiment, driver.standings)
    try:
        with watcher.shown():
            driver.run()
        if not explains:
            watcher.end()
    except (KeyboardInterrupt, FetchoffError):
        say(
            f"what was fetched is kept in {folder.path}; "
            f"continue with 'fetchoff fleet resume {folder.path}'"
        )
        with contextlib.suppress(FetchoffError):
            write_and_show(folder, quiet=True, as_json=as_json)
        raise
    finally:
        folder.close()
    if lost := driver.unfinished():
        say(
            f"the run ended without {', '.join(lost)}; when they are back, continue with "
            f"'fetchoff fleet resume {folder.path}'"
        )


def explain(folder: RunFolder, cluster: Cluster) -> None:
    """Let every host explain its slowest clients; what is explained when that fails, or the user
    presses Ctrl-C, stays on the hosts. Whatever fails is told: all is measured by now."""
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
    except FetchoffError as error:
        say(f"note: nothing is explained: {error.message}")


def write_and_show(
    folder: RunFolder, *, quiet: bool, as_json: bool, per_day: float | None = None
) -> bool:
    """Write the result files and show them; if writing fails, show them and raise StoreError.

    Returns whether any client was measured. `per_day`: also show the costs of this many exchanges
    per day, on each host.
    """
    from fetchoff.app.fleet_results import (
        HOSTS,
        MATRIX,
        fleet_analysis_of,
        write_document,
        write_fleet,
    )
    from fetchoff.app.results import CSV, HTML, JSON

    shown = Shown(folder, per_day)
    try:
        analysis = write_fleet(folder, shown.see)
    except StoreError:
        if as_json:
            write_document(folder, sys.stdout)
        else:
            shown = Shown(folder, per_day)
            shown.print(fleet_analysis_of(folder, shown.see))
        raise
    if as_json:
        with (folder.path / JSON).open(encoding="utf-8") as document:
            shutil.copyfileobj(document, sys.stdout)
        return shown.is_any_measured
    shown.print(analysis)
    if not quiet:
        say(
            f"report: {folder.path / HTML}   of each host: {folder.path / HOSTS}   "
            f"data: {folder.path / CSV}, {folder.path / MATRIX}, {folder.path / JSON}"
        )
    return shown.is_any_measured


class Shown:
    """What the terminal shows of a run of several hosts, and whether any client was measured."""

    def __init__(self, folder: RunFolder, per_day: float | None) -> None:
        self._folder = folder
        self._per_day = per_day
        self._savings: list[RenderableType] = []
        self.is_any_measured = False

    def see(self, host: str, own: Analysis) -> None:
        """What a host says by itself; little of it is shown."""
        from fetchoff.report.terminal import fleet

        standings = (standing for result in own.results for standing in result.standings)
        self.is_any_measured |= any(standing.costs is not None for standing in standings)
        if self._per_day is not None:
            self._savings.append(fleet.per_day(host, own, self._per_day))

    def print(self, analysis: FleetAnalysis) -> None:
        """To standard output."""
        from fetchoff.app.fleet_results import explanations_of
        from fetchoff.report.terminal import fleet

        data_console().print(fleet.whole(analysis))
        for host, each in explanations_of(self._folder):
            data_console().print(fleet.explained(host, each))
        for savings in self._savings:
            data_console().print(savings)
