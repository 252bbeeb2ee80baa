"""What a client sends, and when: clients made for a fault each, and clean ones."""

from __future__ import annotations

import pytest
from tests.diagnosis.recorded import diagnosis_of, faulty, in_each_language, named


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
    assert fault in named(diagnosis_of(faulty(language, name), workload))
    assert named(diagnosis_of(faulty(language, "clean"), workload)) == set()
