"""Whom a run gives up, and where that leaves nothing to find out."""

from __future__ import annotations

import pytest

from fetchoff.model.course import Course
from fetchoff.model.experiment import Entrant, Experiment, Role
from fetchoff.model.failures import Failures
from fetchoff.model.observation import Invocation, Outcome
from fetchoff.model.workload import Exchange, Workload

A, B = "a/x", "b/y"
GET = Workload("get", "", (Exchange("GET", "/"),))
ENTRANTS = (Entrant(A, A, A), Entrant(B, B, B), Entrant(f"{A}#twin", A, f"{A}#twin", Role.CONTROL))
EXPERIMENT = Experiment(ENTRANTS, (Course(GET),), A, 1)
PAIR = Experiment(ENTRANTS, (Course(GET),), A, 1, pair_only=True)


def ended(
    outcome: Outcome, process: str = A, *, number: int = 0, answered_wrong: bool = False
) -> Invocation:
    client = process.removesuffix("#twin")
    return Invocation(
        *(number, 0, "get", process, client, outcome, ""), answered_wrong=answered_wrong
    )


CRASHED = ended(Outcome.FAILED)


@pytest.mark.parametrize(
    ("records", "given_up"),
    [
        ([ended(Outcome.OK)], False),
        ([CRASHED, ended(Outcome.OK)], False),
        ([CRASHED, ended(Outcome.OK), CRASHED], True),
        ([CRASHED, ended(Outcome.UNAVAILABLE, f"{A}#twin")], True),
        ([ended(Outcome.UNSUPPORTED)], True),
        ([ended(Outcome.INVALID, answered_wrong=True)], True),
    ],
)
def test_two_failures_or_one_wrong_answer_or_a_lack_are_enough(
    records: list[Invocation], given_up: bool
) -> None:
    failures = Failures(records)
    assert failures.is_given_up(A, "get") is given_up
    assert not failures.is_given_up(A, "post")
    assert not failures.is_given_up(B, "get")


def test_a_ranking_goes_on_with_one_and_a_pair_needs_both() -> None:
    failures = Failures([ended(Outcome.UNSUPPORTED)])
    assert failures.leave_anything(EXPERIMENT, "get")
    assert not failures.leave_anything(PAIR, "get")
    failures.note(ended(Outcome.UNSUPPORTED, B))
    assert not failures.leave_anything(EXPERIMENT, "get")


def test_the_invocations_that_failed_are_kept_those_of_controls_too() -> None:
    again = ended(Outcome.UNAVAILABLE, f"{A}#twin")
    failures = Failures([CRASHED, ended(Outcome.OK), ended(Outcome.FAILED, B), again])
    assert failures.of(A, "get") == (CRASHED, again)
    assert failures.of(A, "post") == ()
