"""What report.html shows, as a view model: plain data that the template only lays out."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from fetchoff.model.analysis import (
    Analysis,
    ClientCard,
    Costs,
    Relative,
    SelfCheck,
    Standing,
    WorkloadResult,
)
from fetchoff.model.experiment import Role
from fetchoff.report import charts, wording
from fetchoff.report.figures import (
    MISSING,
    count,
    decimals_for,
    interval,
    number,
    percent,
    ratio,
    seconds,
    tier,
)
from fetchoff.report.groups import costs_of, groups_of, reason_of, tally
from fetchoff.report.vega import Spec

T = TypeVar("T")


@dataclass(frozen=True)
class Cell:
    """A table cell: what is read, what it is sorted by, and what stands small beside it."""

    text: str
    key: float | str
    beside: str = ""
    style: str = ""


@dataclass(frozen=True)
class Heading:
    """A column's heading. `about`: its explanation's anchor; `first`: the order of one click."""

    text: str
    unit: str
    about: str
    numeric: bool = True
    first: str = "ascending"


@dataclass(frozen=True)
class Row:
    """One client's line. `span`: where its tiers lie among all, in percent, or None."""

    client: str
    anchor: str
    floor: bool
    baseline: bool
    remark: str
    tier: str
    tier_key: float
    span: tuple[float, float] | None
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class LeftOut:
    """A client without figures."""

    client: str
    anchor: str
    outcome: str
    reason: str


@dataclass(frozen=True)
class CheckGroup:
    """The self-checks of one kind, with their chart where they have estimates."""

    kind: str
    unit: str
    checks: tuple[SelfCheck, ...]
    chart: Spec | None


@dataclass(frozen=True)
class Section:
    """One workload."""

    result: WorkloadResult
    anchor: str
    rounds: str
    verdict: str
    more: tuple[str, ...]
    advice: tuple[str, ...]
    notes: tuple[str, ...]
    headings: tuple[Heading, ...]
    rows: tuple[Row, ...]
    has_tiers: bool
    left_out: tuple[LeftOut, ...]
    relative: Spec | None
    absolute: Spec | None
    observations: Spec | None
    batches: str
    reach: str
    tally: str
    check_groups: tuple[CheckGroup, ...]


@dataclass(frozen=True)
class Fact:
    """One line of the header; `about`: the anchor of its explanation, or ""."""

    name: str
    value: str
    about: str = ""


@dataclass(frozen=True)
class Page:
    """The whole report."""

    analysis: Analysis
    facts: tuple[Fact, ...]
    sections: tuple[Section, ...]
    anchors: Mapping[str, str] = field(default_factory=dict)


def page_of(analysis: Analysis) -> Page:
    """The view model of a run."""
    cards = {card.client: card for card in analysis.cards}
    anchors = {client: f"client-{_slug(client, place)}" for place, client in enumerate(cards)}
    sections = tuple(
        _section(analysis, result, f"workload-{_slug(result.workload, place)}", cards, anchors)
        for place, result in enumerate(analysis.results)
    )
    return Page(analysis, _facts(analysis), sections, anchors)


def _facts(analysis: Analysis) -> tuple[Fact, ...]:
    clients = {s.client for result in analysis.results for s in groups_of(result).ranked}
    rounds = sorted({result.rounds for result in analysis.results})
    spread = str(rounds[0]) if len(rounds) == 1 else f"{rounds[0]}–{rounds[-1]}" if rounds else "0"
    return (
        Fact("started", analysis.started.replace("T", " ").replace("+00:00", " UTC")),
        Fact("measuring", f"{seconds(analysis.seconds)}, ended: {analysis.ended_reason}"),
        Fact("clients ranked", str(len(clients))),
        Fact("rounds", spread, "ratios-and-intervals"),
        Fact("error rate α", f"{analysis.alpha:g}", "error-rates-and-stopping"),
        Fact("intervals", percent(analysis.level), "ratios-and-intervals"),
        Fact("margin", f"±{percent(analysis.margin)}", "error-rates-and-stopping"),
        Fact("seed", str(analysis.seed), "error-rates-and-stopping"),
    )


def _section(
    analysis: Analysis,
    result: WorkloadResult,
    anchor: str,
    cards: Mapping[str, ClientCard],
    anchors: Mapping[str, str],
) -> Section:
    groups = groups_of(result)
    points = analysis.points.get(result.workload, ())
    has_ratios = any(s.wall is not None for s in groups.measured)
    more = (wording.least_cpu(result), wording.absentees(result))
    return Section(
        result=result,
        anchor=anchor,
        rounds=count(result.rounds, "round"),
        verdict=wording.verdict(result, analysis.margin),
        more=tuple(text for text in more if text),
        advice=wording.advice(result) if result.withheld else (),
        notes=wording.remarks(result) + result.notes,
        headings=_without_verdict(HEADINGS) if result.withheld else HEADINGS,
        rows=_rows(result, cards, anchors),
        has_tiers=any(standing.tiers for standing in groups.ranked),
        left_out=tuple(
            LeftOut(s.client, anchors.get(s.client, ""), s.outcome.value, reason_of(s))
            for s in groups.left_out
        ),
        relative=charts.relative(result, analysis.margin) if has_ratios else None,
        absolute=charts.absolute(result) if groups.measured else None,
        observations=charts.observations(result, points) if points else None,
        batches=f"{len(points):,}",
        reach=percent(charts.lane_reach(points)),
        tally=tally(result.checks),
        check_groups=_check_groups(result.checks),
    )


