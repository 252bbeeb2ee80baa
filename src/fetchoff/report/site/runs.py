"""A page for each run, with all its rankings; for each history; and what was left out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from fetchoff.report.site import addresses, chart
from fetchoff.report.site.collection import Collection, Seen
from fetchoff.report.site.entries import History, Run
from fetchoff.report.site.findings import sighting
from fetchoff.report.site.page import Entry, Page, listing
from fetchoff.report.site.tables import ranking
from fetchoff.report.wording import site as wording
from fetchoff.report.wording.figures import MISSING, level, seconds, tolerance

HISTORIES = "In which release a client became slower, or faster: one search for each line."
LABELS = 8  # of releases below a chart


@dataclass(frozen=True)
class LeftOut:
    """A folder that isn't in the site. `name`: the last part of its path."""

    name: str
    reason: str


@dataclass(frozen=True)
class Compared:
    """Two releases that were measured against each other. `report`: that of their run, or ""."""

    report: str
    older: str
    newer: str
    wall: str
    wall_verdict: str
    cpu: str
    cpu_verdict: str
    withheld: bool


def pages(whole: Collection, left_out: Sequence[LeftOut]) -> Iterator[Page]:
    """The listing, and a page for each run."""
    yield Page(
        addresses.listing("runs"),
        "Runs",
        "runs.html.j2",
        {"runs": [(run, _tally(run)) for run in whole.runs], "left_out": left_out},
    )
    for run in whole.runs:
        yield _page(whole, run)


def history_pages(whole: Collection) -> Iterator[Page]:
    """The listing, and a page for each history; nothing if there is none."""
    if not whole.histories:
        return
    yield listing(
        addresses.listing("histories"),
        "Histories",
        HISTORIES,
        [
            Entry(one.address, one.title, one.file.headline, (one.day, one.by))
            for one in whole.histories
        ],
        "searched",
        "by",
    )
    for history in whole.histories:
        yield _history(whole, history)


def _tally(run: Run) -> str:
    """How many courses a run has, and how many of them are withheld."""
    many = len(run.courses)
    withheld = sum(bool(placed.withheld) for placed in run.courses)
    clients = {s.client for placed in run.courses for s in placed.course.standings if s.is_ranked}
    text = f"{wording.clients(len(clients))} on {many} workload{'' if many == 1 else 's'}"
    return f"{text}, {withheld} withheld" if withheld else text


def _page(whole: Collection, run: Run) -> Page:
    found = [
        sighting(whole, Seen(run, explanation.diagnosis, cause))
        for explanation in run.file.explanations
        for cause in explanation.diagnosis.causes
    ]
    return Page(
        run.address,
        run.file.title,
        "run.html.j2",
        {
            "run": run,
            "facts": _facts(run),
            "rankings": [ranking(placed) for placed in run.courses],
            "found": found,
            "article_page": addresses.page("claims", run.file.article.id)
            if run.file.article
            else "",
            "whole": whole,
        },
        kind="run",
        words=f"{run.file.run_id} {run.day} {run.by}",
    )


def _facts(run: Run) -> tuple[tuple[str, str], ...]:
    file = run.file
    spent = MISSING if file.seconds is None else seconds(file.seconds)
    return (
        ("started", f"{run.moment:%Y-%m-%d %H:%M:%S} UTC"),
        ("measuring", f"{spent}, ended: {file.ended_reason}"),
        ("machine", run.machine),
        *((("origin", file.origin),) if file.origin else ()),
        ("intervals", level(file.level)),
        ("error rate α", f"{file.alpha:g}"),
        ("margin", f"±{tolerance(file.margin)}"),
        ("seed", str(file.seed)),
        ("id", file.run_id),
    )


def _history(whole: Collection, history: History) -> Page:
    file = history.file
    return Page(
        history.address,
        history.title,
        "history.html.j2",
        {
            "history": history,
            "client": file.client,
            "client_page": whole.client_page(file.client),
            "course": wording.course(file.workload),
            "course_page": whole.course_page(file.workload),
            "chart": _chart(history),
            "keys": ((chart.key(0), "wall time"), (chart.key(1), "CPU time")),
            "compared": [
                Compared(
                    _report_of(history, one.run),
                    one.older.version,
                    one.newer.version,
                    wording.against(one.wall),
                    one.wall.word,
                    wording.against(one.cpu),
                    one.cpu.word,
                    one.withheld,
                )
                for one in file.compared
            ],
        },
        kind="history",
        words=file.headline,
    )


def _report_of(history: History, run: str) -> str:
    """Where the report of a comparison is, if it was copied."""
    name = f"{run}/report.html"
    return f"{history.folder}{name}" if name in history.files else ""


def _chart(history: History) -> Markup | None:
    """Wall and CPU time of each release that was measured, in the order of releases."""
    versions = [release.version for release in history.file.releases]
    places = {version: float(place) for place, version in enumerate(versions)}
    dots = [
        chart.Dot(places[side.version] + shift, found, words, series)
        for one in history.file.compared
        if not one.withheld
        for side in (one.older, one.newer)
        if side.version in places
        for series, (clock, stored, shift) in enumerate(
            (("wall", side.wall_us, 0.0), ("CPU", side.cpu_us, 0.1))
        )
        for found in (stored.estimate,)
        for words in (f"{side.version}, {clock}: {wording.time(found)}",)
    ]
    measured = sorted({int(dot.x) for dot in dots})
    step = max(1, -(-len(measured) // LABELS))
    ticks = [chart.Tick(float(place), versions[place]) for place in measured[::step]]
    return chart.drawn(dots, ticks, f"Wall and CPU time an exchange of {history.title}")
