"""The control channel of the tap, as docs/tap.md has it."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fetchoff.model.recording import Segment, Side
from fetchoff.protocol import tap as control
from fetchoff.protocol.fields import Garbled
from fetchoff.protocol.tap import Refusal, Tapped

numbers = st.integers(0, 2**32 - 1)
segments = st.builds(
    Segment,
    st.integers(0, 2**63 - 1),
    st.sampled_from(Side),
    st.integers(0, 2**16 - 1),
    numbers,
    numbers,
    st.integers(0, 255),
    numbers,
    numbers,
)
ROW: dict[str, object] = {
    "at_ns": 5,
    "sender": "client",
    "port": 51000,
    "sequence": 1,
    "acknowledged": 2,
    "flags": 24,
    "window": 512,
    "size": 100,
}


def as_json(message: object) -> Any:
    return json.loads(json.dumps(message))


@given(st.lists(segments), numbers)
def test_segments_come_as_they_were_told(told: list[Segment], lost: int) -> None:
    message = as_json({"segments": [asdict(one) for one in told], "lost": lost})
    assert control.read_tapped(message) == Tapped(tuple(told), lost)


@given(
    st.sampled_from(sorted(ROW)), st.sampled_from([None, "x", [], {}, 0.5]), st.sampled_from([0, 1])
)
def test_a_garbled_segment_is_named(field: str, value: object, drop: int) -> None:
    row = {k: v for k, v in ROW.items() if k != field}
    if not drop:
        row[field] = value
    with pytest.raises(Garbled, match=field):
        control.read_tapped({"segments": [ROW, row], "lost": 0})


@pytest.mark.parametrize("message", [{}, {"segments": {}, "lost": 0}, {"segments": [], "lost": -1}])
def test_an_answer_without_its_members(message: dict[str, object]) -> None:
    with pytest.raises(Garbled):
        control.read_tapped(message)


def test_what_went_wrong_meanwhile_is_told() -> None:
    message = {"segments": [ROW], "lost": 3, "fault": "No space left on device"}
    tapped = control.read_tapped(message)
    assert (len(tapped.segments), tapped.lost) == (1, 3)
    assert tapped.fault == "No space left on device"


def test_asking() -> None:
    assert control.start([8000], 9, Path("/tmp/k.pcapng")) == {
        "op": "start",
        "ports": [8000],
        "most": 9,
        "keep": "/tmp/k.pcapng",
    }
    assert control.start([8000], 9, None)["keep"] is None
    assert control.stop() == {"op": "stop"}


def test_refusals() -> None:
    assert control.read_refusal({"interface": "lo"}) is None
    assert control.read_refusal({"error": "no", "hint": "do"}) == Refusal("no", "do")
    assert control.read_refusal({"error": "no"}) == Refusal("no", "")
    with pytest.raises(Garbled):
        control.read_refusal({"error": 1})


def test_only_this_version_is_understood() -> None:
    control.must_greet({"tap": "fetchoff-tap", "protocol": 1})
    with pytest.raises(Garbled, match="speaks version 2"):
        control.must_greet({"tap": "fetchoff-tap", "protocol": 2})
