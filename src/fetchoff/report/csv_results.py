"""results.csv: one row a client and workload, raw numbers, units in the column names."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Mapping

from fetchoff.model.analysis import (
    Analysis,
    ClientCard,
    Costs,
    OnTheWire,
    Relative,
    Standing,
    WorkloadResult,
)
from fetchoff.model.estimate import Estimate
from fetchoff.report.groups import groups_of

Value = str | int | float | None


def text(analysis: Analysis) -> str:
    """The whole file: rows in the order of the ranking, a heading first."""
    rows = list(_rows(analysis))
    columns = list(rows[0]) if rows else []
    target = io.StringIO()
    writer = csv.DictWriter(target, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows({key: _cell(value) for key, value in row.items()} for row in rows)
    return target.getvalue()


def _rows(analysis: Analysis) -> Iterator[dict[str, Value]]:
    cards = {card.client: card for card in analysis.cards}
    for result in analysis.results:
        groups = groups_of(result)
        for standing in groups.ranked + groups.floors + groups.left_out:
            yield _row(analysis, result, standing, cards)


def _row(
    analysis: Analysis,
    result: WorkloadResult,
    standing: Standing,
    cards: Mapping[str, ClientCard],
) -> dict[str, Value]:
    card = cards.get(standing.client)
    best, worst = standing.tiers or (None, None)
    return {
        "run": analysis.run_id,
        "workload": result.workload,
        "placement": result.placement,
        "client": standing.client,
        "version": card and card.version,
        "runtime": card and card.runtime,
        "engine": card and card.engine,
        "role": standing.role.value,
        "outcome": standing.outcome.value,
        "message": standing.message,
        "withheld": result.withheld,
        "rounds": standing.rounds,
        "tier_best": best,
        "tier_worst": worst,
        "baseline": result.baseline,
        "level": analysis.level,
        **_relative("wall", standing.wall),
        **_relative("cpu", standing.cpu),
        **_costs(standing.costs),
        **_wire(standing.wire),
        "adapter_lines": card and card.adapter_lines,
        "notes": "; ".join(standing.notes),
    }


def _relative(metric: str, relative: Relative | None) -> dict[str, Value]:
    ratio = relative and relative.ratio
    return {
        **_estimate(f"{metric}_ratio", ratio),
        f"{metric}_verdict": relative and relative.verdict.value,
    }


def _estimate(name: str, estimate: Estimate | None) -> dict[str, Value]:
    return {
        name: estimate and estimate.point,
        f"{name}_low": estimate and estimate.low,
        f"{name}_high": estimate and estimate.high,
    }


def _costs(costs: Costs | None) -> dict[str, Value]:
    return {
        **_estimate("wall_us_per_exchange", costs and costs.wall_us),
        **_estimate("cpu_us_per_exchange", costs and costs.cpu_us),
        "user_us_per_exchange": costs and costs.user_us,
        "system_us_per_exchange": costs and costs.system_us,
        "origin_cpu_us_per_exchange": costs and costs.origin_cpu_us,
        "cpu_per_wall": costs and costs.cpu_per_wall,
        "exchanges_per_second": costs and costs.per_second,
        "peak_mb": costs and costs.peak_mb,
        "start_up_ms": costs and costs.start_up_ms,
    }


def _wire(wire: OnTheWire | None) -> dict[str, Value]:
    return {
        "connections_per_round": wire and wire.connections,
        "exchanges_per_connection": wire and wire.exchanges_per_connection,
        "segments_per_exchange": wire and wire.segments_per_exchange,
        "origin_bytes_in_per_exchange": wire and wire.bytes_in_per_exchange,
        "origin_bytes_out_per_exchange": wire and wire.bytes_out_per_exchange,
    }


def _cell(value: Value) -> str:
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return ""
    return repr(value) if isinstance(value, float) else str(value)
