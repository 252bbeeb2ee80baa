"""What can be counted of two sides: only what is steady can differ."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.unit.analysis.raced import COURSE, Raced

from fetchoff.analysis.witness import by_allocations, by_calls, by_ledger, compared
from fetchoff.model.allocations import Allocated
from fetchoff.model.calls import CallKind, CallTable
from fetchoff.model.observation import Batch, Seen
from fetchoff.model.witness import Countable, Counter, Difference, Quantity

WRITE = Quantity(Countable.CALLS, "write", "socket")
BRK = Quantity(Countable.CALLS, "brk")


def recorded(**counts: float) -> CallTable:
    kinds = tuple(CallKind(name, "", count, 0, 0, None) for name, count in counts.items())
    return CallTable("a/x", COURSE.id, 100, kinds, 0, 0, 0)


def test_one_write_more_is_a_difference() -> None:
    found = compared(COURSE, Counter.STRACE, [{WRITE: 1.0}] * 3, [{WRITE: 2.0}] * 3)
    assert found.differences == (Difference(WRITE, 1, 2),)
    assert found.differences[0].more == 1
    assert (found.repetitions, found.steady, found.wavering) == (3, 1, ())


@pytest.mark.parametrize(
    "head",
    [[2.0, 2.0, 3.0], [2.5, 2.5, 2.5], [1.2, 1.2, 1.2]],
    ids=["from time to time", "by halves", "now and then"],
)
def test_what_wavers_tells_nothing(head: list[float]) -> None:
    found = compared(COURSE, Counter.STRACE, [{WRITE: 1.0}] * 3, [{WRITE: one} for one in head])
    assert found.differences == ()
    assert found.wavering == (WRITE,)


def test_what_happens_rarely_belongs_to_no_iteration() -> None:
    base, head = [{BRK: 0.02}, {}, {BRK: 0.07}], [{BRK: 0.01}] * 3
    found = compared(COURSE, Counter.STRACE, base, head)
    assert (found.steady, found.differences) == (1, ())


def test_a_call_that_one_side_never_makes_is_a_difference() -> None:
    found = by_calls(COURSE, [recorded(write=1.0)] * 3, [recorded(write=1.0, fsync=1.0)] * 3)
    assert found.differences == (Difference(Quantity(Countable.CALLS, "fsync"), 0, 1),)


def test_calls_are_those_of_an_iteration() -> None:
    exchanges = COURSE.workload.exchanges * 2
    course = replace(COURSE, workload=replace(COURSE.workload, exchanges=exchanges))
    found = by_calls(course, [recorded(write=1.5)] * 3, [recorded(write=2.0)] * 3)
    assert found.differences == (Difference(Quantity(Countable.CALLS, "write"), 3, 4),)
    assert found.exchanges == 2


@pytest.mark.parametrize(
    ("head", "more", "wavers"),
    [
        ([(30, 903), (30, 900), (30, 901)], (0, 0), 0),  # a digit of the time more
        ([(30, 916), (30, 914), (30, 916)], (0, 0), 0),
        ([(31, 964), (31, 964), (31, 966)], (1, 64), 0),
        ([(29, 836), (29, 836), (29, 836)], (-1, -64), 0),
        ([(30.25, 900), (30.25, 900), (30.25, 900)], (0, 0), 0),  # of four in flight
        ([(30.75, 900), (30.75, 900), (30.75, 900)], (1, 0), 0),
        ([(30, 900), (31, 900), (30, 900)], (0, 0), 1),
        ([(30, 900), (30, 917), (30, 900)], (0, 0), 1),
    ],
)
def test_allocations_of_an_order_are_in_them(
    head: list[tuple[float, float]], more: tuple[int, int], wavers: int
) -> None:
    sides = [[Allocated(*one) for one in side] for side in ([(30, 900)] * 3, head)]
    found = by_allocations(COURSE, *sides)
    told = {one.quantity.of: one.more for one in found.differences}
    wanted = zip((Countable.ALLOCATIONS, Countable.BYTES_ALLOCATED), more, strict=True)
    assert told == {of: number for of, number in wanted if number}
    assert (found.counter, len(found.wavering)) == (Counter.ALLOCATOR, wavers)


def test_what_a_runtime_does_not_count_is_no_quantity() -> None:
    objects = [Allocated(227, None)] * 3
    found = by_allocations(COURSE, objects, objects)
    assert (found.steady, found.differences, found.wavering) == (1, (), ())


def test_a_few_repetitions_are_no_evidence() -> None:
    found = compared(COURSE, Counter.LEDGER, [{WRITE: 1.0}] * 2, [{WRITE: 2.0}] * 2)
    assert found.differences == ()
    assert found.steady == 0


def test_the_ledger_counts_round_by_round() -> None:
    raced = Raced({"a/x": [0.0] * 5, "a/y": [0.0] * 5})
    usual = Seen(requests=1000, connections=1, bytes_in=90_000, segments_in=1000)
    more = replace(usual, bytes_in=97_000, connections=1000)
    records = [
        replace(record, seen=more if record.entrant == "a/y" else usual)
        if isinstance(record, Batch)
        else record
        for record in raced.records()
    ]
    found = by_ledger(raced.experiment, records, COURSE)
    assert (found.counter, found.repetitions, found.steady) == (Counter.LEDGER, 5, 4)
    assert set(found.differences) == {
        Difference(Quantity(Countable.BYTES_SENT), 90, 97),
        Difference(Quantity(Countable.CONNECTIONS), 0, 1),
    }
