"""A made-up gate with everything that one can say."""

from __future__ import annotations

from dataclasses import replace

from fetchoff.model.check import CheckKind, CheckOutcome, SelfCheck
from fetchoff.model.estimate import Estimate
from fetchoff.model.finding import Advice, CheckFailed, Clock, Finding
from fetchoff.model.gate import Again, Answer, End, Gate, Judged, Side, TrackRecord
from fetchoff.model.witness import (
    Countable,
    Counter,
    Difference,
    Quantity,
    Uncounted,
    Witness,
)

LEVEL = 0.99


def row(workload: str, clock: Clock, ratio: float, answer: Answer) -> Judged:
    return Judged(
        workload=workload,
        clock=clock,
        ratio=Estimate(ratio, ratio - 0.01, ratio + 0.01, LEVEL),
        answer=answer,
        rounds=31,
        base_us=Estimate(300.0, 295.0, 305.0, LEVEL),
        head_us=Estimate(300.0 * ratio, 295.0 * ratio, 305.0 * ratio, LEVEL),
    )


ROWS = (
    row("small-get", Clock.WALL, 1.024, Answer.CANNOT_TELL),
    row("small-get", Clock.CPU, 1.031, Answer.SLOWER),
    row("json-get", Clock.WALL, 0.9, Answer.FASTER),
    row("json-get", Clock.CPU, 1.001, Answer.NOT_SLOWER),
)

WITNESSES = (
    Witness(
        "small-get",
        Counter.LEDGER,
        repetitions=31,
        steady=4,
        differences=(
            Difference(Quantity(Countable.SEGMENTS), 1, 2),
            Difference(Quantity(Countable.BYTES_SENT), 97, 91),
            Difference(Quantity(Countable.CONNECTIONS), 0, 1),
        ),
    ),
    Witness(
        "small-get",
        Counter.STRACE,
        repetitions=3,
        steady=6,
        wavering=(Quantity(Countable.CALLS, "futex"),),
        differences=(Difference(Quantity(Countable.CALLS, "sendto", "socket"), 1, 2),),
    ),
    Witness(
        "small-get",
        Counter.ALLOCATOR,
        repetitions=3,
        steady=2,
        differences=(
            Difference(Quantity(Countable.ALLOCATIONS), 1030, 1031),
            Difference(Quantity(Countable.BYTES_ALLOCATED), 168_200, 168_264),
        ),
    ),
    Witness(
        "json-get",
        Counter.STRACE,
        repetitions=0,
        missing=Uncounted("there is no strace", "apt-get install strace"),
    ),
)

GATE = Gate(
    run_id="20261124-080000-1",
    started="2026-11-24T08:00:00+00:00",
    base=Side("python/httpx", "0.28.1"),
    head=Side("python/httpx@head", "0.29.0", ("my_httpx|<b>",)),
    alpha=0.01,
    margin=0.02,
    end=End.SLOWER,
    rows=ROWS,
    again=tuple(
        Again(one.workload, one.clock, Estimate(1.0, 0.99, 1.01, LEVEL), differs=False)
        for one in ROWS
    ),
    seconds=92.4,
    budget_s=180.0,
    seed=1,
    witnesses=WITNESSES,
    record=TrackRecord(57, 1, 0.094),
)

CHECK = SelfCheck(
    *(CheckKind.SAME, "python", "python/httpx", "all", "wall", "ratio", 1.0, None),
    outcome=CheckOutcome.FAILED,
)
WITHHELD = replace(GATE, withheld=Finding(CheckFailed(CHECK, 0), advice=Advice.STOP_OTHER_WORK))
"""The same, not to be believed."""
