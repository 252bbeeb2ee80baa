"""In which order a client works and asks: clients made for a fault each, and clean ones."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.diagnosis.recorded import diagnosis_of, faulty, in_each_language, languages_of, named

EIGHT = str(Path(__file__).parent / "workloads" / "eight-at-once.toml")


@pytest.mark.parametrize(
    ("language", "name", "clean", "workload", "fault"),
    in_each_language(
        pytest.param("preflight", "clean", "small-get", "extra-round-trips", id="preflight"),
        pytest.param("old_tls", "clean", "handshake-full", "extra-round-trips", id="old-tls"),
        pytest.param("blocking_loop", "clean_async", EIGHT, "blocked-loop", id="blocked-loop"),
    ),
)
def test_it_is_named_where_it_is_and_nowhere_else(
    language: str, name: str, clean: str, workload: str, fault: str
) -> None:
    assert fault in named(diagnosis_of(faulty(language, name), workload))
    assert named(diagnosis_of(faulty(language, clean), workload)) == set()


@pytest.mark.parametrize("language", languages_of("blocking_loop"))
def test_a_loop_that_is_over_after_one_wave_of_answers_was_blocked_as_well(language: str) -> None:
    diagnosis = diagnosis_of(faulty(language, "blocking_loop"), EIGHT, iterations=8)
    assert "blocked-loop" in named(diagnosis)
    assert named(diagnosis_of(faulty(language, "clean_async"), EIGHT, iterations=8)) == set()
