"""Predictions that are tried: faulty clients, measured as they are and with the toggle of the rule
that names them."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.diagnosis.recorded import faulty, tried_diagnosis_of

from fetchoff.model.cause import Cause, Trial

WORKLOADS = Path(__file__).parent / "workloads"
POST_H2, NEVER = (str(WORKLOADS / f"{name}.toml") for name in ("small-post-h2", "never-continues"))


def cause_of(fault: str, name: str, workload: str, link: str = "") -> Cause:
    found = tried_diagnosis_of(faulty("python", name), workload, link)
    if fault in found.silent:
        pytest.skip(f"{fault} can't be looked for here: {found.missing}")
    (cause,) = (each for each in found.causes if each.fault == fault)
    return cause


@pytest.mark.parametrize(
    ("fault", "name", "workload", "link"),
    [
        pytest.param("wait-for-ack", "two_writes", "small-post", "", id="ack"),
        pytest.param("wait-for-ack-h2", "two_writes_h2", POST_H2, "", id="ack-h2"),
        pytest.param("wait-for-continue", "awaiting_continue", NEVER, "", id="continue"),
        pytest.param("ticket-wait", "awaiting_ticket", "handshake-full", "", id="ticket"),
        pytest.param("waits-for-close", "waiting_for_close", "hi-get-fresh", "chicago", id="close"),
    ],
)
def test_what_is_predicted_is_saved(fault: str, name: str, workload: str, link: str) -> None:
    cause = cause_of(fault, name, workload, link)
    assert cause.saves_us is not None
    assert cause.tried is not None
    assert cause.tried.trial in (Trial.CONFIRMED, Trial.IN_PART)
    assert cause.tried.saved_us.point == pytest.approx(cause.saves_us, rel=0.2)


def test_work_that_is_not_predicted_can_be_tried() -> None:
    cause = cause_of("charset-sniffed", "charset_sniffed", "download-to-memory")
    assert cause.saves_us is None
    assert cause.tried is not None
    assert cause.tried.trial is Trial.CONFIRMED


def test_what_nothing_at_the_origin_can_end_is_not_tried() -> None:
    cause = cause_of("wait-for-continue", "expecting", "small-post")  # 100 was sent at once
    assert cause.saves_us is not None
    assert cause.tried is None
