"""The files of a run of several hosts: those of one host with hosts as a further column, and the
matrix of clients and hosts. docs/results.md describes them."""

from __future__ import annotations

from collections.abc import Iterator

from fetchoff.model.analysis import Relative
from fetchoff.model.fleet import AcrossHosts, FleetAnalysis, FleetResult, FleetRow, HostAnalysis
from fetchoff.report.files import csv_results, json_results
from fetchoff.report.files.csv_results import Cell
from fetchoff.report.files.json_results import Json, plain
from fetchoff.report.wording import fleet as wording

IN_GENERAL = "*"
"""In the column of hosts: what is said of hosts in general."""


def csv_text(analysis: FleetAnalysis) -> str:
    """results.csv: the rows of every host, its name first."""
    return csv_results.table(
        {"host": host, **row} for host, own in analysis.measured() for row in csv_results.rows(own)
    )


def matrix_text(analysis: FleetAnalysis) -> str:
    """hosts.csv: a row for each workload, client, clock and host, and one for hosts in general."""
    return csv_results.table(
        row
        for result in analysis.results
        for client in result.rows
        for row in _cells(analysis, result, client)
    )


def _cells(
    analysis: FleetAnalysis, result: FleetResult, client: FleetRow
) -> Iterator[dict[str, Cell]]:
    for clock, across in (("wall", client.wall), ("cpu", client.cpu)):
        on_each = zip(result.hosts, across.on_each, strict=True)
        for host, relative in ((IN_GENERAL, across.over), *on_each):
            if relative is None:
                continue
            yield {
                "run": analysis.run_id,
                "workload": result.workload,
                "client": client.client,
                "clock": clock,
                "host": host,
                "baseline": result.baseline,
                **_figures(relative),
                "between_hosts": across.differ.between if across.differ else None,
                "hosts_differ": str(across.differ.shown).lower() if across.differ else None,
            }


def _figures(relative: Relative) -> dict[str, Cell]:
    ratio = relative.ratio
    return {
        "ratio": ratio.point,
        "ratio_low": ratio.low,
        "ratio_high": ratio.high,
        "level": ratio.level,
        "verdict": relative.verdict.value,
    }


def json_text(analysis: FleetAnalysis) -> str:
    """results.json, with the results of every host and of all of them together."""
    return json_results.in_lines(document(analysis))


def document(analysis: FleetAnalysis) -> dict[str, Json]:
    """The document as plain data."""
    cards = {card.client: card for _, own in analysis.measured() for card in own.cards}
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
        "over_hosts": [_over(result) for result in analysis.results],
        "results": [
            {"host": host, **json_results.result_of(result)}
            for host, own in analysis.measured()
            for result in own.results
        ],
        "explanations": [
            {"host": host, **json_results.explanation_of(each)}
            for host, own in analysis.measured()
            for each in own.explanations
        ],
        "cards": [plain(card) for card in cards.values()],
        "environment": {},
        "origin": analysis.origin,
        "notes": list(analysis.notes),
        "points": {},
    }


def _host(one: HostAnalysis) -> Json:
    return {
        "id": one.host.id,
        "rounds": one.rounds,
        "lost": one.lost,
        "environment": dict(one.host.environment),
        "courses": list(one.host.courses),
        "absent": plain(one.host.absent),
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
                "wall": _across(row.wall, result),
                "cpu": _across(row.cpu, result),
            }
            for row in result.rows
        ],
    }


def _across(across: AcrossHosts, result: FleetResult) -> Json:
    return {
        "over": plain(across.over),
        "on_each": plain(across.on_each),
        "differ": plain(across.differ),
        "text": wording.on_each(across, result.hosts),
    }
