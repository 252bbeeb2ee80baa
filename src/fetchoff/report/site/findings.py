"""Findings: a page for each known fault that a run named, and clients against faults."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fetchoff.report.site import addresses
from fetchoff.report.site.collection import Collection, Seen
from fetchoff.report.site.entries import Run
from fetchoff.report.site.page import Entry, Page, listing
from fetchoff.report.wording import causes
from fetchoff.report.wording import site as wording

LEAD = (
    "Known faults of HTTP clients that “fetchoff explain” found in at least one of them. "
    "A fault is found in a recording of single exchanges, and where it can be, it's tried: one "
    "factor is changed, and both ways are measured."
)


@dataclass(frozen=True)
class Sighting:
    """A fault in a client: what was seen, predicted and tried, in words; "" if nothing was."""

    fault: str
    title: str
    page: str
    client: str
    client_page: str
    course: str
    course_page: str
    seen: str
    predicted: str
    tried: str
    cure: str
    run: Run


@dataclass(frozen=True)
class Cell:
    """A client and a fault. `state`: `seen`, `unasked`, or "" if it was not seen."""

    state: str
    address: str


@dataclass(frozen=True)
class Row:
    """A client of the matrix."""

    client: str
    page: str
    cells: tuple[Cell, ...]


def pages(whole: Collection) -> Iterator[Page]:
    """The listing, a page for each fault, and the matrix; nothing if no run explained a client."""
    if not whole.explained:
        return
    faults = sorted(whole.faults)
    yield listing(
        addresses.listing("findings"),
        "Findings",
        LEAD,
        [_entry(whole, fault) for fault in faults],
        "clients",
    )
    yield _matrix(whole, faults)
    for fault in faults:
        yield _page(whole, fault)


def sighting(whole: Collection, seen: Seen) -> Sighting:
    """A fault that was found, in words."""
    cause, diagnosis = seen.cause.cause, seen.diagnosis
    return Sighting(
        fault=cause.fault,
        title=title_of(whole, cause.fault),
        page=addresses.page("findings", cause.fault),
        client=diagnosis.client,
        client_page=whole.client_page(diagnosis.client),
        course=wording.course(diagnosis.course),
        course_page=whole.course_page(diagnosis.course),
        seen=causes.often(cause.count, cause.of),
        predicted=causes.predicted(cause),
        tried=causes.tried(cause),
        cure=causes.here(cause) if cause.cure else "",
        run=seen.run,
    )


def title_of(whole: Collection, fault: str) -> str:
    """What a fault is called; its id if no run tells."""
    words = whole.fault_words.get(fault)
    return words.title if words else fault


def _entry(whole: Collection, fault: str) -> Entry:
    clients = {seen.diagnosis.client for seen in whole.faults[fault]}
    words = whole.fault_words.get(fault)
    return Entry(
        addresses.page("findings", fault),
        title_of(whole, fault),
        words.signal if words else "",
        (str(len(clients)),),
    )


def _page(whole: Collection, fault: str) -> Page:
    words = whole.fault_words.get(fault)
    return Page(
        addresses.page("findings", fault),
        title_of(whole, fault),
        "finding.html.j2",
        {
            "id": fault,
            "words": words,
            "found": [sighting(whole, seen) for seen in whole.faults[fault]],
        },
        kind="finding",
        words=f"{fault} {words.signal}" if words else fault,
    )


def _matrix(whole: Collection, faults: list[str]) -> Page:
    headings = [
        (fault, title_of(whole, fault), addresses.page("findings", fault)) for fault in faults
    ]
    return Page(
        addresses.BEHAVIOUR,
        "Behaviour",
        "behaviour.html.j2",
        {
            "headings": headings,
            "rows": [_row(whole, client, faults) for client in sorted(whole.explained)],
        },
        kind="page",
        words="matrix of clients and findings",
    )


def _row(whole: Collection, client: str, faults: list[str]) -> Row:
    diagnoses = whole.explained[client].values()
    seen = {cause.fault for diagnosis in diagnoses for cause in diagnosis.causes}
    unasked = {fault for diagnosis in diagnoses for fault in diagnosis.silent}
    cells = tuple(
        Cell(
            "seen" if fault in seen else "unasked" if fault in unasked else "",
            addresses.page("findings", fault),
        )
        for fault in faults
    )
    return Row(client, whole.client_page(client), cells)
