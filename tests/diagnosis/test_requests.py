"""What a client sends, and when: clients made for a fault each, and clean ones."""

from __future__ import annotations

import pytest
from tests.diagnosis.recorded import diagnosis_of, faulty, in_each_language, named

ITERATIONS = 300
"""Eight pauses: after a warm-up that was slow, fewer would be recorded, with too few of them."""


@pytest.mark.parametrize(
    ("language", "name", "workload", "fault"),
    in_each_language(
        pytest.param("twice", "small-post", "sent-twice", id="sent-twice"),
        pytest.param("offering", "small-get", "upgrade-offered", id="upgrade-offered"),
        pytest.param("pausing", "small-get", "pauses", id="pauses"),
    ),
)
def test_it_is_named_where_it_is_and_nowhere_else(
    language: str, name: str, workload: str, fault: str
) -> None:
    found = diagnosis_of(faulty(language, name), workload, iterations=ITERATIONS)
    assert fault in named(found)
    assert named(diagnosis_of(faulty(language, "clean"), workload)) == set()
