"""The home page: for each language, which client the newest runs call fastest, and by how much."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from fetchoff.model.estimate import Verdict
from fetchoff.model.results_file import StoredStanding
from fetchoff.report.site import addresses
from fetchoff.report.site.collection import Collection, language_of, speaker
from fetchoff.report.site.entries import Placed
from fetchoff.report.site.page import Page
from fetchoff.report.wording import site as wording

NEWEST = 10


@dataclass(frozen=True)
class Best:
    """The best client of a language on a course.

    `ties`: those whose best tier isn't worse, none of which was shown to be slower. `unplaced`:
    those that might be anywhere. `is_guess`: all of them might be. `among`: how many clients of the
    language were ranked.
    """

    course: str
    address: str
    client: str
    page: str
    wall: str
    ties: tuple[tuple[str, str], ...]
    unplaced: tuple[tuple[str, str], ...]
    is_guess: bool
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
    known = _known(ranked, placed.course.baseline)
    first, *others = known or ranked
    assert first.costs is not None
    assert first.tiers is not None
    ties = [s for s in others if s.tiers and s.tiers[0] <= first.tiers[0]]
    return Best(
        course=wording.course(course),
        address=addresses.course(course),
        client=first.client,
        page=addresses.page("clients", first.client),
        wall=wording.time(first.costs.wall_us.estimate),
        ties=_links(ties),
        unplaced=_links(s for s in ranked if known and s not in known),
        is_guess=not known and len(ranked) > 1,
        among=wording.clients(len(ranked)),
        placed=placed,
    )


def _known(ranked: Sequence[StoredStanding], baseline: str) -> Sequence[StoredStanding]:
    """Those of these clients that could be told from others, the best first.

    The baseline's own ratio, 1, says nothing: that of another client must.
    """
    placed = {s.client for s in ranked if s.client != baseline and _is_placed(s)}
    return [s for s in ranked if placed and s.client in {*placed, baseline}]


def _is_placed(standing: StoredStanding) -> bool:
    """Whether its ratio to the baseline says anything."""
    wall = standing.wall
    if wall is None:
        return False
    return wall.ratio.estimate.is_telling or wall.verdict in (Verdict.FASTER, Verdict.SLOWER)


def _links(standings: Iterable[StoredStanding]) -> tuple[tuple[str, str], ...]:
    return tuple((s.client, addresses.page("clients", s.client)) for s in standings)
