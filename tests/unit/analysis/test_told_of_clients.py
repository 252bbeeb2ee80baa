"""What a reader must know of a client beside its figures: told where it is so, and only there."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import pytest
from tests.unit.analysis.raced import US, Raced, ill

from fetchoff.analysis.limits import kept
from fetchoff.model.analysis import RankingRow
from fetchoff.model.estimate import LimitAnswer, Verdict
from fetchoff.model.finding import Clock
from fetchoff.model.observation import Batch, Cost, Invocation, Outcome, Record
from fetchoff.report.wording.findings import notes

Change = Callable[[Record], Record]
BLOCKS = 10
RACED = Raced(
    {
        "a/slow": [0.40, 0.41, 0.40, 0.40, 0.39, 0.42, 0.40],
        "a/fast": [0.00, 0.01, 0.00, 0.02, 0.00, 0.01, 0.00],
    },
    blocks=BLOCKS,
)


def rows(*changes: Change) -> dict[str, RankingRow]:
    """Of a run whose records were changed in these ways, one after the other."""
    records = RACED.records()
    for change in changes:
        records = [change(record) for record in records]
    return RACED.standings(records)


def of_batches(client: str, change: Callable[[Batch], Cost]) -> Change:
    """Another cost for each batch of a client."""

    def changed(record: Record) -> Record:
        if isinstance(record, Batch) and record.entrant == client:
            return replace(record, cost=change(record))
        return record

    return changed


def unsteady(record: Record) -> Record:
    """In two rounds the faster client went on getting cheaper."""
    if isinstance(record, Invocation) and record.client == "a/fast" and record.round in (1, 4):
        return replace(record, is_steady=False, curve=((100, 90.0), (4000, 60.0)))
    return record


def cut_off(record: Record) -> Record:
    """In two rounds its warm-up ended before a trend could be looked for."""
    changed = unsteady(record)
    if isinstance(changed, Invocation) and not changed.is_steady:
        return replace(changed, was_tested=False)
    return record


def one_in_ten_is_dear(batch: Batch) -> Cost:
    """Such as by a collector's pause."""
    return replace(batch.cost, cpu_ns=batch.cost.cpu_ns * (3 if batch.block == 4 else 1))


def two_processes_are_dear(batch: Batch) -> Cost:
    """By two thirds."""
    by = 5 / 3 if batch.round in (1, 4) else 1.0
    wall_ns, cpu_ns = (round(by * ns) for ns in (batch.cost.wall_ns, batch.cost.cpu_ns))
    return replace(batch.cost, wall_ns=wall_ns, own_wall_ns=wall_ns, cpu_ns=cpu_ns)


WAITING = of_batches("a/fast", lambda b: replace(b.cost, origin_cpu_ns=round(0.8 * b.cost.wall_ns)))
MOVING = of_batches("a/fast", lambda b: replace(b.cost, origin_cpu_ns=2 * b.cost.wall_ns))


def off(client: str, share: float) -> Change:
    """Its adapter's own clock is off by so much."""
    return of_batches(
        client, lambda b: replace(b.cost, own_wall_ns=round((1 - share) * b.cost.wall_ns))
    )


OFF = off("a/fast", 0.3)
PAUSING = of_batches("a/fast", one_in_ten_is_dear)
UNLIKE = of_batches("a/fast", two_processes_are_dear)


def told(row: RankingRow) -> str:
    return "; ".join(notes(row))


def test_of_most_clients_there_is_nothing_to_tell() -> None:
    assert [told(row) for row in rows().values()] == ["", ""]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (unsteady, "still getting cheaper after 4,000 exchanges in 2 of 7 rounds"),
        (cut_off, "its warm-up was cut off after 4,000 exchanges in 2 of 7 rounds"),
        (WAITING, "the origin takes 80 % of the wall time"),
        (MOVING, "faster than the baseline in its own CPU time, but slower with the origin's"),
        (OFF, "its own clock is 30 % off"),
        (PAUSING, "more on average than in an ordinary batch"),
        (UNLIKE, "its processes differ so much that they cost 3 % more on average"),
    ],
    ids=[
        "unsteady",
        "cut off",
        "waits for the origin",
        "moves work",
        "own clock",
        "pauses",
        "unlike",
    ],
)
def test_it_is_told_of_whom_it_is_true(change: Change, said: str) -> None:
    found = rows(change)
    assert said in told(found["a/fast"])
    assert told(found["a/slow"]) == ""


