"""The view model of the first screen: plain data that the page's scripts filter and lay out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fetchoff.model.analysis import Analysis, ClientCard, RankingRow, WorkloadResult
from fetchoff.model.experiment import Role
from fetchoff.report.metrics.groups import groups_of
from fetchoff.report.page.answer.aspects import ASPECTS, Aspect
from fetchoff.report.page.answer.packing import PackedPairs, packed
from fetchoff.report.page.answer.traits import Facet, Traits, facets_of, traits_of
from fetchoff.report.wording import findings, sentences
from fetchoff.report.wording.figures import significant
from fetchoff.report.wording.installing import install


@dataclass(frozen=True)
class Shown:
    """A client: how it is found, and what its own page says. `card`: where its program stands."""

    id: str
    traits: Traits
    about: str
    homepage: str
    version: str
    runtime: str
    engine: str
    install: str
    parser: str
    source_name: str
    lines: int
    card: str
    ranked: bool


@dataclass(frozen=True)
class Figures:
    """What the clients of a workload have by one aspect, in the order of the document's clients;
    None and "" where a client has none."""

    values: tuple[float | None, ...]
    texts: tuple[str, ...]


@dataclass(frozen=True)
class Column:
    """A workload. `withheld`: why nothing is ranked on it, or "". `absent`: what became of clients
    without figures; `notes`: what must be known beside figures; both by number of the client.
    `explained`: where the page says why a client is slow. `pairs`: by clock. `clocks_apart`: how
    far the own clock of a client's adapter is off, by number, where that is much."""

    id: str
    title: str
    about: str
    anchor: str
    rounds: int
    baseline: str
    withheld: str
    figures: Mapping[str, Figures]
    absent: Mapping[int, str]
    notes: Mapping[int, tuple[str, ...]]
    explained: Mapping[int, str]
    pairs: Mapping[str, PackedPairs]
    clocks_apart: Mapping[int, float]


@dataclass(frozen=True)
class AspectView:
    """An aspect as the switch shows it."""

    key: str
    label: str
    about: str
    best: str
    pairs: str
    more_is_better: bool
    anchor: str


@dataclass(frozen=True)
class Document:
    """Everything that the scripts know. `alpha` is in words."""

    run: str
    title: str
    alpha: str
    aspects: tuple[AspectView, ...]
    facets: tuple[Facet, ...]
    clients: tuple[Shown, ...]
    workloads: tuple[Column, ...]


@dataclass(frozen=True)
class Places:
    """Where the rest of the page is: anchors of clients' programs and of workloads' sections, and
    of the explanations of clients by workload."""

    clients: Mapping[str, str]
    workloads: Mapping[str, str]
    explained: Mapping[str, Mapping[str, str]]


def document_of(analysis: Analysis, places: Places) -> Document:
    """The view model of a run. Floors are in it as clients that are not ranked."""
    cards = {card.client: card for card in analysis.cards}
    rows = [row for result in analysis.results for row in result.standings]
    ids = list(dict.fromkeys([*cards, *(r.client for r in rows if r.role is not Role.CONTROL)]))
    ranked = {row.client for row in rows if row.role is Role.RANKED}
    numbers = {client: number for number, client in enumerate(ids)}
    kinds_known = any(card.features for card in analysis.cards)
    clients = tuple(
        _shown(
            cards.get(client) or _unknown(client),
            places.clients.get(client, ""),
            ids,
            kinds_known=kinds_known,
            ranked=client in ranked,
        )
        for client in ids
    )
    columns = tuple(_column(analysis, result, numbers, places) for result in analysis.results)
    told = [aspect for aspect in ASPECTS if any(_is_told(aspect, c) for c in columns)]
    return Document(
        run=analysis.run_id,
        title=analysis.title,
        alpha=f"{100 * analysis.alpha:g} %",
        aspects=tuple(map(_aspect, told)),
        facets=facets_of([client.traits for client in clients if client.ranked]),
        clients=clients,
        workloads=columns,
    )


def _aspect(aspect: Aspect) -> AspectView:
    return AspectView(
        key=aspect.key,
        label=aspect.label,
        about=aspect.about,
        best=aspect.best,
        pairs=aspect.pairs,
        more_is_better=aspect.more_is_better,
        anchor=aspect.anchor,
    )


def _is_told(aspect: Aspect, column: Column) -> bool:
    return any(value is not None for value in column.figures[aspect.key].values)


def _shown(
    card: ClientCard, anchor: str, clients: Sequence[str], *, kinds_known: bool, ranked: bool
) -> Shown:
    return Shown(
        id=card.client,
        traits=traits_of(card, clients, kinds_known=kinds_known),
        about=card.about,
        homepage=card.homepage,
        version=card.version,
        runtime=card.runtime,
        engine=card.engine,
        install=install(card),
        parser=card.json_parser,
        source_name=card.source_name,
        lines=card.adapter_lines,
        card=anchor,
        ranked=ranked,
    )


def _unknown(client: str) -> ClientCard:
    """Of a client that could not even be started, nothing but its name is known."""
    language = client.partition("/")[0]
    return ClientCard(client, "product", "", "", "", "", "", language, "", "", 0)


def _column(
    analysis: Analysis, result: WorkloadResult, numbers: Mapping[str, int], places: Places
) -> Column:
    groups = groups_of(result)
    measured = {row.client: row for row in groups.measured}
    pairs = {} if result.withheld else analysis.pairwise.get(result.workload, {})
    explained = places.explained.get(result.workload, {})
    return Column(
        id=result.workload,
        title=sentences.title(result),
        about=result.about,
        anchor=places.workloads[result.workload],
        rounds=result.rounds,
        baseline=result.baseline,
        withheld=findings.reason(result.withheld) if result.withheld else "",
        figures={aspect.key: _figures(aspect, numbers, measured) for aspect in ASPECTS},
        absent={numbers[row.client]: _absence(row) for row in groups.left_out},
        notes={
            numbers[row.client]: told
            for row in groups.measured
            if (told := tuple(filter(None, (findings.message(row), *findings.notes(row)))))
        },
        explained={numbers[c]: anchor for c, anchor in explained.items() if c in numbers},
        pairs={
            clock: packed(found, dict(numbers), analysis.margin) for clock, found in pairs.items()
        },
        clocks_apart={
            numbers[row.client]: row.clocks_apart for row in groups.measured if row.clocks_apart
        },
    )


def _absence(row: RankingRow) -> str:
    said = findings.message(row)
    return f"{row.outcome.value}: {said}" if said else row.outcome.value


def _figures(
    aspect: Aspect, clients: Mapping[str, int], measured: Mapping[str, RankingRow]
) -> Figures:
    found = [
        aspect.figure(row.costs) if (row := measured.get(client)) and row.costs else None
        for client in clients
    ]
    return Figures(
        values=tuple(significant(figure.value) if figure else None for figure in found),
        texts=tuple(figure.text if figure else "" for figure in found),
    )
