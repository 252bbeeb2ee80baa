"""The columns of a ranking as text: every figure of a metric reads the same wherever it is shown.

Most figures of a column share a count of decimals. Metrics that are written in another way have a
formatter in `FORMATS`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from fetchoff.model.estimate import Estimate
from fetchoff.report.metrics import costs, traffic
from fetchoff.report.metrics.groups import costs_of
from fetchoff.report.metrics.metric import Entry, Form, Metric, Surface
from fetchoff.report.metrics.registry import shown_on
from fetchoff.report.wording.figures import (
    as_sure,
    decimals_for,
    decimals_for_rates,
    number,
    part,
    ratio,
    size,
    tier,
)

Texts = tuple[str, ...]


@dataclass(frozen=True)
class Column:
    """A metric, the clients that a ranking lists, and a text for each of them."""

    metric: Metric
    entries: tuple[Entry, ...]
    texts: Texts


def columns_of(surface: Surface, entries: Sequence[Entry]) -> tuple[Column, ...]:
    """The columns that a surface shows of these clients, in its order."""
    return tuple(
        Column(metric, tuple(entries), texts(metric, entries))
        for metric in shown_on(surface, entries)
    )


def texts(metric: Metric, entries: Sequence[Entry]) -> Texts:
    """What tables show of a metric, for each client."""
    if metric.key in FORMATS:
        return FORMATS[metric.key](metric, entries)
    match metric.form:
        case Form.TEXT:
            return tuple(str(metric.value(entry) or "") for entry in entries)
        case Form.TIERS:
            return tuple(tier(entry.standing.tiers) for entry in entries)
        case Form.RATIO:
            return tuple(ratio(metric.figure(entry)) for entry in entries)
        case Form.NUMBER | Form.ESTIMATE:
            figures = _figures(metric, entries)
            return _written(figures, min(decimals_for(figures), metric.decimals))


def estimate_of(metric: Metric, entry: Entry) -> Estimate | None:
    """The estimate that a metric has for a client, if it has one."""
    value = metric.value(entry)
    return value if isinstance(value, Estimate) else None


def _figures(metric: Metric, entries: Sequence[Entry]) -> list[float | None]:
    return [metric.figure(entry) for entry in entries]


def _written(figures: Sequence[float | None], decimals: int) -> Texts:
    return tuple(number(figure, decimals) for figure in figures)


def _times(metric: Metric, entries: Sequence[Entry]) -> Texts:
    return _written(_figures(metric, entries), _decimals_of_times(metric, entries))


def _sampled(metric: Metric, entries: Sequence[Entry]) -> Texts:
    """User and system time, which are sampled: no digit without a meaning."""
    decimals = _decimals_of_times(metric, entries)
    return tuple(
        as_sure(_or_nan(metric.figure(entry)), costs_of(entry.standing).split_within_us, decimals)
        for entry in entries
    )


def _decimals_of_times(metric: Metric, entries: Sequence[Entry]) -> int:
    """Wall and CPU time have as many decimals as the wall times need."""
    return min(decimals_for(_figures(costs.WALL, entries)), metric.decimals)


def _fixed(metric: Metric, entries: Sequence[Entry]) -> Texts:
    return _written(_figures(metric, entries), metric.decimals)


def _rates(metric: Metric, entries: Sequence[Entry]) -> Texts:
    figures = _figures(metric, entries)
    return _written(figures, decimals_for_rates(figures))


def _shares(metric: Metric, entries: Sequence[Entry]) -> Texts:
    told = (part(_or_nan(metric.figure(entry))) for entry in entries)
    return tuple(text.replace("less than", "<").replace("more than", ">") for text in told)


def _read_sizes(metric: Metric, entries: Sequence[Entry]) -> Texts:
    values = [metric.value(entry) for entry in entries]
    return tuple(size(value if isinstance(value, int) else None) for value in values)


def _or_nan(figure: float | None) -> float:
    return math.nan if figure is None else figure


Format = Callable[[Metric, Sequence[Entry]], Texts]
FORMATS: Mapping[str, Format] = {
    costs.WALL.key: _times,
    costs.CPU.key: _times,
    costs.USER.key: _sampled,
    costs.SYSTEM.key: _sampled,
    costs.CPU_PER_WALL.key: _fixed,
    costs.RATE.key: _rates,
    costs.READ_SIZE.key: _read_sizes,
    traffic.THROUGHPUT.key: _rates,
    traffic.CPU_PER_GB.key: _fixed,
    traffic.ORIGIN_SHARE.key: _shares,
}
"""How single metrics are written, by their keys."""