def test_several_things_are_told_one_after_the_other() -> None:
    said = told(rows(unsteady, OFF)["a/fast"])
    assert said.index("still getting cheaper") < said.index("its own clock")


@pytest.mark.parametrize(
    ("client", "share", "whose", "verdict"),
    [
        ("a/fast", 0.05, "", Verdict.FASTER),
        ("a/fast", 0.3, "its own clock", Verdict.FASTER),  # it takes 33 % less
        ("a/fast", 0.4, "its own clock", Verdict.UNDECIDED),
        ("a/slow", 0.3, "", Verdict.FASTER),
        ("a/slow", 0.4, "the baseline's own clock", Verdict.UNDECIDED),
        ("a/slow", -1.5, "the baseline's own clock", Verdict.UNDECIDED),
    ],
)
def test_no_verdict_rests_on_clocks_that_are_further_apart_than_it_finds(
    client: str, share: float, whose: str, verdict: Verdict
) -> None:
    row = rows(off(client, share))["a/fast"]
    assert row.wall is not None and row.cpu is not None
    assert (row.wall.verdict, row.cpu.verdict) == (verdict, Verdict.FASTER)
    assert told(row).startswith(whose) and bool(told(row)) is bool(whose)
    assert ("no verdict in wall time" in told(row)) is (verdict is Verdict.UNDECIDED)


THREE = replace(RACED, costs={**RACED.costs, "a/far": [x + 2.0 for x in RACED.costs["a/slow"]]})


@pytest.mark.parametrize(
    ("client", "share", "tiers"),
    [
        ("a/fast", 0.3, [(1, 1), (2, 2), (3, 3)]),
        ("a/fast", 0.4, [(1, 1), (1, 1), (2, 2)]),  # it takes 33 % less than the baseline
        ("a/slow", 0.4, [(1, 1), (1, 1), (2, 2)]),
        ("a/far", 0.4, [(1, 1), (2, 2), (3, 3)]),  # ×7 and ×11 are no matter of clocks
        ("a/far", 0.9, [(1, 1), (2, 2), (2, 2)]),  # ×7 is
        ("a/far", -1.5, [(1, 1), (2, 2), (1, 2)]),  # its clock tells nothing
    ],
)
def test_nor_does_a_tier(client: str, share: float, tiers: list[tuple[int, int]]) -> None:
    records = [off(client, share)(record) for record in THREE.records()]
    found = THREE.standings(records)
    assert [found[name].tiers for name in ("a/fast", "a/slow", "a/far")] == tiers


def test_nor_what_the_page_ranks_parts_of() -> None:
    records = [off("a/far", 0.9)(record) for record in THREE.records()]
    pairs = THREE.analysis(records).pairwise["get"]
    assert pairs["wall"].clients == ("a/fast", "a/slow", "a/far")
    assert [list(pairs[clock].shown) for clock in ("wall", "cpu")] == [[1, 1, 0], [1, 1, 1]]


def test_a_slower_client_is_judged_by_its_clock_as_a_faster_one_is() -> None:
    """By its own, `a/far` takes less than the baseline, which takes 86 % less by the harness's."""
    for share, verdict in ((0.85, Verdict.SLOWER), (0.9, Verdict.UNDECIDED)):
        records = [off("a/far", share)(record) for record in THREE.records()]
        row = THREE.standings(records)["a/far"]
        assert row.wall is not None and row.wall.verdict is verdict


