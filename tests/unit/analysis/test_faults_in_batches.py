"""A broken harness does not pass where batches are measured either; and what is not seen there."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace

import pytest
from tests.unit.analysis import planted
from tests.unit.analysis.planted import GET, KITS, Fault, checks, failed, must_be_named, passed, why
from tests.unit.analysis.planted_batches import costing, of_batches, sound

from fetchoff.analysis.checks import self_checks
from fetchoff.analysis.series import series_of
from fetchoff.model.check import CheckOutcome
from fetchoff.model.course import Course
from fetchoff.model.observation import Batch, Record, Seen, Turns
from fetchoff.model.origin import Counted
from fetchoff.model.workload import Settings, Sink
from fetchoff.run.adapters.judging import AnsweredWrong, must_agree

SEEDS = range(5)
PLACES = 16  # of a block: twelve clients, a twin, and three of the known effects
IN_BLOCKS = {"batch position", "first batches"}


def the_first_place_costs_less(batch: Batch) -> Batch:
    """Who comes first in a block pays 12 % less."""
    return costing(batch, by=0.88) if batch.position == 0 else batch


def later_places_cost_more(batch: Batch) -> Batch:
    """Who comes in the second half of a block pays 7 % more."""
    return costing(batch, by=1.07) if 2 * batch.position >= PLACES else batch


def long_batches_cost_less(batch: Batch) -> Batch:
    """Each batch has a fixed part of 8 ms."""
    return costing(batch, more_us=8000)


def late_clock(batch: Batch) -> Batch:
    """The CPU clock of a process is read late: 8 ms of each batch are lost."""
    return costing(batch, cpu_by=1 - 8e6 / batch.cost.cpu_ns)


def slow_clock(batch: Batch) -> Batch:
    """The CPU clock loses one nanosecond in four."""
    return costing(batch, cpu_by=0.75)


def counted_twice(batch: Batch) -> Batch:
    """CPU time is that of the process and of its control group."""
    return costing(batch, cpu_by=2)


def spins_half(batch: Batch) -> Batch:
    """Kits spin half of what they say."""
    return replace(batch, cost=replace(batch.cost, spun_ns=2 * batch.cost.spun_ns))


def lost_readings(batch: Batch) -> Batch:
    """One batch in sixteen, by chance, is told without its CPU time."""
    return costing(batch, cpu_by=0) if random.Random(str(batch.slot)).random() < 1 / 16 else batch


FAULTS: dict[str, tuple[Fault, str]] = {
    "the first place costs less": (of_batches(the_first_place_costs_less), "first batches"),
    "later places cost more": (of_batches(later_places_cost_more), "batch position"),
    "batches with a fixed part": (of_batches(long_batches_cost_less), "a/a"),
    "a clock that is read late": (of_batches(late_clock), "a/a"),
    "a slow clock": (of_batches(slow_clock), "busy time"),
    "CPU time that counts twice": (of_batches(counted_twice), "busy time"),
    "spun less than said": (of_batches(spins_half), "busy time"),
}


@pytest.mark.parametrize("seed", SEEDS)
def test_a_sound_run_in_batches_passes_what_can_be_told(seed: int) -> None:
    """A point of three is more than so few rounds tell (`more requests`)."""
    records = sound(seed)
    assert failed(records) == set()
    assert why(records) is None
    assert passed(records) == {"a/a", "busy time", *IN_BLOCKS}


@pytest.mark.parametrize("name", FAULTS)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_fault_in_batches_is_named(name: str, seed: int) -> None:
    fault, kind = FAULTS[name]
    must_be_named(kind, [fault(record) for record in sound(seed)])


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_in_batches_does_not_pass_in_much_noise(name: str) -> None:
    fault, kind = FAULTS[name]
    for seed in SEEDS:
        assert kind not in passed([fault(record) for record in sound(seed, noise=0.15)])


@pytest.mark.parametrize("seed", SEEDS)
def test_readings_that_are_lost_by_chance_let_nothing_pass(seed: int) -> None:
    """There is no second account of a batch's CPU time, but nothing agrees with itself any more."""
    found = checks([of_batches(lost_readings)(record) for record in sound(seed)])
    passed_by_cpu = {
        check.kind
        for check in found
        if check.metric == "cpu" and check.outcome is CheckOutcome.PASSED
    }
    assert not passed_by_cpu & {"a/a", "busy time", "first batches"}


