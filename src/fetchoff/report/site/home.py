"""The home page: for each language, which client the newest runs call fastest, and by how much."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fetchoff.report.site import addresses
from fetchoff.report.site.collection import Collection, language_of, speaker
from fetchoff.report.site.entries import Placed
from fetchoff.report.site.page import Page
from fetchoff.report.wording import site as wording

NEWEST = 10


@dataclass(frozen=True)
class Best:
    """The best clients of a language on a course.

    `ties`: further ones of the same best tier, which weren't shown to differ. `among`: how many
    clients of the language were ranked.
    """

    course: str
    address: str
    client: str
    page: str
    wall: str
    ties: tuple[tuple[str, str], ...]
    among: str
    placed: Placed


@dataclass(frozen=True)
class Language:
    """A language with the courses that its clients were ranked on."""

    name: str
    anchor: str
    best: tuple[Best, ...]


def page(whole: Collection) -> Page:
    """The first page."""
    return Page(
        addresses.HOME,
        "HTTP clients, measured",
        "home.html.j2",
        {
            "languages": tuple(_languages(whole)),
            "newest": whole.runs[:NEWEST],
            "runs": wording.runs(len(whole.runs)),
            "clients": wording.clients(len(whole.of_client)),
        },
    )


def _languages(whole: Collection) -> Iterator[Language]:
    for name in sorted({language_of(client) for client in whole.of_client}):
        found = (_best(whole, course, name) for course in _popular_first(whole))
        best = tuple(one for one in found if one)
        if best:
            yield Language(name, addresses.anchor(name), best)


def _popular_first(whole: Collection) -> list[str]:
    return sorted(whole.courses, key=lambda course: (-len(whole.courses[course]), course))


def _best(whole: Collection, course: str, language: str) -> Best | None:
    placed = speaker(whole.courses[course], language)
    if placed is None:
        return None
    ranked = [s for s in placed.ranked if language_of(s.client) == language]
    telling = [s for s in ranked if s.wall and s.wall.ratio.estimate.is_telling]
    first, *others = telling or ranked
    assert first.costs is not None
    assert first.tiers is not None
    ties = [s.client for s in others if s.tiers and s.tiers[0] == first.tiers[0]]
    return Best(
        course=wording.course(course),
        address=addresses.course(course),
        client=first.client,
        page=addresses.page("clients", first.client),
        wall=wording.time(first.costs.wall_us.estimate),
        ties=tuple((client, addresses.page("clients", client)) for client in ties),
        among=wording.clients(len(ranked)),
        placed=placed,
    )
