"""Bookkeeping that grows with the square of the requests at once, and clients without it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.diagnosis.recorded import compared_diagnosis_of, diagnosis_of, faulty, named

FAULT = "concurrency-collapse"
MANY = str(Path(__file__).parent / "workloads" / "many-at-once.toml")


def test_a_pool_that_looks_through_everything_is_named() -> None:
    found = compared_diagnosis_of(faulty("python", "quadratic_pool"), MANY)
    assert FAULT in named(found)
    (cause,) = (each for each in found.causes if each.fault == FAULT)
    facts = {fact.name: fact.value for fact in cause.facts}
    together, alone, factor = (float(facts[name]) for name in ("together", "alone", "factor"))
    assert together / alone == pytest.approx(factor)
    assert (facts["at_once"], facts["failed"]) == (100, 0)


@pytest.mark.parametrize("name", ["clean_async", "clean"])
def test_a_loop_and_threads_are_not(name: str) -> None:
    assert named(compared_diagnosis_of(faulty("python", name), MANY)) == set()


def test_without_the_other_recording_the_rule_is_silent() -> None:
    found = diagnosis_of(faulty("python", "quadratic_pool"), MANY)
    assert FAULT in found.silent
    assert FAULT not in named(found)