def sends_twice(batch: Batch) -> Batch:
    """A kit sends every request twice and reports it once."""
    cost = batch.cost
    spun = cost.spun_ns / cost.cpu_ns
    return replace(costing(batch, by=2 - spun), seen=Seen(2 * batch.exchanges))


def test_a_kit_that_sends_twice_is_refused_before_anything_is_analysed() -> None:
    """Only the ledger shows it: the cost of a kit that does twice as much is a cost."""
    records = sound(SEEDS[0])
    for batch in (record for record in records if isinstance(record, Batch)):
        must_agree(GET, {Counted.REQUESTS}, batch.seen, batch.iterations)
        twice = sends_twice(batch)
        with pytest.raises(AnsweredWrong, match="the origin saw"):
            must_agree(GET, {Counted.REQUESTS}, twice.seen, twice.iterations)
    assert failed([of_batches(sends_twice)(record) for record in records]) == set()


def test_a_clock_that_loses_little_of_all_batches_alike_is_not_seen() -> None:
    """Ratios are right all the same."""
    slow = of_batches(lambda batch: costing(batch, cpu_by=0.9))
    for seed in SEEDS:
        assert passed([slow(record) for record in sound(seed)]) >= {"a/a", "busy time"}


def kinds_of(records: list[Record], course: Course) -> dict[CheckOutcome, set[str]]:
    asked = replace(planted.experiment(), courses=(course,))
    found = self_checks(asked, [series_of(asked, records, course.id)], KITS)
    return {
        outcome: {check.kind for check in found if check.outcome is outcome}
        for outcome in CheckOutcome
    }


def test_a_fixed_part_of_short_batches_is_not_seen_and_a_place_is() -> None:
    """Of hashed content, as over links, a twin's batches are as long as its client's."""
    hashed = Course(replace(GET, settings=Settings(sink=Sink.HASH)))
    records = sound(SEEDS[0], course=hashed)
    for fault, kinds in (
        (of_batches(long_batches_cost_less), set[str]()),
        (of_batches(the_first_place_costs_less), {"first batches"}),
    ):
        found = kinds_of([fault(record) for record in records], hashed)
        assert found[CheckOutcome.FAILED] == kinds
        assert found[CheckOutcome.PASSED] == {"a/a", *IN_BLOCKS} - kinds


def test_places_are_not_asked_where_a_block_has_but_one() -> None:
    alone = of_batches(lambda batch: replace(batch, position=0))
    assert not IN_BLOCKS & {check.kind for check in checks([alone(r) for r in sound(SEEDS[0])])}


def of_kit(kit: str) -> Iterator[Batch]:
    """The batches of its clients, in as many rounds as others have turns."""
    here: dict[tuple[int, int], int] = defaultdict(int)
    for record in sound(SEEDS[0]):
        if isinstance(record, Batch) and record.entrant.startswith(kit):
            block = (record.round, record.block)
            if record.round < planted.ROUNDS:
                yield replace(record, position=here[block])
            here[block] += 1


def test_they_are_asked_of_those_in_batches_beside_others_in_turns() -> None:
    """Where some can't be held: turns and batches each have a question of their own."""
    in_turns = [
        record
        for record in planted.sound(SEEDS[0])
        if not (isinstance(record, Turns) and record.entrant.startswith("ruby"))
    ]
    in_batches = [*of_kit("ruby")]
    for fault, kinds in ((costing, set[str]()), (the_first_place, IN_BLOCKS)):
        found = checks([*in_turns, *map(fault, in_batches)])
        asked = {str(check.kind): check.count for check in found}
        assert asked["position"] == asked["first batches"] == planted.ROUNDS
        bad = {check.kind for check in found if check.outcome is not CheckOutcome.PASSED}
        assert bad & {"position", *IN_BLOCKS} == kinds


def the_first_place(batch: Batch) -> Batch:
    """It costs a quarter less: one of three or more."""
    return costing(batch, by=0.75) if batch.position == 0 else batch
