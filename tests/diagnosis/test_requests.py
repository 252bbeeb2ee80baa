"""What a client sends, and when: clients made for a fault each, and clean ones."""

from __future__ import annotations

import pytest
from tests.diagnosis.recorded import diagnosis_of, faulty, named


@pytest.mark.parametrize(
    ("name", "workload", "fault"),
    [
        pytest.param("twice", "small-post", "sent-twice", id="sent-twice"),
        pytest.param("offering", "small-get", "upgrade-offered", id="upgrade-offered"),
        pytest.param("pausing", "small-get", "pauses", id="pauses"),
    ],
)
def test_it_is_named_where_it_is_and_nowhere_else(name: str, workload: str, fault: str) -> None:
    assert fault in named(diagnosis_of(faulty("python", name), workload))
    assert named(diagnosis_of(faulty("python", "clean"), workload)) == set()
