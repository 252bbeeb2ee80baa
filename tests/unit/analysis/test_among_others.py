"""An exchange right after others had the core, of clients that forget while they wait."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from tests.unit.analysis import planted

from fetchoff.analysis.analyse import RunFacts, analyse
from fetchoff.model.observation import Record, Turns

COLD = 1.7
"""How many times as much a first exchange costs, in every lead."""


def cold_us(records: list[Record]) -> dict[str, float]:
    """By client, as a run of these records tells it."""
    asked = planted.experiment()
    facts = RunFacts("id", "title", "2026-11-26", asked, (), (), {}, ())
    (result,) = analyse(facts, records).results
    costs = {row.client: row.costs for row in result.standings}
    return {client: cost.among_others_us for client, cost in costs.items() if cost is not None}


def with_first(turns: Turns) -> Turns:
    first_ns = round(1000 * COLD * planted.COSTS_US[turns.entrant.partition("#")[0]])
    return replace(turns, first_cpu_ns=(first_ns,) * len(turns.exchanges))


def test_it_is_the_cost_of_first_exchanges_and_not_of_leads() -> None:
    records = planted.sound(7)
    firsts = [with_first(one) if isinstance(one, Turns) else one for one in records]
    found = cold_us(firsts)
    assert found == pytest.approx({c: COLD * us for c, us in planted.COSTS_US.items()}, rel=1e-3)


def test_records_of_before_it_was_kept_do_not_tell() -> None:
    assert all(math.isnan(us) for us in cold_us(planted.sound(7)).values())