@pytest.mark.parametrize(
    ("share", "answer"), [(0.05, LimitAnswer.WITHIN), (0.4, LimitAnswer.UNCLEAR)]
)
def test_no_limit_is_judged_by_such_clocks_either(share: float, answer: LimitAnswer) -> None:
    found = rows(off("a/fast", share))
    judged = kept(replace(RACED.experiment, limit=0.03), "w", "a/slow", list(found.values()))
    own = {one.clock: one for one in judged if one.client == "a/fast"}
    by_clock = {clock: (one.answer, one.enough) for clock, one in own.items()}
    assert by_clock == {Clock.WALL: (answer, None), Clock.CPU: (LimitAnswer.WITHIN, None)}
    apart = {clock: one.clocks_apart for clock, one in own.items()}
    assert apart == {Clock.WALL: answer is LimitAnswer.UNCLEAR, Clock.CPU: False}


def test_a_baseline_has_no_verdict_to_be_withheld() -> None:
    row = rows(off("a/slow", 0.4))["a/slow"]
    assert row.wall is not None and row.wall.verdict is Verdict.EQUIVALENT
    assert told(row) == "its own clock is 40 % off the harness's"


def test_the_origins_share_is_that_of_the_rounds() -> None:
    """Where a client has two modes, an arithmetic mean beside a geometric one made it larger."""

    def in_modes(batch: Batch) -> Cost:
        by = 4 if batch.round % 2 else 1
        wall_ns = by * batch.cost.wall_ns
        return replace(
            batch.cost, wall_ns=wall_ns, own_wall_ns=wall_ns, origin_cpu_ns=round(0.42 * wall_ns)
        )

    costs = rows(of_batches("a/fast", in_modes))["a/fast"].costs
    assert costs is not None
    assert costs.origin_cpu_per_wall == pytest.approx(0.42, rel=1e-3)


@pytest.mark.parametrize("told_ns", [None, 0])  # 0: in folders of before it was None
def test_what_an_origin_takes_is_unknown_where_its_clock_cannot_be_read(
    told_ns: int | None,
) -> None:
    of_a_url = [
        of_batches(client, lambda b: replace(b.cost, origin_cpu_ns=told_ns))
        for client in ("a/slow", "a/fast")
    ]
    found = rows(*of_a_url)
    for row in found.values():
        assert row.costs is not None
        assert math.isnan(row.costs.origin_cpu_us)
        assert math.isnan(row.costs.origin_cpu_per_wall)
        assert told(row) == ""
    assert found["a/fast"].wall == rows()["a/fast"].wall


def test_a_pause_is_in_what_is_ranked() -> None:
    """The mean is what users pay: one batch in ten that costs three times as much adds a fifth."""
    plain, pausing = rows()["a/fast"].costs, rows(PAUSING)["a/fast"].costs
    assert plain is not None and pausing is not None
    assert plain.cpu_us.point == pytest.approx(US / 1e3, rel=0.02)
    assert pausing.cpu_us.point / plain.cpu_us.point == pytest.approx(1.2)


def test_who_never_came_to_its_end_has_its_last_reason_and_no_figures() -> None:
    rounds = len(RACED.costs["a/fast"])
    ended: dict[tuple[int, str], Invocation] = {}
    for number in range(rounds):
        ended |= ill(number, "a/fast", Outcome.FAILED, f"ended with exit status {number}")
    row = replace(RACED, ended=ended).standings()["a/fast"]
    assert (row.outcome, row.rounds, row.costs, row.wall, row.tiers) == (
        *(Outcome.FAILED, 0, None, None),
        None,
    )
    assert f"ended with exit status {rounds - 1}" in str(row)


def test_what_no_origin_counted_is_not_made_up() -> None:
    """A server that is named by its URL tells nothing of requests."""

    def uncounted(record: Record) -> Record:
        return replace(record, seen=type(record.seen)()) if isinstance(record, Batch) else record

    row = rows(uncounted)["a/fast"]
    assert row.wire is None
    assert row.costs is not None
