"""A page for each workload, with the ranking of the run that speaks for it; and for each link."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fetchoff.model.course import parts_of
from fetchoff.model.link import LOOPBACK
from fetchoff.report.site import addresses
from fetchoff.report.site.collection import Collection, speaker
from fetchoff.report.site.entries import Placed, Run
from fetchoff.report.site.page import Entry, Page, listing
from fetchoff.report.site.tables import Ranking, ranking
from fetchoff.report.wording import site as wording

WORKLOADS = "What clients are asked to do. The first client is that of the newest ranking."
LINKS = "Emulated networks that runs went over, and what was asked of each direction."


@dataclass(frozen=True)
class Line:
    """A run of a course: its first client and how many it ranked, or why it's withheld."""

    placed: Placed
    first: str
    page: str
    wall: str
    among: str
    withheld: str


@dataclass(frozen=True)
class Section:
    """A course. `ranking`: None if nothing was ranked, or everything is withheld."""

    title: str
    anchor: str
    link: str
    link_page: str
    ranking: Ranking | None
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class OverLink:
    """A course over a link, with what its newest ranking says."""

    title: str
    page: str
    line: Line | None
    runs: str


@dataclass(frozen=True)
class Otherwise:
    """A run over another link of the same name: users edit their files. `asked`: of each way."""

    run: Run
    asked: str


def pages(whole: Collection) -> Iterator[Page]:
    """The listing of workloads, and a page for each."""
    courses: dict[str, list[str]] = {}
    for course in sorted(whole.courses):
        courses.setdefault(parts_of(course)[0], []).append(course)
    yield listing(
        addresses.listing("workloads"),
        "Workloads",
        WORKLOADS,
        [_entry(whole, workload, courses[workload]) for workload in courses],
        "first",
        "runs",
    )
    for workload, own in courses.items():
        own.sort(key=lambda course: (parts_of(course)[1] != LOOPBACK.id, course))
        about = _about(whole, own)
        yield Page(
            addresses.page("workloads", workload),
            workload,
            "workload.html.j2",
            {"about": about, "sections": [_section(whole, course) for course in own]},
            kind="workload",
            words=about,
        )


def link_pages(whole: Collection) -> Iterator[Page]:
    """The listing of links, and a page for each; nothing if all runs were over loopback."""
    if not whole.links:
        return
    yield listing(
        addresses.listing("links"),
        "Links",
        LINKS,
        [
            Entry(addresses.page("links", link), link, asked.about, (wording.link(asked),))
            for link, asked in sorted(whole.links.items())
        ],
        "each way",
    )
    for link, asked in sorted(whole.links.items()):
        yield Page(
            addresses.page("links", link),
            link,
            "link.html.j2",
            {
                "asked": asked,
                "up": wording.profile(asked.up),
                "down": wording.profile(asked.down),
                "courses": [_over(whole, course) for course in whole.over(link)],
                "otherwise": list(_otherwise(whole, link)),
            },
            kind="link",
            words=asked.about,
        )


def _about(whole: Collection, courses: list[str]) -> str:
    return whole.courses[courses[0]][0].course.about


def _entry(whole: Collection, workload: str, courses: list[str]) -> Entry:
    placed = next(filter(None, (speaker(whole.courses[one]) for one in courses)), None)
    first = placed.ranked[0].client if placed else ""
    runs = {one.run.name for course in courses for one in whole.courses[course]}
    about = _about(whole, courses)
    return Entry(addresses.page("workloads", workload), workload, about, (first, str(len(runs))))


def _section(whole: Collection, course: str) -> Section:
    link = parts_of(course)[1]
    placed = speaker(whole.courses[course])
    return Section(
        title=wording.course(course),
        anchor=addresses.anchor(course),
        link=link if link in whole.links else "",
        link_page=addresses.page("links", link) if link in whole.links else "",
        ranking=ranking(placed) if placed else None,
        lines=tuple(_line(one) for one in whole.courses[course]),
    )


def _over(whole: Collection, course: str) -> OverLink:
    placed = speaker(whole.courses[course])
    return OverLink(
        wording.course(course),
        addresses.course(course),
        _line(placed) if placed else None,
        wording.runs(len(whole.courses[course])),
    )


def _otherwise(whole: Collection, link: str) -> Iterator[Otherwise]:
    """The runs that asked for something else under the name of a link than its page tells."""
    told = wording.link(whole.links[link])
    for run in whole.runs:
        asked = {
            wording.link(course.link.asked): None
            for course in run.file.results
            if course.link and parts_of(course.workload)[1] == link
        }
        yield from (Otherwise(run, other) for other in asked if other != told)


def _line(placed: Placed) -> Line:
    ranked = placed.ranked
    first = ranked[0] if ranked else None
    costs = first.costs if first else None
    return Line(
        placed=placed,
        first=first.client if first else "",
        page=addresses.page("clients", first.client) if first else "",
        wall=wording.time(costs.wall_us.estimate) if costs else "",
        among=wording.clients(len(ranked)),
        withheld=placed.withheld,
    )
