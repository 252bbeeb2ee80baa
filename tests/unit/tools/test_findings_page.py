"""The table of what was found in the clients: it tells no interval that says nothing."""

from __future__ import annotations

import re
from typing import Any

import pytest
from tools.findings_page import PAGE, survey_of

from fetchoff.model.estimate import MINIMUM_ROUNDS

INTERVAL = re.compile(r"\((?P<low>[\d,]+) to (?P<high>[\d,]+)\)")


def row(rounds: int = MINIMUM_ROUNDS, *, count: int = 24) -> dict[str, Any]:
    saved = {"point": 43_000.0, "low": 42_000.0, "high": 44_000.0}
    cause = {
        "fault": "wait-for-ack",
        "count": count,
        "of": 24,
        "exchange_us": 44_000.0,
        "saves_us": 43_500.0,
        "tried": {"saved_us": saved, "rounds": rounds, "trial": "confirmed"},
    }
    return {"part": "survey", "client": "c/x", "course": "w", "diagnosis": {"causes": [cause]}}


def test_the_page_has_no_interval_without_width() -> None:
    found = list(INTERVAL.finditer(PAGE.read_text(encoding="utf-8")))
    assert found
    assert all(each["low"] != each["high"] for each in found)


@pytest.mark.parametrize(("rounds", "is_told"), [(MINIMUM_ROUNDS, True), (2, False)])
def test_a_trial_of_too_few_rounds_shows_nothing(rounds: int, *, is_told: bool) -> None:
    told = survey_of([row(rounds)])
    assert ("43,000 (42,000 to 44,000) | confirmed |" in told) is is_told
    assert ("Of 1 predictions" in told) is is_told


@pytest.mark.parametrize(("count", "said"), [(24, "24 of 24"), (48, "48 times in 24")])
def test_an_exchange_may_show_a_fault_several_times(count: int, said: str) -> None:
    assert f"`wait-for-ack`, {said} |" in survey_of([row(count=count)])
