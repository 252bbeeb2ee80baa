"""Analyse a run of several hosts and write its result files."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from fetchoff.app.in_processes import in_order
from fetchoff.app.results import CSV, HTML, JSON, facts_of, new_file, nothing_measured, write_files

if TYPE_CHECKING:
    from fetchoff.analysis.fleet import Fleet, HostSays, See
    from fetchoff.model.analysis import Analysis
    from fetchoff.model.explanation import Explanation
    from fetchoff.model.fleet import FleetAnalysis
    from fetchoff.model.host import HostRecord
    from fetchoff.store.run_folder import HostPart, RunFolder

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
    return _analysis_of(folder, see, to_files=False)


def write_fleet(folder: RunFolder, see: See | None = None) -> FleetAnalysis:
    """Analyse a run folder with hosts and write all result files.

    Raises as fleet_analysis_of does, and StoreError if writing fails. `see`: likewise.
    """
    from fetchoff.report.files import fleet_results
    from fetchoff.report.page import fleet

    path = folder.path
    with new_file(CSV, path) as rows, new_file(JSON, path) as document:
        csv, json = fleet_results.ResultsCsv(rows), fleet_results.ResultsJson(document)

        def written(host: str, own: Analysis) -> None:
            csv.add(host, own)
            json.add(host, own)
            if see is not None:
                see(host, own)

        try:
            analysis = _analysis_of(folder, written, to_files=True)
        finally:  # a process that is ended at once leaves what it was writing
            for part in (path / HOSTS).glob("*.html.part"):
                if part.is_file():  # and not the folder of a host with such a name
                    part.unlink(missing_ok=True)
        json.end(analysis)
    with new_file(MATRIX, path) as matrix:
        fleet_results.write_matrix(analysis, matrix)
    write_files([(HTML, fleet.text(analysis))], path)
    return analysis


def _analysis_of(folder: RunFolder, see: See, *, to_files: bool) -> FleetAnalysis:
    """`to_files`: the report of each host is written as well."""
    from fetchoff.analysis.fleet import Fleet, analyse_fleet

    header = folder.header
    fleet = Fleet(facts_of(header), header.hosts, header.mode, folder.ended, folder.ends)
    parts = [(host, folder.part_of(host.id)) for host in header.hosts]
    say = partial(_said_by, folder.path, fleet, to_files=to_files)
    with contextlib.closing(in_order(say, parts)) as said:
        analysis = analyse_fleet(fleet, said, see)
    if not any(one.has_results for one in analysis.hosts):
        raise nothing_measured(folder)
    return analysis


def _said_by(
    path: Path, fleet: Fleet, own: tuple[HostRecord, HostPart], *, to_files: bool
) -> HostSays:
    """What a host says by itself, with what it has explained."""
    from fetchoff.analysis.fleet import host_says
    from fetchoff.report.page import html
    from fetchoff.store import explanations

    host, part = own
    says = host_says(fleet, host, part.records())
    if not says.outcome.has_results:
        return says
    explained = explanations.read(explained_on(path, host.id))
    analysis = replace(says.analysis, explanations=explained)
    if to_files:
        write_files([(f"{HOSTS}/{host.id}.html", html.text(analysis))], path)
    return replace(says, analysis=analysis)


def write_document(folder: RunFolder, target: TextIO) -> None:
    """results.json of a run with hosts, to a stream. Raises as fleet_analysis_of does."""
    from fetchoff.report.files.fleet_results import ResultsJson

    json = ResultsJson(target)
    json.end(fleet_analysis_of(folder, json.add))
