"""What is left of a ranking that is withheld: figures, and nothing that says who is faster.

Tiers and verdicts are dropped here, once, so that no surface can show them by mistake.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fetchoff.model.analysis import RankingRow, Relative, WorkloadResult
from fetchoff.model.experiment import Role
from fetchoff.model.finding import Finding, Kind

RANK = frozenset({Kind.TIERS_UNPROVEN, Kind.WORK_MOVED, Kind.LIMIT})
"""Findings that tell a tier or a verdict."""


def unranked(result: WorkloadResult) -> WorkloadResult:
    """The result without tiers, verdicts, and what rests on them; the ranked come by name."""
    return replace(
        result,
        standings=_by_name([_row(row) for row in result.standings]),
        findings=_others(result.findings),
    )


def _row(row: RankingRow) -> RankingRow:
    wall, cpu = _ratio(row.wall), _ratio(row.cpu)
    return replace(row, tiers=None, wall=wall, cpu=cpu, findings=_others(row.findings))


def _ratio(relative: Relative | None) -> Relative | None:
    return relative and replace(relative, verdict=None)


def _others(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    return tuple(finding for finding in findings if finding.kind not in RANK)


def _by_name(rows: Sequence[RankingRow]) -> tuple[RankingRow, ...]:
    places = {row.client for row in rows if row.role is Role.RANKED and row.costs is not None}
    ranked = sorted((row for row in rows if row.client in places), key=lambda row: row.client)
    return (*ranked, *(row for row in rows if row.client not in places))
