"""Answers that are cut off, that come early, and that lead elsewhere: clients made for a fault
each, and clean ones."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.diagnosis.recorded import diagnosis_of, faulty, named, recording_of

from fetchoff.diagnosis.early import refused_early
from fetchoff.diagnosis.rule import Evidence
from fetchoff.model.errors import InputError, LinkError
from fetchoff.model.recording import Cut

WORKLOADS = Path(__file__).parent / "workloads"
LENGTH = str(WORKLOADS / "cut-length.toml")
CHUNKS = str(WORKLOADS / "cut-chunks.toml")
STREAM = str(WORKLOADS / "cut-h2.toml")
REFUSAL = str(WORKLOADS / "early-refusal.toml")
ELSEWHERE = str(WORKLOADS / "redirect-elsewhere.toml")
ELSEWHERE_H2 = str(WORKLOADS / "redirect-elsewhere-h2c.toml")


@pytest.mark.parametrize(
    ("name", "workload", "fault", "clean"),
    [
        pytest.param("cut_accepted", LENGTH, "truncated-accepted", "clean", id="length"),
        pytest.param("chunks_accepted", CHUNKS, "truncated-accepted", "clean_chunked", id="chunks"),
        pytest.param("reset_accepted_h2", STREAM, "truncated-accepted", "clean_h2", id="stream"),
        pytest.param("early_answer_lost", REFUSAL, "early-answer-lost", "clean_upload", id="while"),
        pytest.param(
            "early_answer_lost", REFUSAL, "early-answer-lost", "clean_after_upload", id="after"
        ),
        pytest.param(
            "credentials_kept", ELSEWHERE, "credentials-leaked", "clean_redirects", id="redirect"
        ),
        pytest.param(
            "credentials_kept_h2",
            ELSEWHERE_H2,
            "credentials-leaked",
            "clean_redirects_h2",
            id="redirect-h2",
        ),
    ],
)
def test_it_is_named_where_it_is_and_nowhere_else(
    name: str, workload: str, fault: str, clean: str
) -> None:
    found = diagnosis_of(faulty("python", name), workload, iterations=6)
    assert named(found) == {fault}
    assert {(cause.count, cause.of) for cause in found.causes} == {(6, 6)}
    assert named(diagnosis_of(faulty("python", clean), workload, iterations=6)) == set()


def test_a_right_client_fails_where_it_should() -> None:
    """The clean clients are silent because they fail, or don't, not for want of anything to see."""
    cut = recording_of(faulty("python", "clean"), LENGTH, iterations=6)
    assert cut.failed == 6
    assert len([event for event in cut.events if isinstance(event, Cut)]) == 6
    refused = recording_of(faulty("python", "clean_upload"), REFUSAL, iterations=6)
    assert refused.failed == 0
    assert len(refused_early(Evidence(refused))) == 6


def test_the_other_name_must_lead_to_the_origin() -> None:
    client = faulty("python", "clean_redirects")
    with pytest.raises(InputError, match="'localhost', which does not lead to the origin"):
        try:
            recording_of(client, ELSEWHERE, "lan", iterations=6)
        except LinkError as error:
            pytest.skip(f"no link can be laid here: {error.message}")
