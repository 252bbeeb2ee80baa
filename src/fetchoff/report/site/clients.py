"""A page for each client: what it is, all its figures over runs, its findings and its relatives."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from fetchoff.model.results_file import StoredCard
from fetchoff.report.site import addresses
from fetchoff.report.site.collection import Collection, Seen
from fetchoff.report.site.entries import History
from fetchoff.report.site.findings import Sighting, sighting
from fetchoff.report.site.page import Entry, Page, listing
from fetchoff.report.site.tables import over_runs

LEAD = "Every client that took part in a run, with its newest version."
_LIBRARY = re.compile(r"[^+@~]*")


@dataclass(frozen=True)
class Fact:
    """A line of what is known of a client. `href`: an address of the web, or ""."""

    name: str
    value: str
    href: str = ""


def pages(whole: Collection) -> Iterator[Page]:
    """The listing, and a page for each."""
    found = _seen_in(whole)
    relatives = _relatives(whole)
    histories: dict[str, list[History]] = defaultdict(list)
    for history in whole.histories:
        histories[library_of(history.file.client)].append(history)
    clients = sorted(whole.of_client)
    yield listing(
        addresses.listing("clients"),
        "Clients",
        LEAD,
        [_entry(whole, client) for client in clients],
        "version",
        "workloads",
        "runs",
    )
    for client in clients:
        library = library_of(client)
        yield _page(whole, client, found.get(client, ()), relatives[library], histories[library])


def library_of(client: str) -> str:
    """A client's id without variant, version and runtime."""
    match = _LIBRARY.match(client)
    return match[0] if match else client


def _relatives(whole: Collection) -> Mapping[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for client in sorted(whole.of_client):
        found[library_of(client)].append(client)
    return found


def _entry(whole: Collection, client: str) -> Entry:
    courses = whole.of_client[client]
    card = whole.cards.get(client)
    runs = {one.placed.run.name for found in courses.values() for one in found}
    return Entry(
        addresses.page("clients", client),
        client,
        card.about if card else "",
        (card.version if card else "", str(len(courses)), str(len(runs))),
    )


def _page(
    whole: Collection,
    client: str,
    found: Sequence[Sighting],
    relatives: Sequence[str],
    histories: Sequence[History],
) -> Page:
    card = whole.cards.get(client)
    courses = whole.of_client[client]
    return Page(
        addresses.page("clients", client),
        client,
        "client.html.j2",
        {
            "about": card.about if card else "",
            "facts": _facts(card) if card else (),
            "relatives": [
                (other, addresses.page("clients", other)) for other in relatives if other != client
            ],
            "courses": [over_runs(client, course, courses[course]) for course in sorted(courses)],
            "found": found,
            "was_explained": client in whole.explained,
            "histories": histories,
        },
        kind="client",
        words=" ".join((card.about, card.version, card.engine)) if card else "",
    )


def _facts(card: StoredCard) -> tuple[Fact, ...]:
    told = (
        Fact("version", card.version),
        Fact("runtime", card.runtime),
        Fact("HTTP by", card.engine),
        Fact("homepage", card.homepage, card.homepage),
        Fact("sample program", f"{card.adapter_lines} lines" if card.adapter_lines else ""),
    )
    return tuple(fact for fact in told if fact.value)


def _seen_in(whole: Collection) -> Mapping[str, list[Sighting]]:
    """By client: each fault once for each course, as the newest run has it."""
    newest: dict[tuple[str, str, str], Seen] = {}
    for fault in sorted(whole.faults):
        for seen in whole.faults[fault]:
            newest.setdefault((fault, seen.diagnosis.client, seen.diagnosis.course), seen)
    found: dict[str, list[Sighting]] = defaultdict(list)
    for seen in newest.values():
        found[seen.diagnosis.client].append(sighting(whole, seen))
    return found
