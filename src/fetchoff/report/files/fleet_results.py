"""The files of a run of several hosts: those of one host with hosts as a further column, and the
matrix of clients and hosts. docs/results.md describes them.

Hosts are written one after the other, because a large fleet has too many to keep.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TextIO

from fetchoff.model.analysis import Analysis, Relative
from fetchoff.model.explanation import Explanation
from fetchoff.model.fleet import (
    AcrossHosts,
    FleetAnalysis,
    FleetResult,
    FleetRow,
    HostOutcome,
    HostsDiffer,
)
from fetchoff.report.files import csv_results, json_results
from fetchoff.report.files.csv_results import Cell
from fetchoff.report.files.json_results import Json, in_a_line, plain
from fetchoff.report.wording import fleet as wording

IN_GENERAL = wording.EVERYWHERE
"""In the column of hosts: what is said of hosts in general."""

FIGURES = ("ratio", "ratio_low", "ratio_high", "level", "verdict")


class ResultsCsv:
    """results.csv: the rows of every host, its name first."""

    def __init__(self, target: TextIO) -> None:
        self._table = csv_results.Table(target)

    def add(self, host: str, own: Analysis) -> None:
        """The rows of a host."""
        for row in csv_results.rows(own):
            self._table.add({"host": host, **row})


class ResultsJson:
    """results.json, with the results of every host and of all of them together; a line for each
    member, as json_results has it."""

    def __init__(self, target: TextIO) -> None:
        self._target = target
        self._explained: list[tuple[str, Explanation]] = []
        self._results = 0
        target.write('{\n"results": [')

    def add(self, host: str, own: Analysis) -> None:
        """The results of a host; what else it says comes at the end."""
        self._explained += [(host, each) for each in own.explanations]
        for result in own.results:
            self._element({"host": host, **json_results.result_of(result)}, self._results)
            self._results += 1

    def end(self, analysis: FleetAnalysis) -> None:
        """What is left of the document."""
        self._target.write('],\n"over_hosts": [')
        for place, result in enumerate(analysis.results):
            self._element(_over(result), place)
        self._target.write("]")
        for key, value in self._members(analysis).items():
            self._target.write(f",\n{in_a_line(key)}: {in_a_line(value)}")
        self._target.write("\n}\n")

    def _element(self, value: Json, place: int) -> None:
        self._target.write((", " if place else "") + in_a_line(value))

    def _members(self, analysis: FleetAnalysis) -> dict[str, Json]:
        return {
            "schema": json_results.SCHEMA,
            "run_id": analysis.run_id,
            "title": analysis.title,
            "started": analysis.started,
            "ended_reason": analysis.ended_reason,
            "seconds": plain(analysis.seconds),
            "seed": analysis.seed,
            "alpha": analysis.alpha,
            "margin": analysis.margin,
            "level": 1 - analysis.alpha,
            "mode": analysis.mode.value,
            "hosts": [_host(one) for one in analysis.hosts],
            "explanations": [
                {"host": host, **json_results.explanation_of(each)}
                for host, each in self._explained
            ],
            "cards": [plain(card) for card in analysis.cards],
            "environment": {},
            "origin": analysis.origin,
            "notes": list(analysis.notes),
            "points": {},
        }


def write_matrix(analysis: FleetAnalysis, target: TextIO) -> None:
    """hosts.csv: a row for each workload, client, clock and host, and one for hosts in general."""
    table = csv_results.Table(target)
    for result in analysis.results:
        for client in result.rows:
            for row in (*_cells(analysis, result, client), *_lacks(analysis, result, client)):
                table.add(row)


def _cells(
    analysis: FleetAnalysis, result: FleetResult, client: FleetRow
) -> Iterator[dict[str, Cell]]:
    for clock, across in (("wall", client.wall), ("cpu", client.cpu)):
        on_each = zip(result.hosts, across.on_each, strict=True)
        for host, relative in ((IN_GENERAL, across.over), *on_each):
            if relative is None:
                continue
            yield {
                **_place(analysis, result, client, clock, host),
                **_figures(relative),
                "between_hosts": across.differ.between if across.differ else None,
                "hosts_differ": _is_shown(across.differ),
                "missing": None,
            }


def _lacks(
    analysis: FleetAnalysis, result: FleetResult, client: FleetRow
) -> Iterator[dict[str, Cell]]:
    """Why there are no figures on a host; one row if there are none on any."""
    for clock in ("wall", "cpu"):
        for host, why in wording.lacks(client, result.hosts).items():
            yield {
                **_place(analysis, result, client, clock, host),
                **dict.fromkeys(FIGURES),
                "between_hosts": None,
                "hosts_differ": None,
                "missing": why,
            }


def _place(
    analysis: FleetAnalysis, result: FleetResult, client: FleetRow, clock: str, host: str
) -> dict[str, Cell]:
    """Of what a row tells."""
    return {
        "run": analysis.run_id,
        "workload": result.workload,
        "client": client.client,
        "clock": clock,
        "host": host,
        "baseline": result.baseline,
    }


def _is_shown(differ: HostsDiffer | None) -> str | None:
    if differ is None or differ.shown is None:
        return None
    return str(differ.shown).lower()


def _figures(relative: Relative) -> dict[str, Cell]:
    ratio = relative.ratio.two_ended
    return {
        "ratio": ratio.point,
        "ratio_low": ratio.low,
        "ratio_high": ratio.high,
        "level": ratio.level,
        "verdict": relative.word,
    }


def _host(one: HostOutcome) -> Json:
    return {
        "id": one.host.id,
        "rounds": one.rounds,
        "seconds": plain(one.seconds),
        "lost": one.lost,
        "environment": dict(one.host.environment),
        "courses": list(one.host.courses),
        "absent": plain(one.host.absent),
        "unlike": plain(one.host.unlike),
        "origin": one.host.origin,
        "notes": list(one.host.notes),
    }


def _over(result: FleetResult) -> Json:
    return {
        "workload": result.workload,
        "about": result.about,
        "baseline": result.baseline,
        "hosts": list(result.hosts),
        "withheld": list(result.withheld),
        "others": list(result.others),
        "rows": [
            {
                "client": row.client,
                "role": row.role.value,
                "tiers": plain(row.tiers),
                "wall": _across(row.wall, row, result),
                "cpu": _across(row.cpu, row, result),
                "missing": plain(wording.lacks(row, result.hosts)),
            }
            for row in result.rows
        ],
    }


def _across(across: AcrossHosts, row: FleetRow, result: FleetResult) -> Json:
    return {
        "over": plain(across.over),
        "on_each": plain(across.on_each),
        "differ": plain(across.differ),
        "text": wording.on_each(across, result.hosts, row.missing),
    }
