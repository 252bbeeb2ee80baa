"""Self-checks and limits in words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fetchoff.model.check import ACCOUNTS, CheckKind, CheckOutcome, Reading, SelfCheck
from fetchoff.model.estimate import Estimate, LimitAnswer
from fetchoff.model.finding import Clock
from fetchoff.model.limit import Kept
from fetchoff.report.wording import limits, self_checks
from fetchoff.stats.verdicts import unknown_ratio

SAME = SelfCheck(
    *(CheckKind.SAME, "all", "", "all", "wall", "ratio", 1.0, None, CheckOutcome.PASSED),
    tolerance=0.04,
    count=12,
)
CPU = replace(SAME, kind=CheckKind.CPU_ACCOUNT, metric="cpu", tolerance=0.01)


@pytest.mark.parametrize(
    ("check", "found"),
    [
        (SAME, "it holds, within ±4 points"),
        (
            replace(SAME, least_fault=0.0614),
            "it holds, within ±4 points; a fault of 6.1 points would be found with a probability "
            "of 90 %",
        ),
        (
            replace(SAME, outcome=CheckOutcome.INCONCLUSIVE, least_fault=0.2349),
            "too few, or too noisy, to tell within ±4 points; a fault of 23 points would be found "
            "with a probability of 90 %",
        ),
        (replace(SAME, outcome=CheckOutcome.FAILED), "it does not hold"),
        (replace(SAME, outcome=CheckOutcome.FAILED, client="a/x"), "a/x differs from itself"),
        (
            replace(SAME, outcome=CheckOutcome.INCONCLUSIVE),
            "too few, or too noisy, to tell within ±4 points",
        ),
    ],
)
def test_a_question(check: SelfCheck, found: str) -> None:
    asked = "two processes of a client must not differ (wall; 12 processes asked)"
    assert self_checks.sentence(check) == f"{asked}: {found}"


def test_what_was_added_is_another_amount_for_each_client() -> None:
    check = replace(SAME, kind=CheckKind.MORE, tolerance=0.33, least_fault=0.584)
    found = self_checks.sentence(check).partition(": ")[2]
    assert found == (
        "it holds, within ±33 % of what was added; a fault of 58 % of what was added would be "
        "found with a probability of 90 %"
    )


@pytest.mark.parametrize(
    ("check", "found"),
    [
        (CPU, "it holds, 12 times"),
        (replace(CPU, count=0, outcome=CheckOutcome.INCONCLUSIVE), "too little to tell"),
        (
            replace(CPU, outcome=CheckOutcome.FAILED, worst=Reading(0.9004, "a/x", 2)),
            "a/x in round 3: 0.900",
        ),
        (
            replace(CPU, outcome=CheckOutcome.FAILED, worst=Reading(0.9, round=0)),
            "round 1: 0.900",
        ),
    ],
)
def test_an_account(check: SelfCheck, found: str) -> None:
    asked = "the origin's and the harness's readings of a process's CPU clock must agree"
    assert self_checks.sentence(check) == f"{asked}: {found}"


def test_an_origin_elsewhere_than_planned() -> None:
    place = Reading(0.0, place="a thread may run on cores [0, 1], not only on 1")
    failed = replace(CPU, kind=CheckKind.PLACEMENT, outcome=CheckOutcome.FAILED, worst=place)
    assert self_checks.sentence(failed) == (
        "the origin must be where it was planned: a thread may run on cores [0, 1], not only on 1"
    )


def test_every_kind_says_what_is_asked_and_what_a_client_has_done() -> None:
    assert set(self_checks.ASKED) == set(CheckKind)
    assert set(self_checks.BLAMED) == set(CheckKind) - ACCOUNTS - set(self_checks.COUNTED)


def test_what_was_counted() -> None:
    common = replace(SAME, kind=CheckKind.COMMON_TREND, count=7)
    asked = "what all clients have in common must be steady (wall; 7 rounds asked)"
    assert self_checks.sentence(common) == f"{asked}: it holds, within ±4 points"


def test_what_a_client_takes_of_a_limit() -> None:
    ratio = Estimate(1.05, 1.0414, 1.0587, 0.99)
    kept = Kept("a/y", "a/x", "small-get", Clock.CPU, ratio, LimitAnswer.BEYOND, 7)
    assert limits.spent(kept) == (
        "a/y takes 1.050 (1.041–1.059) times the CPU time of a/x on small-get"
    )
    few = replace(kept, ratio=unknown_ratio(0.05), answer=LimitAnswer.UNCLEAR, rounds=2)
    assert limits.spent(few) == (
        "a/y takes 1.051 (too few rounds for an interval) times the CPU time of a/x on small-get"
    )
