"""Analyse a run of several hosts and write its result files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from fetchoff.app.results import CSV, JSON, facts_of, nothing_measured, write_files

if TYPE_CHECKING:
    from fetchoff.model.fleet import FleetAnalysis, HostAnalysis
    from fetchoff.store.run_folder import RunFolder

MATRIX = "hosts.csv"
HOSTS = "hosts"
"""The folder with the HTML report of each host, and what it has explained."""


def explained_on(folder: Path, host: str) -> Path:
    """Where a run folder keeps what a host has explained."""
    return folder / HOSTS / host


def fleet_analysis_of(folder: RunFolder) -> FleetAnalysis:
    """The analysis of a run folder with hosts; InputError if none has measured anything whole."""
    from fetchoff.analysis.fleet import analyse_fleet

    header = folder.header
    analysis = analyse_fleet(facts_of(header), header.hosts, header.mode, folder.records())
    if not any(analysis.measured()):
        raise nothing_measured(folder)
    hosts = tuple(_explained(one, folder.path) for one in analysis.hosts)
    return replace(analysis, hosts=hosts)


def _explained(one: HostAnalysis, folder: Path) -> HostAnalysis:
    from fetchoff.store import explanations

    if one.analysis is None:
        return one
    found = explanations.read(explained_on(folder, one.host.id))
    return replace(one, analysis=replace(one.analysis, explanations=found))


def write_fleet(analysis: FleetAnalysis, folder: Path) -> None:
    """Write all result files; StoreError if that fails."""
    write_files(_files(analysis), folder)


def _files(analysis: FleetAnalysis) -> Iterator[tuple[str, str]]:
    from fetchoff.report.files import fleet_results
    from fetchoff.report.page import html

    yield CSV, fleet_results.csv_text(analysis)
    yield MATRIX, fleet_results.matrix_text(analysis)
    yield JSON, fleet_results.json_text(analysis)
    for host, own in analysis.measured():
        yield f"{HOSTS}/{host}.html", html.text(own)
