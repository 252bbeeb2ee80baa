"""What report.html shows, as a view model: plain data that the template only lays out."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from fetchoff.model.analysis import Analysis, ClientCard, WorkloadResult
from fetchoff.model.check import CheckKind, SelfCheck
from fetchoff.model.experiment import Role
from fetchoff.report.metrics.at_scale import Scale, scale_of
from fetchoff.report.metrics.groups import groups_of, tally
from fetchoff.report.metrics.metric import Form
from fetchoff.report.page import charts
from fetchoff.report.page.answer.view import Document, Places, document_of
from fetchoff.report.page.article_view import ArticleSection, article_section
from fetchoff.report.page.curves import Curves, curves_of
from fetchoff.report.page.ranking import Cell, Heading, PageColumn, page_columns
from fetchoff.report.page.vega import Spec
from fetchoff.report.page.why import Why, why_of
from fetchoff.report.wording import findings, self_checks, sentences
from fetchoff.report.wording.figures import count, level, percent, seconds, tolerance
from fetchoff.report.wording.over_link import Box, box_of
from fetchoff.report.wording.soundness import citation, soundness

MOST_BATCHES = 25_000
"""A page with more is too heavy to send; results.json has them all."""
MOST_ROWS = 250
"""Of all workloads together. A row and what is drawn of it are some 4 kB of the page."""


@dataclass(frozen=True)
class Row:
    """One client's line. `tier`: None where nobody has one. `span`: where its tiers lie among all,
    in percent, or None."""

    client: str
    anchor: str
    floor: bool
    baseline: bool
    remark: str
    tier: Cell | None
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
class CheckLine:
    """A self-check in words."""

    outcome: str
    text: str


@dataclass(frozen=True)
class CheckGroup:
    """The self-checks of one kind, with their chart where they have estimates."""

    kind: str
    unit: str
    checks: tuple[CheckLine, ...]
    chart: Spec | None


@dataclass(frozen=True)
class PageSection:
    """One course: a workload, over a link or not. `title` is its heading; `tier` is the heading of
    the tiers, if there are any, and `headings` are those of all other columns."""

    result: WorkloadResult
    title: str
    link: Box | None
    anchor: str
    rounds: str
    verdict: str
    more: tuple[str, ...]
    advice: tuple[str, ...]
    notes: tuple[str, ...]
    tier: Heading | None
    headings: tuple[Heading, ...]
    rows: tuple[Row, ...]
    left_out: tuple[LeftOut, ...]
    relative: Spec | None
    absolute: Spec | None
    curves: Curves | None
    why: tuple[Why, ...]
    observations: Spec | None
    batches: str
    not_counted: str
    reach: str
    tally: str
    check_groups: tuple[CheckGroup, ...]
    scale: Scale | None


@dataclass(frozen=True)
class Fact:
    """One line of the header; `about`: the anchor of its explanation, or ""."""

    name: str
    value: str
    about: str = ""


@dataclass(frozen=True)
class Page:
    """The whole report.

    `level`: of its intervals. `answer`: the first screen, None if nothing was measured;
    `soundness`: the self-checks in one line; `is_long`: folded parts are packed until somebody
    opens them.
    """

    analysis: Analysis
    level: str
    facts: tuple[Fact, ...]
    article: ArticleSection | None
    sections: tuple[PageSection, ...]
    answer: Document | None
    is_long: bool
    soundness: str
    citation: str
    anchors: Mapping[str, str] = field(default_factory=dict)


def page_of(analysis: Analysis) -> Page:
    """The view model of a run."""
    cards = {card.client: card for card in analysis.cards}
    anchors = {client: f"client-{_slug(client, place)}" for place, client in enumerate(cards)}
    draws_batches = sum(map(len, analysis.points.values())) <= MOST_BATCHES
    sections = tuple(
        _section(
            analysis,
            result,
            f"workload-{_slug(result.workload, place)}",
            cards,
            anchors,
            draws_batches=draws_batches,
        )
        for place, result in enumerate(analysis.results)
    )
    return Page(
        analysis=analysis,
        level=level(analysis.level),
        facts=_facts(analysis),
        article=article_section(analysis),
        sections=sections,
        answer=_answer(analysis, sections, anchors),
        is_long=sum(len(section.rows) for section in sections) > MOST_ROWS,
        soundness=soundness(analysis.results),
        citation=citation(analysis),
        anchors=anchors,
    )


def _answer(
    analysis: Analysis, sections: Sequence[PageSection], anchors: Mapping[str, str]
) -> Document | None:
    """The first screen; None if no client has a figure."""
    if not any(section.rows for section in sections):
        return None
    places = Places(
        clients=anchors,
        workloads={section.result.workload: section.anchor for section in sections},
        explained={
            section.result.workload: {why.client: why.anchor for why in section.why}
            for section in sections
        },
    )
    return document_of(analysis, places)


def _facts(analysis: Analysis) -> tuple[Fact, ...]:
    clients = {s.client for result in analysis.results for s in groups_of(result).ranked}
    rounds = sorted({result.rounds for result in analysis.results})
    spread = str(rounds[0]) if len(rounds) == 1 else f"{rounds[0]}–{rounds[-1]}" if rounds else "0"
    return (
        Fact("started", analysis.started.replace("T", " ").replace("+00:00", " UTC")),
        Fact("measuring", f"{seconds(analysis.seconds)}, ended: {analysis.ended_reason}"),
        *([Fact("origin", analysis.origin, "on-the-wire")] if analysis.origin else []),
        Fact("clients ranked", str(len(clients))),
        Fact("rounds", spread, "ratios-and-intervals"),
        Fact("error rate α", f"{analysis.alpha:g}", "error-rates-and-stopping"),
        Fact("intervals", level(analysis.level), "ratios-and-intervals"),
        Fact("margin", f"±{tolerance(analysis.margin)}", "error-rates-and-stopping"),
        Fact("seed", str(analysis.seed), "error-rates-and-stopping"),
    )


def _section(
    analysis: Analysis,
    result: WorkloadResult,
    anchor: str,
    cards: Mapping[str, ClientCard],
    anchors: Mapping[str, str],
    *,
    draws_batches: bool,
) -> PageSection:
    groups = groups_of(result)
    columns = page_columns(result, cards)
    tiers = next((column for column in columns if column.metric.form is Form.TIERS), None)
    others = tuple(column for column in columns if column is not tiers)
    points = analysis.points.get(result.workload, ())
    has_ratios = any(s.wall is not None for s in groups.measured)
    more = (sentences.least_cpu(result), sentences.absentees(result))
    return PageSection(
        result=result,
        title=sentences.title(result),
        link=box_of(result.link) if result.link else None,
        anchor=anchor,
        rounds=count(result.rounds, "round"),
        verdict=sentences.verdict(result, analysis.margin),
        more=tuple(text for text in more if text),
        advice=sentences.advice(result) if result.withheld else (),
        notes=sentences.notes(result),
        tier=tiers.heading if tiers else None,
        headings=tuple(column.heading for column in others),
        rows=_rows(result, tiers, others, anchors),
        left_out=tuple(
            LeftOut(s.client, anchors.get(s.client, ""), s.outcome.value, findings.message(s))
            for s in groups.left_out
        ),
        relative=charts.relative(result, analysis.margin) if has_ratios else None,
        absolute=charts.absolute(result) if groups.measured else None,
        curves=curves_of(result),
        why=why_of(analysis.explanations, result.workload, anchor),
        observations=charts.observations(result, points) if points and draws_batches else None,
        batches=f"{len(points):,}",
        not_counted=sentences.not_counted(result),
        reach=percent(charts.lane_reach(points)),
        tally=tally(result.checks),
        check_groups=_check_groups(result.checks),
        scale=scale_of(result),
    )


def _rows(
    result: WorkloadResult,
    tiers: PageColumn | None,
    others: Sequence[PageColumn],
    anchors: Mapping[str, str],
) -> tuple[Row, ...]:
    measured = groups_of(result).measured
    last = max((s.tiers[1] for s in measured if s.tiers), default=0)
    return tuple(
        Row(
            client=standing.client,
            anchor=anchors.get(standing.client, ""),
            floor=standing.role is Role.FLOOR,
            baseline=standing.client == result.baseline,
            remark="; ".join(filter(None, (findings.message(standing), *findings.notes(standing)))),
            tier=tiers.cells[place] if tiers else None,
            span=_span(standing.tiers, last),
            cells=tuple(column.cells[place] for column in others),
        )
        for place, standing in enumerate(measured)
    )


def _span(tiers: tuple[int, int] | None, count: int) -> tuple[float, float] | None:
    if tiers is None:
        return None
    return (tiers[0] - 1) / count * 100, tiers[1] / count * 100


def _check_groups(checks: tuple[SelfCheck, ...]) -> tuple[CheckGroup, ...]:
    kinds = dict.fromkeys(check.kind for check in checks)
    groups = []
    for kind in kinds:
        chosen = [check for check in checks if check.kind is kind]
        drawn = [check for check in chosen if check.estimate is not None]
        unit = "% of what was injected" if kind is CheckKind.BUSY else "percentage points"
        chart = charts.self_checks(drawn) if drawn else None
        lines = (CheckLine(check.outcome.value, self_checks.sentence(check)) for check in chosen)
        groups.append(CheckGroup(kind.value, unit, tuple(lines), chart))
    return tuple(groups)


def _slug(name: str, place: int) -> str:
    return f"{re.sub(r'[^a-z0-9]+', '-', name.lower()).strip('-')}-{place}"