HEADINGS = (
    Heading("wall", "× baseline", "ratios-and-intervals"),
    Heading("CPU", "× baseline", "ratios-and-intervals"),
    Heading("verdict", "wall", "verdicts", numeric=False),
    Heading("wall", "µs", "wall-and-cpu-time"),
    Heading("CPU", "µs", "wall-and-cpu-time"),
    Heading("user", "µs", "user-and-system-time"),
    Heading("system", "µs", "user-and-system-time"),
    Heading("CPU", "÷ wall", "wall-and-cpu-time"),
    Heading("rate", "per s", "wall-and-cpu-time", first="descending"),
    Heading("peak", "MB", "memory-and-start-up"),
    Heading("start", "ms", "memory-and-start-up"),
    Heading("conn.", "new", "on-the-wire"),
    Heading("segm.", "an exch.", "on-the-wire"),
    Heading("code", "lines", "adapter-lines"),
)
VERDICT_COLUMN = 2


def _rows(
    result: WorkloadResult, cards: Mapping[str, ClientCard], anchors: Mapping[str, str]
) -> tuple[Row, ...]:
    measured = groups_of(result).measured
    columns = _columns(result, measured, cards)
    if result.withheld:
        columns = _without_verdict(columns)
    tiers = max((s.tiers[1] for s in measured if s.tiers), default=0)
    return tuple(
        Row(
            client=standing.client,
            anchor=anchors.get(standing.client, ""),
            floor=standing.role is Role.FLOOR,
            baseline=standing.client == result.baseline,
            remark="; ".join(filter(None, (standing.message, *standing.notes))),
            tier=tier(standing.tiers),
            tier_key=sum(standing.tiers) / 2 if standing.tiers else math.inf,
            span=_span(standing.tiers, tiers),
            cells=tuple(column[place] for column in columns),
        )
        for place, standing in enumerate(measured)
    )


def _span(tiers: tuple[int, int] | None, count: int) -> tuple[float, float] | None:
    if tiers is None:
        return None
    return (tiers[0] - 1) / count * 100, tiers[1] / count * 100


def _columns(
    result: WorkloadResult, measured: Sequence[Standing], cards: Mapping[str, ClientCard]
) -> tuple[tuple[Cell, ...], ...]:
    times = min(decimals_for(costs_of(s).wall_us.point for s in measured), 1)

    def figures(value: Callable[[Standing], float | None], most: int = 1) -> tuple[Cell, ...]:
        values = [value(standing) for standing in measured]
        decimals = min(decimals_for(values), most)
        return tuple(Cell(number(found, decimals), _key(found)) for found in values)

    def microseconds(value: Callable[[Costs], float]) -> tuple[Cell, ...]:
        values = [value(costs_of(standing)) for standing in measured]
        return tuple(Cell(number(found, times), _key(found)) for found in values)

    def lines(standing: Standing) -> float | None:
        card = cards.get(standing.client)
        return card.adapter_lines if card else None

    return (
        tuple(_ratio_cell(s, s.wall, result.baseline) for s in measured),
        tuple(_ratio_cell(s, s.cpu, result.baseline) for s in measured),
        tuple(_verdict_cell(s, result) for s in measured),
        microseconds(lambda costs: costs.wall_us.point),
        microseconds(lambda costs: costs.cpu_us.point),
        microseconds(lambda costs: costs.user_us),
        microseconds(lambda costs: costs.system_us),
        figures(lambda s: costs_of(s).cpu_per_wall, most=2),
        figures(lambda s: costs_of(s).per_second, most=0),
        figures(lambda s: costs_of(s).peak_mb),
        figures(lambda s: costs_of(s).start_up_ms, most=0),
        figures(lambda s: s.wire.connections if s.wire else None, most=0),
        figures(lambda s: s.wire.segments_per_exchange if s.wire else None, most=1),
        figures(lines, most=0),
    )


def _ratio_cell(standing: Standing, found: Relative | None, baseline: str) -> Cell:
    if found is None:
        return Cell(MISSING, math.inf)
    beside = "" if standing.client == baseline else interval(found.ratio)
    return Cell(ratio(found.ratio.point), _key(found.ratio.point), beside)


def _verdict_cell(standing: Standing, result: WorkloadResult) -> Cell:
    if standing.client == result.baseline:
        return Cell("baseline", "0", style="plain")
    if standing.role is Role.FLOOR:
        return Cell("floor", "z", style="plain")
    if standing.wall is None:
        return Cell(MISSING, "y", style="plain")
    found = standing.wall.verdict.value
    return Cell(found, found, style=found)


def _without_verdict(columns: tuple[T, ...]) -> tuple[T, ...]:
    return columns[:VERDICT_COLUMN] + columns[VERDICT_COLUMN + 1 :]


def _check_groups(checks: tuple[SelfCheck, ...]) -> tuple[CheckGroup, ...]:
    kinds = dict.fromkeys(check.kind for check in checks)
    groups = []
    for kind in kinds:
        chosen = tuple(check for check in checks if check.kind == kind)
        drawn = [check for check in chosen if check.estimate is not None]
        unit = "% of what was injected" if kind == "busy time" else "percentage points"
        chart = charts.self_checks(drawn) if drawn else None
        groups.append(CheckGroup(kind, unit, chosen, chart))
    return tuple(groups)


def _key(value: float | None) -> float:
    return value if value is not None and math.isfinite(value) else math.inf


def _slug(name: str, place: int) -> str:
    return f"{re.sub(r'[^a-z0-9]+', '-', name.lower()).strip('-')}-{place}"
