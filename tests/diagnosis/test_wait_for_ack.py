"""A request in two small writes, with Nagle's algorithm on."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.diagnosis.recorded import diagnosis_of, faulty, languages_of, named, recording_of

from fetchoff.diagnosis.diagnose import diagnose
from fetchoff.diagnosis.rule import Evidence
from fetchoff.model.recording import Source

FAULT = "wait-for-ack"


@pytest.mark.parametrize("language", languages_of("two_writes"))
def test_it_is_named_where_it_is_and_nowhere_else(language: str) -> None:
    assert FAULT in named(diagnosis_of(faulty(language, "two_writes"), "small-post"))
    assert named(diagnosis_of(faulty(language, "clean"), "small-post")) == set()


def test_the_wait_is_predicted_to_be_all_but_the_work() -> None:
    diagnosis = diagnosis_of(faulty("python", "two_writes"), "small-post")
    (cause,) = (each for each in diagnosis.causes if each.fault == FAULT)
    assert cause.saves_us is not None
    left_us = cause.exchange_us - cause.saves_us
    assert left_us < 0.25 * cause.exchange_us
    assert all(place.length_ns > 20e6 for place in cause.places)


def test_packets_tell_a_pause_of_the_client_from_one_that_an_acknowledgement_ended() -> None:
    recording = recording_of(faulty("python", "two_writes"), "small-post")
    if not recording.has_segments:
        pytest.skip(f"no packets: {recording.missing[0].reason}")
    (cause,) = (each for each in diagnose(Evidence(recording)).causes if each.fault == FAULT)
    assert Source.SEGMENTS in cause.rests_on
    slow = recording_of(faulty("python", "slow_content"), "small-post")
    assert FAULT not in named(diagnose(Evidence(slow)))
    assert FAULT in named(diagnose(Evidence(replace(slow, segments=()))))
