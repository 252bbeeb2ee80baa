"""What the browser ranks anew is what Python ranks: tiers, leaders, reference, ratios, verdicts."""

from __future__ import annotations

import random
from typing import Any

from tests.browser.answering import START
from tests.browser.conftest import Open
from tests.unit.report import factory
from tests.unit.report.recomputed import must_agree

from fetchoff.model.analysis import ClientCard
from fetchoff.report.page.answer.traits import traits_of
from fetchoff.stats import subset

FILTERS = 200
ANALYSIS = factory.analysis()
CARDS = {card.client: card for card in ANALYSIS.cards}
RANKED = [client for client, card in CARDS.items() if card.kind != "floor"]
ALL = """(asked) => JSON.parse(JSON.stringify(asked.map(({ state, workload, clock }) => {
    const found = fetchoffReport.standings(state, workload, clock);
    const id = (number) => (number < 0 ? "" : fetchoffReport.data.clients[number].id);
    return {
        reference: id(found.reference),
        leaders: found.leaders.map(id),
        standings: found.standings.map((one) => ({ ...one, client: id(one.client) })),
    };
})))"""


def random_filter(chance: random.Random) -> dict[str, Any]:
    """What a reader could choose: some facets, a text, some clients left out, and a baseline."""

    def some(values: list[str], most: int) -> list[str]:
        chosen = chance.sample(values, chance.randint(0, most))
        return [f"-{value}" if chance.random() < 0.4 else value for value in chosen]

    return {
        **START,
        "language": some(["python", "ruby", "c", "javascript", "perl"], 3),
        "kind": some(["standard library", "third party", "command"], 1),
        "protocol": some(["h2", "h2c"], 1) if chance.random() < 0.3 else [],
        "capability": some(["cookies", "redirects", "concurrency"], 1),
        "text": chance.choice(["", "", "", "http", "-http", "curl", "e -r", "python"]),
        "plain": chance.random() < 0.3,
        "without": chance.sample(RANKED, chance.randint(0, 3)),
        "baseline": chance.choice(["", *RANKED, "who/knows"]),
    }


def passes(card: ClientCard, state: dict[str, Any]) -> bool:
    """Whether a client passes a filter, by the words of docs/results.md."""
    traits = traits_of(card, CARDS, kinds_known=True)
    for name, every in (("language", 0), ("kind", 0), ("protocol", 1), ("capability", 1)):
        values, chosen = getattr(traits, name), state[name]
        wanted = [value for value in chosen if not value.startswith("-")]
        if any(value[1:] in values for value in chosen if value.startswith("-")):
            return False
        if wanted and not (all if every else any)(value in values for value in wanted):
            return False
    told = (card.client, card.about, card.version, card.runtime, card.engine)
    text = " ".join(told).lower()
    for word in state["text"].split():
        if (word[1:] in text) if word.startswith("-") else (word not in text):
            return False
    return not (state["plain"] and traits.is_variant) and card.client not in state["without"]


def test_two_hundred_random_filters(visit: Open) -> None:
    seed = random.randrange(10**6)
    print(f"seed {seed}")
    chance = random.Random(seed)
    asked: list[dict[str, Any]] = [
        {
            "state": random_filter(chance),
            "workload": chance.choice(["small-get", "json-get"]),
            "clock": chance.choice(["wall", "cpu"]),
        }
        for _ in range(FILTERS)
    ]
    found = visit(unfolded=False).page.evaluate(ALL, asked)
    sizes = set()
    for question, answer in zip(asked, found, strict=True):
        state = question["state"]
        shown = {client for client in RANKED if passes(CARDS[client], state)}
        pairs = ANALYSIS.pairwise[question["workload"]][question["clock"]]
        expected = subset(pairs, shown, state["baseline"], margin=ANALYSIS.margin)
        must_agree(answer, expected)
        sizes.add(len(expected.standings))
    assert len(sizes) > 8  # the filters were of many kinds
