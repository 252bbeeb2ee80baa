"""What counts: batches of accepted attempts by processes that ended the section well."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fetchoff.analysis.checks import self_checks
from fetchoff.analysis.series import series_of
from fetchoff.model.course import Course
from fetchoff.model.experiment import Effect, Experiment, Role, with_controls
from fetchoff.model.link import Emulated
from fetchoff.model.observation import (
    Batch,
    Cost,
    Ended,
    Interrupted,
    Invocation,
    LinkUsed,
    Outcome,
    Record,
    SectionDone,
    Seen,
)
from fetchoff.model.workload import Exchange, Settings, Workload
from fetchoff.plan.rounds import iterations

WORKLOAD = Workload("w", "", (Exchange("GET", "/"), Exchange("GET", "/")))
OTHER = Workload("other", "", (Exchange("GET", "/"),))
ENTRANTS = with_controls((("a/x", "a", Role.RANKED), ("a/y", "a", Role.RANKED)))
BLOCKS = 2
EXPERIMENT = Experiment(ENTRANTS, (Course(WORKLOAD), Course(OTHER)), "a/x", 1, blocks=BLOCKS)
PLANNED = 100


def section(
    number: int, attempt: int, wall_ns: int, workload: str = "w", planned: int = PLANNED
) -> list[Record]:
    """A whole attempt: every batch costs `wall_ns` for each iteration that was done."""
    records: list[Record] = []
    for block in range(BLOCKS):
        for position, entrant in enumerate(ENTRANTS):
            n = iterations(entrant, planned)
            spun = n * 2 * 10 if entrant.effect is Effect.BUSY else 0
            cost = Cost(n * wall_ns, n * wall_ns // 2, n * wall_ns // 4, n * wall_ns, spun)
            records.append(
                Batch(
                    *(number, attempt, workload, block, position, entrant.key),
                    *(planned, n, n * 2, n * 2, 0),
                    cost,
                    Seen(n * 2, 0, 0, 0, 0),
                )
            )
    for process, client in {e.process: e.client for e in ENTRANTS}.items():
        records.append(Invocation(number, attempt, workload, process, client, Outcome.OK))
    return [*records, SectionDone(number, attempt, workload, 1.0)]


def test_costs_are_per_planned_exchange() -> None:
    series = series_of(EXPERIMENT, section(0, 0, 1000), "w")
    assert series.rounds == 1
    assert series.wall_ns.shape == (1, len(ENTRANTS))
    np.testing.assert_allclose(series.wall_ns[:, series.index("a/x")], 500)
    np.testing.assert_allclose(series.cpu_ns[:, series.index("a/x")], 250)
    np.testing.assert_allclose(series.origin_cpu_ns[:, series.index("a/x")], 125)
    np.testing.assert_allclose(series.wall_ns[:, series.index("a/x#more")], 500 * 1.03)
    np.testing.assert_allclose(series.spun_ns[:, series.index("a/x#busy")], 10)


def test_a_cost_is_total_time_over_total_exchanges() -> None:
    """A dear batch counts as what it is, and as much as it has exchanges."""
    records = section(0, 0, 1000)
    own = [r for r in records if isinstance(r, Batch) and r.entrant == "a/x"]
    slow = replace(own[0], cost=Cost(PLANNED * 9000, 0, 0, 0, 0))
    small = replace(own[1], planned=10, iterations=10, exchanges=20, cost=Cost(10_000, 1, 1, 1, 0))
    records = [slow, small, *(r for r in records if r not in own)]
    series = series_of(EXPERIMENT, records, "w")
    total_ns, exchanges = PLANNED * 9000 + 10 * 1000, 2 * (PLANNED + 10)
    column = series.index("a/x")
    assert series.wall_ns[0, column] == pytest.approx(total_ns / exchanges)
    assert series.logs("wall")[0, column] == pytest.approx(math.log(total_ns / exchanges))


def test_a_section_without_its_end_does_not_count() -> None:
    records = section(0, 0, 1000)[:-1]
    assert series_of(EXPERIMENT, records, "w").rounds == 0
    assert series_of(EXPERIMENT, records, "w").batches == ()


def test_only_the_accepted_attempt_counts() -> None:
    cut = [r for r in section(0, 0, 7000) if isinstance(r, Batch)][:3]
    other = section(0, 0, 9000, workload="other")
    records = [
        *cut,
        Interrupted(0, 0, "w", "why"),
        *other,
        *section(0, 1, 1000),
        Ended("budget", 1),
    ]
    series = series_of(EXPERIMENT, records, "w")
    assert {batch.attempt for batch in series.batches} == {1}
    assert len(series.batches) == BLOCKS * len(ENTRANTS)
    np.testing.assert_allclose(series.wall_ns[:, series.index("a/x")], 500)


def test_a_process_that_did_not_end_well_does_not_count() -> None:
    records = [
        replace(r, outcome=Outcome.INVALID)
        if isinstance(r, Invocation) and r.process == "a/x#known"
        else r
        for r in section(0, 0, 1000)
    ]
    series = series_of(EXPERIMENT, records, "w")
    counted = {batch.entrant for batch in series.batches}
    assert counted == {"a/x", "a/x#twin", "a/y"}
    assert math.isnan(series.wall_ns[0, series.index("a/x#busy")])


WRONG_CONTENT = "the content of GET / is not what the origin sent"


def test_who_once_answered_wrong_does_not_count_in_any_round() -> None:
    """Nor do further processes of that client, which are its controls."""
    records = [
        replace(r, outcome=Outcome.FAILED, message=WRONG_CONTENT, answered_wrong=True)
        if isinstance(r, Invocation) and (r.round, r.process) == (1, "a/x#twin")
        else r
        for number in range(3)
        for r in section(number, 0, 1000)
    ]
    series = series_of(EXPERIMENT, records, "w")
    assert {batch.entrant for batch in series.batches} == {"a/y"}
    assert [(i.round, i.client) for i in series.wrong] == [(1, "a/x")]
    assert series.rounds == 3


def test_rounds_keep_their_order() -> None:
    records = [r for number in (3, 0, 7) for r in section(number, 0, 1000 * (number + 1))]
    series = series_of(EXPERIMENT, records, "w")
    assert series.rounds == 3
    np.testing.assert_allclose(series.wall_ns[:, series.index("a/x")], [500, 2000, 4000])


def over_link(number: int, attempt: int, fault: str, workload: str = "w") -> LinkUsed:
    return LinkUsed(number, attempt, workload, Emulated(9, 0, 0, 0, 0, 0, 0), fault)


def test_a_round_over_a_link_that_did_not_keep_up_does_not_count() -> None:
    records = [
        *(*section(0, 0, 1000), over_link(0, 0, "")),
        *(*section(1, 0, 9000), over_link(1, 0, "late")),
        *(*section(2, 0, 3000), over_link(2, 0, "late", "other"), over_link(2, 1, "late")),
    ]
    series = series_of(EXPERIMENT, records, "w")
    assert series.samples == (("", 0), ("", 2))
    assert {batch.round for batch in series.batches} == {0, 2}
    assert {invocation.round for invocation in series.invocations} == {0, 2}
    np.testing.assert_allclose(series.wall_ns[:, series.index("a/x")], [500, 1500])


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 40)), max_size=6))
def test_kills_anywhere_leave_each_slot_once(kills: list[tuple[int, int]]) -> None:
    """Attempts of a round that were cut off after some records, then one that came to its end."""
    records: list[Record] = []
    attempts: dict[int, int] = {}
    for number, cut in kills:
        attempt = attempts.get(number, 0)
        written = section(number, attempt, 9000)[:-1][:cut]
        records += written
        attempts[number] = attempt + bool(written)
    for number in range(4):
        records += section(number, attempts.get(number, 0), 1000)
    series = series_of(EXPERIMENT, records, "w")
    slots = [batch.slot for batch in series.batches]
    assert len(slots) == len(set(slots)) == 4 * BLOCKS * len(ENTRANTS)
    assert np.nanmax(series.wall_ns[:, series.index("a/x")]) == 500


@pytest.mark.parametrize(("planned", "checked"), [(4, True), (3, False), (1, False)])
def test_more_requests_are_checked_where_a_batch_has_many(planned: int, checked: bool) -> None:
    records = [r for n in range(3) for r in section(n, 0, 1000, planned=planned)]
    found = self_checks(EXPERIMENT, [series_of(EXPERIMENT, records, "w")], {})
    kinds = {check.kind for check in found}
    assert kinds == {"a/a", "busy time"} | ({"more requests"} if checked else set())


def test_with_several_in_flight_nobody_is_asked_for_busy_time() -> None:
    """Nor in an older run, which has batches of it."""
    parallel = replace(WORKLOAD, settings=Settings(concurrency=10))
    asked = replace(EXPERIMENT, courses=(Course(parallel),))
    records = [r for n in range(3) for r in section(n, 0, 1000)]
    found = self_checks(asked, [series_of(asked, records, "w")], {})
    assert {check.kind for check in found} == {"a/a", "more requests"}
