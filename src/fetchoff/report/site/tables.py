"""Tables of figures: a ranking as a run has it, and a client's figures over runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from fetchoff.model.experiment import Role
from fetchoff.model.results_file import StoredStanding
from fetchoff.report.site import addresses, chart
from fetchoff.report.site.entries import Found, Placed, Run
from fetchoff.report.wording import site as wording
from fetchoff.report.wording.figures import MISSING, count, tier

SECONDS_A_DAY = 86_400.0
MOST_LINES = 50  # of a client on a workload; charts have all runs


@dataclass(frozen=True)
class Line:
    """A client in a ranking. `why`: what must be known of it, or why it has no figures."""

    client: str
    address: str
    tier: str
    ratio: str
    verdict: str
    wall: str
    cpu: str
    memory: str
    why: str
    is_baseline: bool
    is_floor: bool


@dataclass(frozen=True)
class Ranking:
    """A course of a run. `lines` are those with figures; there are none if it's withheld."""

    title: str
    anchor: str
    placed: Placed
    rounds: str
    checks: str
    lines: tuple[Line, ...]
    left_out: tuple[Line, ...]


def ranking(placed: Placed) -> Ranking:
    """A course as a table."""
    course = placed.course
    shown = [s for s in course.standings if s.role is not Role.CONTROL]
    measured = [s for s in shown if s.is_measured]
    measured.sort(key=lambda s: s.role is Role.FLOOR)
    return Ranking(
        title=wording.course(course.workload),
        anchor=addresses.anchor(course.workload),
        placed=placed,
        rounds=count(course.rounds, "round"),
        checks=wording.checks(course.checks),
        lines=() if placed.withheld else tuple(_line(placed, s) for s in measured),
        left_out=tuple(_line(placed, s) for s in shown if not s.is_measured),
    )


def _line(placed: Placed, standing: StoredStanding) -> Line:
    costs = standing.costs
    return Line(
        client=standing.client,
        address=addresses.page("clients", standing.client),
        tier=tier(standing.tiers),
        ratio=wording.against(standing.wall),
        verdict=standing.wall.word if standing.wall else MISSING,
        wall=wording.time(costs.wall_us.estimate) if costs else MISSING,
        cpu=wording.time(costs.cpu_us.estimate) if costs else MISSING,
        memory=wording.memory(costs.peak_mb) if costs else MISSING,
        why="; ".join(filter(None, (standing.message, *standing.notes))),
        is_baseline=standing.client == placed.course.baseline,
        is_floor=standing.role is Role.FLOOR,
    )


@dataclass(frozen=True)
class Past:
    """A client on a course in one run. `without`: why there are no figures, or ""."""

    run: Run
    address: str
    version: str
    tier: str
    ratio: str
    baseline: str
    wall: str
    cpu: str
    without: str
    key: Markup | None


@dataclass(frozen=True)
class Course:
    """A client's newest figures on a course, and a chart of all, if there are several.

    `machines`: the marks of the chart, and whose they are. `older`: those not in `past`, or "".
    """

    title: str
    anchor: str
    address: str
    chart: Markup | None
    machines: tuple[tuple[Markup, str], ...]
    past: tuple[Past, ...]
    older: str


def over_runs(client: str, workload: str, found: Sequence[Found]) -> Course:
    """What runs say of a client on a course. Machines are told apart: their times don't compare."""
    shown = [one for one in found if one.is_shown]
    machines = {one.placed.run.machine: 0 for one in reversed(shown)}
    machines = {machine: place for place, machine in enumerate(machines)}
    return Course(
        title=wording.course(workload),
        anchor=addresses.anchor(workload),
        address=addresses.course(workload),
        chart=_chart(client, workload, shown, machines),
        machines=tuple((chart.key(place), machine) for machine, place in machines.items()),
        past=tuple(_past(client, one, machines) for one in found[:MOST_LINES]),
        older=count(len(found) - MOST_LINES, "older run") if len(found) > MOST_LINES else "",
    )


def _past(client: str, found: Found, machines: dict[str, int]) -> Past:
    placed, standing = found.placed, found.standing
    costs = standing.costs if found.is_shown else None
    has_own_ratio = costs and client != placed.course.baseline
    return Past(
        run=placed.run,
        address=placed.address,
        version=placed.run.versions.get(client, ""),
        tier=tier(standing.tiers) if costs else "",
        ratio=wording.against(standing.wall) if has_own_ratio else MISSING,
        baseline=placed.course.baseline if has_own_ratio else "",
        wall=wording.time(costs.wall_us.estimate) if costs else MISSING,
        cpu=wording.time(costs.cpu_us.estimate) if costs else MISSING,
        without="" if costs else _without(found),
        key=chart.key(machines[placed.run.machine]) if costs else None,
    )


def _without(found: Found) -> str:
    if found.placed.withheld:
        return f"withheld: {found.placed.withheld}"
    return found.standing.message or found.standing.outcome.value


def _chart(
    client: str, workload: str, shown: Sequence[Found], machines: dict[str, int]
) -> Markup | None:
    dots = [_dot(client, one, machines) for one in shown]
    days = sorted({(dot.x, one.placed.run.day) for dot, one in zip(dots, shown, strict=True)})
    ends = [days[0], days[-1]] if days and days[0][1] != days[-1][1] else days[:1]
    title = f"Wall time an exchange of {client} on {wording.course(workload)}, run by run"
    return chart.drawn(dots, [chart.Tick(x, day) for x, day in ends], title)


def _dot(client: str, found: Found, machines: dict[str, int]) -> chart.Dot:
    run, costs = found.placed.run, found.standing.costs
    assert costs is not None
    wall = costs.wall_us.estimate
    version = run.versions.get(client, "")
    words = f"{run.day}, {version}: {wording.time(wall)}" if version else wording.time(wall)
    return chart.Dot(run.moment.timestamp() / SECONDS_A_DAY, wall, words, machines[run.machine])
