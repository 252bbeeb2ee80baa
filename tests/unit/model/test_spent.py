"""What a run has spent of its budget."""

from __future__ import annotations

from fetchoff.model.observation import Record, RoundDone, SectionDone
from fetchoff.model.spent import Spent


def test_a_whole_round_has_taken_what_no_section_counts_too() -> None:
    assert Spent([SectionDone(0, 0, "get", 7.0), RoundDone(0, 10.0)]).seconds == 10.0


def test_of_a_round_that_is_not_whole_the_sections_count() -> None:
    records: list[Record] = [
        SectionDone(0, 0, "get", 7.0),
        SectionDone(0, 0, "post", 5.0),
        RoundDone(0, 20.0),
        SectionDone(1, 0, "get", 6.0),
        SectionDone(1, 0, "post", 3.0),
    ]
    assert Spent(records).seconds == 29.0
    assert Spent().seconds == 0.0
