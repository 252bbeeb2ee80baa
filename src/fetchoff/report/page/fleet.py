"""The page of a run of several hosts: what they say together, and where they differ."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from fetchoff.model.analysis import Relative
from fetchoff.model.estimate import Verdict
from fetchoff.model.experiment import Role
from fetchoff.model.fleet import AcrossHosts, FleetAnalysis, FleetResult, FleetRow
from fetchoff.report.page.html import without_scripts
from fetchoff.report.wording import fleet as wording
from fetchoff.report.wording.figures import MISSING, count, interval, ratio, tier

MOST_COLUMNS = 24
"""Of hosts side by side; of more nobody can read a matrix, and hosts.csv has it."""

MOST_TICKS = 60
"""Hosts drawn one by one; of more, how many have about the same ratio."""

FULL, STRONGEST, BEND = 20.0, 70.0, 0.7
"""As in scripts/matrix.mjs: the ratio with the strongest colour, its percentage, and the bend."""

WIDTH, HEIGHT, BINS = 160, 16, 80


@dataclass(frozen=True)
class Cell:
    """A client on a host, by both clocks."""

    wall: str
    cpu: str
    style: str
    strength: int
    title: str


@dataclass(frozen=True)
class Line:
    """A client on all hosts. `hosts`: an SVG path, a tick or a bar for each of their ratios.
    `cells`: none if no host has figures of it."""

    client: str
    tier: str
    is_baseline: bool
    is_floor: bool
    ratio: str
    interval: str
    verdict: str
    cpu: str
    cpu_interval: str
    on_each: str
    differ: str
    hosts: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class Section:
    """A workload on all hosts that measured it. `low`, `one`, `high`: of the axis of `Line.hosts`,
    of which `one`, where the baseline is, is a place on it."""

    anchor: str
    workload: str
    about: str
    said: str
    lines: tuple[Line, ...]
    hosts: tuple[str, ...]
    more: int
    notes: tuple[str, ...]
    low: str
    high: str
    one: float


@dataclass(frozen=True)
class Axis:
    """Ratios on a logarithmic axis of WIDTH."""

    low: float
    high: float

    def place(self, ratio_: float) -> float:
        span = math.log(self.high / self.low)
        return WIDTH * math.log(ratio_ / self.low) / span


def text(analysis: FleetAnalysis) -> str:
    """The whole page, which runs nothing and loads nothing."""
    return without_scripts(
        "fleet.html.j2",
        analysis=analysis,
        sections=[_section(analysis, place, one) for place, one in enumerate(analysis.results)],
        standing={one.host.id: wording.standing(one) for one in analysis.hosts},
        hosts=count(len(analysis.hosts), "host"),
        footer=wording.footer(analysis),
        width=WIDTH,
        height=HEIGHT,
    )


def _section(analysis: FleetAnalysis, place: int, result: FleetResult) -> Section:
    axis = _axis(result.rows)
    shown = result.hosts if len(result.hosts) <= MOST_COLUMNS else ()
    why = wording.in_general(analysis, result)
    return Section(
        anchor=f"workload-{place}",
        workload=result.workload,
        about=f"{result.about} · {count(len(result.hosts), 'host')}",
        said=wording.summary(analysis, result),
        lines=tuple(_line(row, result, axis, len(shown)) for row in result.rows),
        hosts=shown,
        more=len(result.hosts) - len(shown),
        notes=(
            *wording.without_figures(result),
            *wording.left_out(result),
            *([why] if why else []),
        ),
        low=ratio(axis.low),
        high=ratio(axis.high),
        one=axis.place(1.0),
    )


def _line(row: FleetRow, result: FleetResult, axis: Axis, columns: int) -> Line:
    is_baseline = row.client == result.baseline
    over, cpu = row.wall.over, row.cpu.over
    lacks = wording.lacks(row, result.hosts) if columns else {}
    return Line(
        client=row.client,
        tier=tier(row.tiers),
        is_baseline=is_baseline,
        is_floor=row.role is Role.FLOOR,
        ratio=ratio(over.ratio.point) if over else MISSING,
        interval="" if is_baseline or over is None else interval(over.ratio),
        verdict="" if is_baseline or over is None else over.word,
        cpu=ratio(cpu.ratio.point) if cpu else MISSING,
        cpu_interval="" if is_baseline or cpu is None else interval(cpu.ratio),
        on_each="" if is_baseline else wording.on_each(row.wall, result.hosts, row.missing),
        differ=wording.differ(row.wall.differ),
        hosts=_drawn(_ratios(row.wall), axis),
        cells=tuple(
            _cell(row, place, lacks.get(host, ""), is_baseline=is_baseline)
            for place, host in enumerate(result.hosts[:columns])
        )
        if row.is_measured
        else (),
    )


def _ratios(across: AcrossHosts) -> list[float]:
    """Those that can be drawn: where a client has no round in common with the baseline, there is
    none."""
    points = (one.ratio.point for one in across.on_each if one is not None)
    return [point for point in points if math.isfinite(point)]


def _axis(rows: Sequence[FleetRow]) -> Axis:
    """As wide as all ratios of a workload, and a little wider, with 1 on it."""
    found = [value for row in rows for value in _ratios(row.wall)]
    low, high = min(found, default=1.0), max(found, default=1.0)
    return Axis(min(low, 1.0) / 1.1, max(high, 1.0) * 1.1)


def _drawn(ratios: Sequence[float], axis: Axis) -> str:
    """A tick for each host, or, of many, bars as high as there are hosts at that ratio."""
    places = [axis.place(value) for value in ratios]
    if len(places) <= MOST_TICKS:
        return "".join(f"M{place:.1f} 2V{HEIGHT - 2:g}" for place in places)
    step = WIDTH / BINS
    bins = Counter(min(int(place / step), BINS - 1) for place in places)
    most = max(bins.values())
    return "".join(
        f"M{(place + 0.5) * step:.1f} {HEIGHT:g}v-{HEIGHT * number / most:.1f}"
        for place, number in sorted(bins.items())
    )


def _cell(row: FleetRow, place: int, lack: str, *, is_baseline: bool) -> Cell:
    """`lack`: why there are no figures of it."""
    wall, cpu = row.wall.on_each[place], row.cpu.on_each[place]
    if wall is None:
        return Cell(MISSING, "", "none", 0, lack)
    return Cell(
        wall=ratio(wall.ratio.point),
        cpu=ratio(cpu.ratio.point) if cpu is not None else MISSING,
        style="reference" if is_baseline else _style(wall),
        strength=_strength(wall.ratio.point),
        title="" if is_baseline else f"{wall.word}: {interval(wall.ratio)}",
    )


def _style(relative: Relative) -> str:
    if relative.verdict is Verdict.UNDECIDED:
        return "undecided"
    return "cheap" if relative.ratio.point < 1 else "dear"


def _strength(cost: float) -> int:
    """Per cent of the colour, by the logarithm of the ratio."""
    share = min(1.0, abs(math.log(cost)) / math.log(FULL))
    return round(STRONGEST * math.pow(share, BEND))
