"""The registry: every metric once. Terminal, report.html and results.csv take their columns here.

To add one, define a `Metric` and put it into `METRICS`; all surfaces that it does not name in
`absent` then show it. results.json holds the analysis itself: `member` says where.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fetchoff.model.analysis import ClientCard, WorkloadResult
from fetchoff.report.metrics import costs, relative, traffic
from fetchoff.report.metrics.groups import groups_of, has_parser, is_bulk, shows_read_size
from fetchoff.report.metrics.metric import Entry, Metric, Shown, Surface, Topic

METRICS = (
    relative.TIER,
    relative.WALL_RATIO,
    relative.WALL_VERDICT,
    costs.WALL,
    relative.CPU_RATIO,
    relative.CPU_VERDICT,
    costs.CPU,
    costs.USER,
    costs.SYSTEM,
    costs.ORIGIN_CPU,
    costs.CPU_PER_WALL,
    costs.RATE,
    costs.PARSER_TIME,
    costs.PARSER,
    traffic.THROUGHPUT,
    traffic.CPU_PER_GB,
    traffic.ORIGIN_SHARE,
    traffic.BYTES_IN_FLIGHT,
    traffic.LINK_HOLDS,
    traffic.EXCHANGES_IN_FLIGHT,
    traffic.CONCURRENCY,
    costs.PEAK,
    costs.READ_SIZE,
    costs.START_UP,
    costs.FIRST,
    costs.CPU_COLD,
    traffic.CONNECTIONS,
    traffic.PER_CONNECTION,
    traffic.SEGMENTS,
    traffic.BYTES_IN,
    traffic.BYTES_OUT,
    costs.ADAPTER_LINES,
)
"""In the order of the terminal: wall time first, then CPU time, then everything else."""

FIRST_ON_PAGE = (Topic.TIER, Topic.RATIO, Topic.VERDICT, Topic.IN_FLIGHT)
"""What stands left on report.html, which scrolls sideways on a small screen."""


def metrics_of(surface: Surface) -> tuple[Metric, ...]:
    """All metrics that a surface may show, in its order."""
    shown = (metric for metric in METRICS if surface not in metric.absent)
    return tuple(sorted(shown, key=lambda metric: _place(metric, surface)))


def _place(metric: Metric, surface: Surface) -> int:
    match surface:
        case Surface.CSV:
            return metric.column or 0
        case Surface.PAGE if metric.topic in FIRST_ON_PAGE:
            return FIRST_ON_PAGE.index(metric.topic)
        case Surface.PAGE:
            return len(FIRST_ON_PAGE)
    return 0


def entries_of(result: WorkloadResult, cards: Mapping[str, ClientCard]) -> tuple[Entry, ...]:
    """Everything that has figures on a workload, in the order of the ranking, then the floors."""
    measured = groups_of(result).measured
    return tuple(Entry(standing, result, cards.get(standing.client)) for standing in measured)


def shown_on(surface: Surface, entries: Sequence[Entry]) -> tuple[Metric, ...]:
    """The metrics that a surface shows of a workload's clients, in its order."""
    return tuple(metric for metric in metrics_of(surface) if is_shown(metric, entries))


def is_shown(metric: Metric, entries: Sequence[Entry]) -> bool:
    """Whether a metric says something of a workload, given its clients."""
    standings = [entry.standing for entry in entries]
    match metric.shown:
        case Shown.ALWAYS:
            return True
        case Shown.KNOWN:
            return any(map(metric.is_known, entries))
        case Shown.TRUSTED:
            return not any(entry.result.withheld for entry in entries)
        case Shown.BULK:
            return is_bulk(standings) and any(map(metric.is_known, entries))
        case Shown.PARSED:
            return has_parser(standings)
        case Shown.READ_IN_PIECES:
            return any(shows_read_size(entry.result) for entry in entries)
