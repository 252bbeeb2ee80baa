"""How a client begins and ends connections: clients made for a fault each, and clean ones."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.diagnosis.recorded import diagnosis_of, faulty, languages_of, named

WORKLOADS = Path(__file__).parent / "workloads"
CLOSED = str(WORKLOADS / "small-get-closed.toml")
STATUS_ONLY = str(WORKLOADS / "status-only.toml")


@pytest.mark.parametrize(
    ("name", "workload", "link", "fault"),
    [
        pytest.param("unread", STATUS_ONLY, "", "content-not-read", id="content-not-read"),
        pytest.param("awaiting_ticket", "handshake-full", "", "ticket-wait", id="ticket-wait"),
        pytest.param("stale", CLOSED, "", "stale-connection", id="stale-connection"),
        pytest.param(
            "waiting_for_close", "hi-get-fresh", "chicago", "waits-for-close", id="waits-for-close"
        ),
    ],
)
def test_it_is_named_where_it_is_and_nowhere_else(
    name: str, workload: str, link: str, fault: str
) -> None:
    diagnosis = diagnosis_of(faulty("python", name), workload, link)
    if fault in diagnosis.silent:
        pytest.skip(f"{fault} can't be looked for here: {diagnosis.missing}")
    assert fault in named(diagnosis)
    assert named(diagnosis_of(faulty("python", "clean"), workload, link)) == set()


@pytest.mark.parametrize("workload", [CLOSED, STATUS_ONLY])
@pytest.mark.parametrize("language", languages_of("clean"))
def test_a_clean_client_of_any_language_has_none(language: str, workload: str) -> None:
    assert named(diagnosis_of(faulty(language, "clean"), workload)) == set()


def test_content_that_was_not_read_explains_why_no_connection_is_kept() -> None:
    assert "no-persistence" not in named(diagnosis_of(faulty("python", "unread"), STATUS_ONLY))
