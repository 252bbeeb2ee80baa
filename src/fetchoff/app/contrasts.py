"""Explain why one client is slower than another on a course."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from fetchoff.app.results import analysis_of
from fetchoff.diagnosis.breakdown import Spent, parts
from fetchoff.model.analysis import RankingRow, WorkloadResult
from fetchoff.model.breakdown import Breakdown
from fetchoff.model.cause import Diagnosis
from fetchoff.model.course import Course
from fetchoff.model.errors import AdapterError
from fetchoff.model.finding import ClocksApart, Finding
from fetchoff.report.wording.findings import message
from fetchoff.store.run_folder import RunFolder

Measure = Callable[[RunFolder], None]


@dataclass(frozen=True)
class Contrast:
    """A measured comparison of two clients on one course, and a diagnosis of each."""

    folder: RunFolder
    course: Course
    of_a: Diagnosis
    of_b: Diagnosis

    def breakdown(self) -> Breakdown:
        """The difference, part by part; AdapterError if a client has no result."""
        result = next(r for r in analysis_of(self.folder).results if r.workload == self.course.id)
        # Two processes of one client differ by their keys alone.
        a, b = (_row(result, one.key) for one in self.folder.header.experiment.entrants[:2])
        assert b.wall is not None
        spent_a, spent_b = _spent(a), _spent(b)
        return Breakdown(
            course=self.course.id,
            a=a.client,
            b=b.client,
            a_us=spent_a.wall_us,
            b_us=spent_b.wall_us,
            ratio=b.wall.ratio,
            parts=parts(spent_a, spent_b, self.of_a, self.of_b, self.course.link),
            diagnoses=(self.of_a, self.of_b),
            withheld=result.withheld or _clocks_apart(b),
        )


def _row(result: WorkloadResult, key: str) -> RankingRow:
    row = next(row for row in result.standings if row.client == key)
    if row.costs is None or row.wire is None:
        client, _, _ = key.partition("#")
        raise AdapterError(
            f"{key} has no result on {result.workload}: {row.outcome}: {message(row)}",
            f"test the client alone with 'fetchoff check {client}'",
        )
    return row


def _clocks_apart(row: RankingRow) -> Finding | None:
    """Why there is no verdict in wall time, which everything here is about."""
    for finding in row.findings:
        if isinstance(finding.evidence, ClocksApart) and finding.evidence.withheld:
            return finding
    return None


def _spent(row: RankingRow) -> Spent:
    costs, wire = row.costs, row.wire
    assert costs is not None
    assert wire is not None
    sampled = costs.user_us + costs.system_us
    # The split into user and system time is sampled; the CPU clock is exact.
    exact = costs.cpu_us.point / sampled if sampled > 0 else math.nan
    return Spent(
        wall_us=costs.wall_us.point,
        cpu_us=costs.cpu_us.point,
        user_us=costs.user_us * exact,
        system_us=costs.system_us * exact,
        origin_us=costs.origin_cpu_us,
        up_bytes=wire.bytes_in_per_exchange,
        down_bytes=wire.bytes_out_per_exchange,
    )
