"""Everything that a site tells, by what it's about. Newest first wherever there is an order."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from fetchoff.model.course import parts_of
from fetchoff.model.experiment import Role
from fetchoff.model.results_file import (
    StoredArticle,
    StoredAsked,
    StoredCard,
    StoredCause,
    StoredDiagnosis,
    StoredFault,
)
from fetchoff.report.site import addresses
from fetchoff.report.site.entries import Found, History, Placed, Run

HALF = 2  # a run speaks for a course if it ranks at least one of so many clients of the widest


@dataclass(frozen=True)
class Judged:
    """An article's claims, as a run judged them."""

    run: Run
    article: StoredArticle


@dataclass(frozen=True)
class Seen:
    """A fault that a run found in a client."""

    run: Run
    diagnosis: StoredDiagnosis
    cause: StoredCause


@dataclass
class Collection:
    """The index of a site, by the names in the files.

    Of what there can only be one (a client's card, a link, the words for a fault, the diagnosis of
    a client on a course), it's the newest of the user's own, or else of others.
    """

    runs: tuple[Run, ...]
    histories: tuple[History, ...]
    courses: dict[str, list[Placed]] = field(default_factory=lambda: defaultdict(list))
    of_client: dict[str, dict[str, list[Found]]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(list))
    )
    sources: dict[str, list[Judged]] = field(default_factory=lambda: defaultdict(list))
    faults: dict[str, list[Seen]] = field(default_factory=lambda: defaultdict(list))
    cards: dict[str, StoredCard] = field(default_factory=dict)
    links: dict[str, StoredAsked] = field(default_factory=dict)
    fault_words: dict[str, StoredFault] = field(default_factory=dict)
    explained: dict[str, dict[str, StoredDiagnosis]] = field(
        default_factory=lambda: defaultdict(dict)
    )

    def over(self, link: str) -> list[str]:
        """The courses that go over a link."""
        return sorted(course for course in self.courses if parts_of(course)[1] == link)

    def client_page(self, client: str) -> str:
        """The page of a client; "" if it took part in no course."""
        return addresses.page("clients", client) if client in self.of_client else ""

    def course_page(self, course: str) -> str:
        """Where a course is shown; "" if no run has it."""
        return addresses.course(course) if course in self.courses else ""


def collect(runs: Iterable[Run], histories: Iterable[History] = ()) -> Collection:
    """Index runs and histories; their order does not matter."""
    whole = Collection(
        tuple(sorted(runs, key=lambda run: (run.moment, run.name), reverse=True)),
        tuple(sorted(histories, key=lambda one: (one.moment, one.address), reverse=True)),
    )
    for run in whole.runs:
        _add_courses(whole, run)
        _add_claims(whole, run)
        _add_findings(whole, run)
    for run in sorted(whole.runs, key=lambda run: run.by != ""):
        _add_single(whole, run)
    return whole


def speaker(placed: Sequence[Placed], language: str = "") -> Placed | None:
    """The run that speaks for a course, or for the clients of a language on it.

    That is the newest of those that rank at least half as many clients as the widest of them, so
    that a comparison of two doesn't take the place of a ranking of thirty. Runs of others speak
    only where none of the user's ranks anybody: each may be withheld.
    """
    for chosen in (
        [one for one in placed if not one.run.by],
        [one for one in placed if one.run.by],
    ):
        counts = [sum(_is_of(s.client, language) for s in one.ranked) for one in chosen]
        widest = max(counts, default=0)
        for one, count in zip(chosen, counts, strict=True):
            if widest and count * HALF >= widest:
                return one
    return None


def language_of(client: str) -> str:
    """The first part of a client's id."""
    return client.partition("/")[0]


def _is_of(client: str, language: str) -> bool:
    return not language or language_of(client) == language


def _add_courses(whole: Collection, run: Run) -> None:
    for placed in run.courses:
        course = placed.course
        whole.courses[course.workload].append(placed)
        for standing in course.standings:
            if standing.role is not Role.CONTROL:
                whole.of_client[standing.client][course.workload].append(Found(placed, standing))


def _add_claims(whole: Collection, run: Run) -> None:
    if run.file.article:
        whole.sources[run.file.article.id].append(Judged(run, run.file.article))


def _add_findings(whole: Collection, run: Run) -> None:
    for explanation in run.file.explanations:
        for cause in explanation.diagnosis.causes:
            whole.faults[cause.fault].append(Seen(run, explanation.diagnosis, cause))


def _add_single(whole: Collection, run: Run) -> None:
    for card in run.file.cards:
        whole.cards.setdefault(card.client, card)
    for course in run.file.results:
        if course.link:
            whole.links.setdefault(parts_of(course.workload)[1], course.link.asked)
    for explanation in run.file.explanations:
        diagnosis = explanation.diagnosis
        whole.explained[diagnosis.client].setdefault(diagnosis.course, diagnosis)
        for fault in explanation.known:
            whole.fault_words.setdefault(fault.id, fault)
