"""What can be counted of base and head: docs/analysis.md#the-second-witness."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from statistics import median

from fetchoff.analysis.series import series_of
from fetchoff.model.allocations import Allocated
from fetchoff.model.calls import CallTable
from fetchoff.model.course import Course
from fetchoff.model.experiment import Experiment, Role
from fetchoff.model.observation import Record, Seen
from fetchoff.model.witness import (
    LEAST_REPETITIONS,
    Countable,
    Counter,
    Difference,
    Quantity,
    Witness,
)

WHOLE = 0.1
"""How far from a whole number of an iteration a count may be. What happens in one iteration of ten
or fewer (collections, the ends of a recording) belongs to none of them."""

ORDERED = {Countable.ALLOCATIONS: WHOLE, Countable.BYTES_ALLOCATED: 16.0}
"""What an order to run is counted in, too, and so is no whole number of an iteration where several
are in flight: how far it may be from that of other recordings. The answer to an order has the time
of its loop in it, which is written in a digit more or less."""

Counts = Mapping[Quantity, float]


def by_ledger(experiment: Experiment, records: Sequence[Record], course: Course) -> Witness:
    """What the origin counted of both sides; each round is a repetition."""
    series = series_of(experiment, records, course.id)
    base, head = (e.key for e in experiment.entrants if e.role is not Role.CONTROL)
    totals: dict[tuple[str, tuple[str, int]], list[Seen]] = defaultdict(list)
    for batch in series.batches:
        totals[batch.entrant, batch.sample].append(batch.seen)
    exchanges = len(course.workload.exchanges)
    sides = {
        side: [_of_round(seen, exchanges) for (key, _), seen in totals.items() if key == side]
        for side in (base, head)
    }
    return compared(course, Counter.LEDGER, sides[base], sides[head])


def by_calls(course: Course, base: Sequence[CallTable], head: Sequence[CallTable]) -> Witness:
    """What strace counted of both sides; each recording is a repetition."""
    exchanges = len(course.workload.exchanges)
    sides = [[_of_recording(table, exchanges) for table in side] for side in (base, head)]
    return compared(course, Counter.STRACE, *sides)


def by_allocations(course: Course, base: Sequence[Allocated], head: Sequence[Allocated]) -> Witness:
    """What was counted of both sides' allocations; each recording is a repetition."""
    sides = [[_of_allocations(one) for one in side] for side in (base, head)]
    return compared(course, Counter.ALLOCATOR, *sides)


def compared(
    course: Course, counter: Counter, base: Sequence[Counts], head: Sequence[Counts]
) -> Witness:
    """Both sides, quantity by quantity: what is the same in all repetitions of a side can differ
    between them."""
    repetitions = min(len(base), len(head))
    if repetitions < LEAST_REPETITIONS:
        return Witness(course.id, counter, repetitions)
    known = dict.fromkeys(name for counts in (*base, *head) for name in counts)
    steady, wavering, differences = 0, [], []
    for quantity in known:
        before, after = _steadily(quantity, base), _steadily(quantity, head)
        if before is None or after is None:
            wavering.append(quantity)
            continue
        steady += 1
        more = round(after - before)
        if abs(more) > ORDERED.get(quantity.of, 0.0):
            differences.append(Difference(quantity, round(before), round(before) + more))
    return Witness(
        workload=course.id,
        counter=counter,
        repetitions=repetitions,
        steady=steady,
        wavering=tuple(wavering),
        differences=tuple(differences),
        exchanges=len(course.workload.exchanges),
    )


def _steadily(quantity: Quantity, repetitions: Sequence[Counts]) -> float | None:
    """What all repetitions have, but for WHOLE; None if that differs, or isn't a whole number where
    it should be."""
    found = [counts.get(quantity, 0.0) for counts in repetitions]
    if tolerance := ORDERED.get(quantity.of):
        return median(found) if max(found) - min(found) <= tolerance else None
    whole = {round(value) for value in found}
    if len(whole) != 1 or any(abs(value - round(value)) > WHOLE for value in found):
        return None
    return whole.pop()


def _of_round(seen: Sequence[Seen], exchanges: int) -> Counts:
    requests = sum(one.requests for one in seen)
    if not requests:
        return {}
    totals = {
        Countable.CONNECTIONS: sum(one.connections for one in seen),
        Countable.SEGMENTS: sum(one.segments_in for one in seen),
        Countable.BYTES_SENT: sum(one.bytes_in for one in seen),
        Countable.BYTES_RECEIVED: sum(one.bytes_out for one in seen),
    }
    return {Quantity(of): total * exchanges / requests for of, total in totals.items()}


def _of_recording(table: CallTable, exchanges: int) -> Counts:
    return {
        Quantity(Countable.CALLS, kind.name, kind.on): kind.count * exchanges
        for kind in table.kinds
    }


def _of_allocations(allocated: Allocated) -> Counts:
    found = {
        Countable.ALLOCATIONS: allocated.calls,
        Countable.BYTES_ALLOCATED: allocated.bytes,
    }
    return {Quantity(of): amount for of, amount in found.items() if amount is not None}
