"""How a client connects: clients made for a fault each, and clean ones."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.diagnosis.recorded import diagnosis_of, faulty, in_each_language, named

WORKLOADS = Path(__file__).parent / "workloads"
EIGHT, NEVER = (str(WORKLOADS / f"{name}.toml") for name in ("eight-at-once", "never-continues"))


@pytest.mark.parametrize(
    ("language", "name", "workload", "fault"),
    in_each_language(
        pytest.param("closing", "small-get", "no-persistence", id="no-persistence"),
        pytest.param("expecting", "small-post", "wait-for-continue", id="wait-for-continue"),
        pytest.param("awaiting_continue", NEVER, "wait-for-continue", id="never-continues"),
        pytest.param("rotating", "small-get", "connections-beyond-need", id="beyond-need"),
        pytest.param("queueing", EIGHT, "pool-limit", id="pool-limit"),
        pytest.param("churning", EIGHT, "pool-churn", id="pool-churn"),
    ),
)
def test_it_is_named_where_it_is_and_nowhere_else(
    language: str, name: str, workload: str, fault: str
) -> None:
    assert fault in named(diagnosis_of(faulty(language, name), workload, iterations=150))
    assert named(diagnosis_of(faulty(language, "clean"), workload, iterations=150)) == set()


def test_who_was_asked_to_close_is_not_blamed() -> None:
    assert named(diagnosis_of(faulty("python", "closing"), "hi-get-fresh")) == set()
