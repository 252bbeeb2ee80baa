"""results.csv: one row a client, workload and link, raw numbers, units in the column names."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Mapping

from fetchoff.model.analysis import (
    Analysis,
    ClientCard,
    RankingRow,
    Relative,
    WorkloadResult,
)
from fetchoff.model.course import parts_of
from fetchoff.model.estimate import Estimate
from fetchoff.report.metrics.groups import groups_of

Value = str | int | float | None
COSTS = {
    "user_us_per_exchange": "user_us",
    "system_us_per_exchange": "system_us",
    "origin_cpu_us_per_exchange": "origin_cpu_us",
    "origin_cpu_per_wall": "origin_cpu_per_wall",
    "cpu_per_wall": "cpu_per_wall",
    "exchanges_per_second": "per_second",
    "peak_mb": "peak_mb",
    "start_up_ms": "start_up_ms",
    "first_exchange_us": "first_us",
    "cpu_us_among_others": "among_others_us",
    "parser_us_per_exchange": "parser_us",
}
IN_FLIGHT = {
    "bytes_in_flight": "bytes",
    "link_holds_bytes": "of_bytes",
    "exchanges_in_flight": "exchanges",
    "concurrency": "of_exchanges",
}
WIRE = {
    "connections_per_round": "connections",
    "exchanges_per_connection": "exchanges_per_connection",
    "segments_per_exchange": "segments_per_exchange",
    "origin_bytes_in_per_exchange": "bytes_in_per_exchange",
    "origin_bytes_out_per_exchange": "bytes_out_per_exchange",
}


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
            yield _row(analysis, result, standing, cards.get(standing.client))


def _row(
    analysis: Analysis,
    result: WorkloadResult,
    standing: RankingRow,
    card: ClientCard | None,
) -> dict[str, Value]:
    workload, link = parts_of(result.workload)
    best, worst = standing.tiers or (None, None)
    costs = standing.costs
    moved = costs.throughput if costs else None
    return {
        "run": analysis.run_id,
        "workload": workload,
        "link": link,
        "placement": result.placement,
        "origin": analysis.origin,
        "client": standing.client,
        **_fields(card, ("version", "runtime", "engine")),
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
        **_estimate("wall_us_per_exchange", costs.wall_us if costs else None),
        **_estimate("cpu_us_per_exchange", costs.cpu_us if costs else None),
        **_fields(costs, COSTS),
        "read_size_bytes": result.read_size,
        **_estimate("mb_per_second", moved.mb_per_second if moved else None),
        **_estimate("cpu_s_per_gb", moved.cpu_s_per_gb if moved else None),
        **_fields(standing.in_flight, IN_FLIGHT),
        **_fields(standing.wire, WIRE),
        **_fields(card, ("json_parser", "adapter_lines")),
        "notes": "; ".join(standing.notes),
    }


def _relative(metric: str, relative: Relative | None) -> dict[str, Value]:
    return {
        **_estimate(f"{metric}_ratio", relative.ratio if relative else None),
        f"{metric}_verdict": None if relative is None else relative.verdict.value,
    }


def _estimate(name: str, estimate: Estimate | None) -> dict[str, Value]:
    return _fields(estimate, {name: "point", f"{name}_low": "low", f"{name}_high": "high"})


def _fields(source: object | None, names: Mapping[str, str] | tuple[str, ...]) -> dict[str, Value]:
    """Columns of a part that may be missing: column name to attribute, or both the same."""
    attributes = names if isinstance(names, Mapping) else {name: name for name in names}
    return {
        column: None if source is None else getattr(source, attribute)
        for column, attribute in attributes.items()
    }


def _cell(value: Value) -> str:
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return ""
    return repr(value) if isinstance(value, float) else str(value)
