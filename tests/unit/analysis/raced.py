"""Made-up records of clients that race each other over loopback, in rounds of a few batches."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from fetchoff.analysis.analyse import RunFacts, analyse
from fetchoff.model.analysis import Analysis, RankingRow
from fetchoff.model.course import Course
from fetchoff.model.experiment import SELDOM, Entrant, Experiment
from fetchoff.model.observation import (
    Batch,
    Cost,
    Invocation,
    Outcome,
    Record,
    SectionDone,
    Seen,
    Usage,
)
from fetchoff.model.workload import Exchange, Expect, Workload

COURSE = Course(Workload("get", "GET", (Exchange("GET", "/", expect=Expect(bytes=16)),)))
EXCHANGES = 1000
US = 100_000  # nanoseconds of an exchange that costs 1


@dataclass(frozen=True)
class Raced:
    """`costs`: by client, the logarithm of its cost in each round. `ended`: who ended otherwise
    than well in a round, and how. `seldom`: who takes part in every third round only. `waits`: by
    client, how many times its CPU time the wall time is, 1 if not named."""

    costs: Mapping[str, Sequence[float]]
    pair_only: bool = False
    blocks: int = 1
    limit: float | None = None
    ended: Mapping[tuple[int, str], Invocation] = field(default_factory=dict)
    seldom: frozenset[str] = frozenset()
    waits: Mapping[str, float] = field(default_factory=dict)

    @property
    def experiment(self) -> Experiment:
        entrants = tuple(
            Entrant(client, client, client, seldom=client in self.seldom) for client in self.costs
        )
        first = next(iter(self.costs))
        return Experiment(
            entrants,
            (COURSE,),
            first,
            seed=1,
            blocks=self.blocks,
            pair_only=self.pair_only,
            limit=self.limit,
        )

    def records(self) -> list[Record]:
        rounds = len(next(iter(self.costs.values())))
        return [record for number in range(rounds) for record in self.round(number)]

    def round(self, number: int) -> list[Record]:
        """What a round leaves in the journal; its number is counted from 0."""
        records: list[Record] = []
        for client, costs in self.costs.items():
            if client in self.seldom and number % SELDOM:
                continue
            ns = round(EXCHANGES * US * math.exp(costs[number]))
            n = EXCHANGES
            for block in range(self.blocks):
                key = (number, 0, COURSE.id, block, 0, client)
                wall_ns = round(ns * self.waits.get(client, 1))
                cost = Cost(wall_ns, ns, ns // 4, wall_ns)
                records.append(Batch(*key, n, n, n, n, 0, cost, Seen(n)))
            records.append(self.ended.get((number, client), _well(number, client)))
        return [*records, SectionDone(number, 0, COURSE.id, 1.0)]

    def analysis(self, records: Sequence[Record] = ()) -> Analysis:
        """Of a run with these records, or with all."""
        facts = RunFacts("id", "title", "2026-11-20", self.experiment, (), (), {}, ())
        return analyse(facts, records or self.records())

    def standings(self, records: Sequence[Record] = ()) -> dict[str, RankingRow]:
        """By client, from the best on: of a run with these records, or with all."""
        (result,) = self.analysis(records).results
        return {standing.client: standing for standing in result.standings}


def _well(number: int, client: str) -> Invocation:
    usage = Usage(50, 50, 20_000)
    return Invocation(number, 0, COURSE.id, client, client, Outcome.OK, usage=usage)


def ill(
    number: int, client: str, outcome: Outcome, message: str, *, answered_wrong: bool = False
) -> dict[tuple[int, str], Invocation]:
    """How a client ended in a round, for `ended`."""
    ended = Invocation(
        *(number, 0, COURSE.id, client, client, outcome, message), answered_wrong=answered_wrong
    )
    return {(number, client): ended}
