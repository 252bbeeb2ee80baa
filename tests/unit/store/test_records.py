"""Records to lines and back: what was kept is what is read."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fetchoff.model.link import Calibration, Emulated, Passage
from fetchoff.model.observation import (
    Batch,
    Cost,
    Ended,
    HostLost,
    Interrupted,
    Invocation,
    LinkCalibrated,
    LinkUsed,
    Outcome,
    Record,
    RoundDone,
    SectionDone,
    Seen,
    Turns,
    TurnsGiven,
    Usage,
)
from fetchoff.store.records import from_line, to_line

counts = st.integers(0, 2**63)
texts = st.text(st.characters(codec="utf-8"))
seconds = st.floats(0, 1e9)
seen = st.builds(Seen, counts, counts, counts, counts, counts)
costs = st.builds(Cost, counts, counts, counts | st.none(), counts, counts)
usages = st.builds(Usage, counts, counts, counts, counts, counts)
json_values = st.recursive(
    st.none() | st.booleans() | counts | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=5,
)
batches = st.builds(Batch, *[counts] * 2, texts, *[counts] * 2, texts, *[counts] * 5, costs, seen)
invocations = st.builds(
    Invocation,
    counts,
    counts,
    texts,
    texts,
    texts,
    st.sampled_from(Outcome),
    texts,
    counts,
    counts,
    seconds,
    usages,
    st.dictionaries(texts, json_values, max_size=4),
    counts,
    seconds,
    seconds,
    st.lists(st.tuples(counts, seconds), max_size=3).map(tuple),
    st.booleans(),
)
by_turn = st.lists(counts, max_size=3).map(tuple)
turns = st.builds(
    Turns,
    *[counts] * 2,
    *[texts] * 2,
    *[counts] * 4,
    *[by_turn] * 10,
    *[counts] * 2,
    seen,
    *[counts] * 3,
    seconds,
)
groups = st.builds(
    TurnsGiven,
    *[counts] * 2,
    texts,
    st.lists(texts, max_size=3).map(tuple),
    *[counts] * 5,
    texts,
)
passages = st.builds(Passage, st.none() | seconds, counts, counts)
calibrations = st.builds(
    Calibration,
    texts,
    texts,
    texts,
    counts,
    seconds,
    seconds,
    passages,
    passages,
    st.lists(texts, max_size=3).map(tuple),
)
emulated = st.builds(Emulated, *[counts] * 7)
records: st.SearchStrategy[Record] = st.one_of(
    batches,
    turns,
    groups,
    invocations,
    st.builds(LinkCalibrated, counts, calibrations),
    st.builds(LinkUsed, counts, counts, texts, emulated, texts),
    st.builds(SectionDone, counts, counts, texts, seconds),
    st.builds(RoundDone, counts, seconds),
    st.builds(Interrupted, counts, counts, texts, texts),
    st.builds(HostLost, counts, texts),
    st.builds(Ended, texts, counts),
)


def of_host(record: Record, host: str) -> Record:
    return record if isinstance(record, Ended) else replace(record, host=host)


@given(st.builds(of_host, records, texts))
def test_round_trip(record: Record) -> None:
    line = to_line(record)
    assert line.endswith(b"\n") and line.count(b"\n") == 1
    assert from_line(line) == record


@given(records, st.data())
def test_no_part_of_a_line_is_a_record(record: Record, data: st.DataObject) -> None:
    line = to_line(record)
    cut = data.draw(st.integers(0, len(line) - 2))
    with pytest.raises(ValueError):
        from_line(line[:cut])


@given(st.binary() | json_values.map(repr).map(str.encode))
def test_anything_else_is_refused(line: bytes) -> None:
    with pytest.raises(ValueError):
        from_line(line)


@pytest.mark.parametrize(
    "line",
    [
        b'{"kind":"ended","reason":"budget","rounds":"many"}',
        b'{"kind":"ended","reason":"budget"}',
        b'{"kind":"batch","rounds":1}',
        b'{"kind":"no such kind"}',
        b'["ended"]',
    ],
)
def test_a_record_without_what_its_kind_has_is_none(line: bytes) -> None:
    with pytest.raises(ValueError):
        from_line(line)


@given(records)
def test_a_line_of_before_hosts_were_kept_is_of_the_machine_of_the_run(record: Record) -> None:
    document = json.loads(to_line(record))
    assert document.pop("host", "") == ""
    assert from_line(json.dumps(document).encode()) == record


@given(batches)
def test_a_slot_is_a_place_in_the_plan(batch: Batch) -> None:
    assert batch.slot == (batch.sample, batch.workload, batch.block, batch.entrant)
