"""Analyse a run of several hosts and write its result files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from fetchoff.app.results import CSV, HTML, JSON, facts_of, new_file, nothing_measured, write_files

if TYPE_CHECKING:
    from fetchoff.analysis.fleet import See
    from fetchoff.model.analysis import Analysis
    from fetchoff.model.explanation import Explanation
    from fetchoff.model.fleet import FleetAnalysis
    from fetchoff.store.run_folder import RunFolder

MATRIX = "hosts.csv"
HOSTS = "hosts"
"""The folder with the HTML report of each host, and what it has explained."""


def explained_on(folder: Path, host: str) -> Path:
    """Where a run folder keeps what a host has explained."""
    return folder / HOSTS / host


def explanations_of(folder: RunFolder) -> Iterator[tuple[str, Explanation]]:
    """What hosts have explained, and which of them."""
    from fetchoff.store import explanations

    for host in folder.header.hosts:
        for each in explanations.read(explained_on(folder.path, host.id)):
            yield host.id, each


def fleet_analysis_of(folder: RunFolder, see: See) -> FleetAnalysis:
    """The analysis of a run folder with hosts; InputError if none has measured anything whole.

    `see`: is shown what each host says by itself, with what it has explained.
    """
    from fetchoff.analysis.fleet import analyse_fleet
    from fetchoff.store import explanations

    def shown(host: str, own: Analysis) -> None:
        explained = explanations.read(explained_on(folder.path, host))
        see(host, replace(own, explanations=explained))

    header = folder.header
    analysis = analyse_fleet(facts_of(header), header.hosts, header.mode, folder, shown)
    if not any(one.has_results for one in analysis.hosts):
        raise nothing_measured(folder)
    return analysis


def write_fleet(folder: RunFolder, see: See | None = None) -> FleetAnalysis:
    """Analyse a run folder with hosts and write all result files, one host after the other.

    Raises as fleet_analysis_of does, and StoreError if writing fails. `see`: likewise.
    """
    from fetchoff.report.files import fleet_results
    from fetchoff.report.page import fleet, html

    path = folder.path
    with new_file(CSV, path) as rows, new_file(JSON, path) as document:
        csv, json = fleet_results.ResultsCsv(rows), fleet_results.ResultsJson(document)

        def written(host: str, own: Analysis) -> None:
            csv.add(host, own)
            json.add(host, own)
            write_files([(f"{HOSTS}/{host}.html", html.text(own))], path)
            if see is not None:
                see(host, own)

        analysis = fleet_analysis_of(folder, written)
        json.end(analysis)
    with new_file(MATRIX, path) as matrix:
        fleet_results.write_matrix(analysis, matrix)
    write_files([(HTML, fleet.text(analysis))], path)
    return analysis


def write_document(folder: RunFolder, target: TextIO) -> None:
    """results.json of a run with hosts, to a stream. Raises as fleet_analysis_of does."""
    from fetchoff.report.files.fleet_results import ResultsJson

    json = ResultsJson(target)
    json.end(fleet_analysis_of(folder, json.add))
