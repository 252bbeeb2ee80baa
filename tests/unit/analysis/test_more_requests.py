"""More requests must cost as much more as each client really got: iterations are whole."""

from __future__ import annotations

import random
from collections.abc import Mapping

import pytest

from fetchoff.analysis.checks import self_checks, withheld
from fetchoff.analysis.series import series_of
from fetchoff.model.check import CheckKind, CheckOutcome, SelfCheck
from fetchoff.model.course import Course
from fetchoff.model.experiment import Effect, Experiment, Role, with_controls
from fetchoff.model.observation import (
    Batch,
    Cost,
    Invocation,
    Outcome,
    Record,
    SectionDone,
    Seen,
)
from fetchoff.model.workload import Exchange, Placement, Settings, Workload
from fetchoff.plan.rounds import iterations, plan_round

COURSE = Course(
    Workload(
        "six",
        "",
        (Exchange("GET", "/bytes/10000000"),),
        Settings(concurrency=6),
        placement=Placement.SEPARATE_CORES,
    )
)
BATCH_NS = 100e6
NOISE = 0.005
ROUNDS = 20


def asked_of(planned: Mapping[str, int], *, shown: float = 1.0) -> tuple[SelfCheck, ...]:
    """The checks of a run whose clocks are right. `planned`: by client, the iterations of a batch.
    `shown`: the part of the iterations beyond those that costs anything."""
    kits = {client: client.partition("/")[0] for client in planned}
    ranked = tuple((client, kit, Role.RANKED) for client, kit in kits.items())
    asked = Experiment(with_controls(ranked), (COURSE,), next(iter(planned)), seed=1, blocks=4)
    noise, records = random.Random(3), list[Record]()
    for number in range(ROUNDS):
        round_ = plan_round(asked, number)
        (section,) = round_.sections
        for place, block in enumerate(section.blocks):
            for position, entrant in enumerate(block):
                n = planned[entrant.client] * entrant.stretch
                done = iterations(entrant, n)
                paid = n + shown * (done - n) if entrant.effect is Effect.MORE else done
                each_ns = BATCH_NS / planned[entrant.client] * noise.gauss(1, NOISE)
                cost = Cost(round(each_ns * paid), round(each_ns * paid), 0, round(each_ns * paid))
                key = (number, 0, COURSE.id, place, position, entrant.key)
                records.append(Batch(*key, n, done, done, done, 0, cost, Seen(done, 6)))
        for process, client in round_.processes:
            records.append(Invocation(number, 0, COURSE.id, process, client, Outcome.OK))
        records.append(SectionDone(number, 0, COURSE.id, 1.0))
    return self_checks(asked, [series_of(asked, records, COURSE.id)], kits)


def more(checks: tuple[SelfCheck, ...]) -> list[SelfCheck]:
    return [check for check in checks if check.kind is CheckKind.MORE]


@pytest.mark.parametrize(
    "planned",
    [
        {"c/libcurl": 33, "python/requests": 10},
        {"c/libcurl": 100, "python/requests": 10, "go/net-http": 66},
        {"c/libcurl": 100, "python/requests": 16, "go/net-http": 50},
        {"c/libcurl": 49, "python/requests": 5, "go/net-http": 1000},
    ],
    ids=str,
)
def test_clients_whose_batches_have_few_iterations_are_no_fault(planned: dict[str, int]) -> None:
    """One of ten is 10 % more, one of 33 is 3 %: no client is held against what another got."""
    checks = asked_of(planned)
    found = more(checks)
    assert [(check.metric, check.client) for check in found] == [("wall", ""), ("cpu", "")]
    assert {check.outcome for check in found} == {CheckOutcome.PASSED}
    for check in found:
        assert check.estimate is not None
        assert check.estimate.point == pytest.approx(1, abs=0.1)
    assert withheld(checks) is None


@pytest.mark.parametrize("shown", [0.0, 0.5, 1.6])
def test_requests_that_do_not_show_are_found_whatever_a_client_got(shown: float) -> None:
    planned = {"c/libcurl": 33, "python/requests": 10}
    found = more(asked_of(planned, shown=shown))
    assert {check.outcome for check in found} == {CheckOutcome.FAILED}


def test_who_has_very_few_iterations_is_not_asked_and_the_others_are() -> None:
    three = {"c/libcurl": 100, "python/requests": 50, "go/net-http": 66}
    all_, found = more(asked_of(three)), more(asked_of({**three, "python/requests": 3}))
    assert {check.outcome for check in found} == {CheckOutcome.PASSED}
    assert max(check.count for check in found) < min(check.count for check in all_)
    assert not more(asked_of({"c/libcurl": 3, "python/requests": 2}))
