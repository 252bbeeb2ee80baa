"""A connection that falls silent: a client that keeps it, and one that leaves it."""

from __future__ import annotations

from pathlib import Path

from tests.diagnosis.recorded import diagnosis_of, faulty, named

FAULT = "dead-connection-kept"
SILENT = str(Path(__file__).parent / "workloads" / "falls-silent-h2c.toml")


def test_a_client_that_keeps_a_dead_connection_is_named() -> None:
    found = diagnosis_of(faulty("python", "dead_kept_h2"), SILENT, iterations=8)
    assert named(found) == {FAULT}
    (cause,) = found.causes
    facts = {fact.name: fact.value for fact in cause.facts}
    assert (cause.count, cause.of) == (
        7,
        8,
    )  # the first of the recording can't be told from bad luck
    assert (facts["connections"], facts["pings"]) == (1, 0)
    assert 1200 < float(facts["lasted"]) < 2500


def test_a_client_that_leaves_a_dead_connection_is_not() -> None:
    found = diagnosis_of(faulty("python", "clean_deadline_h2"), SILENT, iterations=60)
    assert named(found) == set()
