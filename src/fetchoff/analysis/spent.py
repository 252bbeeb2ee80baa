"""How much of its budget a run has spent."""

from __future__ import annotations

from collections.abc import Iterable

from fetchoff.model.observation import Record, RoundDone, SectionDone


def spent_s(records: Iterable[Record]) -> float:
    """Seconds of measuring on one machine, as the run's budget counts them: with what no section
    counts; of a round that was not measured whole, its sections alone."""
    rounds: dict[int, float] = {}
    for record in records:
        if isinstance(record, SectionDone):
            rounds[record.round] = rounds.get(record.round, 0.0) + record.seconds
        elif isinstance(record, RoundDone):
            rounds[record.round] = record.seconds
    return sum(rounds.values())
