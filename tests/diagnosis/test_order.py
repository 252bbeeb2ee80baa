"""In which order a client works and asks: clients made for a fault each, and clean ones."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.diagnosis.recorded import diagnosis_of, faulty, named

EIGHT = str(Path(__file__).parent / "workloads" / "eight-at-once.toml")


@pytest.mark.parametrize(
    ("name", "clean", "workload", "fault"),
    [
        pytest.param("preflight", "clean", "small-get", "extra-round-trips", id="preflight"),
        pytest.param("old_tls", "clean", "handshake-full", "extra-round-trips", id="old-tls"),
        pytest.param("blocking_loop", "clean_async", EIGHT, "blocked-loop", id="blocked-loop"),
    ],
)
def test_it_is_named_where_it_is_and_nowhere_else(
    name: str, clean: str, workload: str, fault: str
) -> None:
    assert fault in named(diagnosis_of(faulty("python", name), workload))
    assert named(diagnosis_of(faulty("python", clean), workload)) == set()
