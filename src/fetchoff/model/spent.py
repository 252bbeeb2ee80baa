"""How much of its budget a run has spent."""

from __future__ import annotations

from collections.abc import Iterable

from fetchoff.model.observation import Record, RoundDone, SectionDone


class Spent:
    """Seconds of measuring on one machine. `by_round`: by number, with what no section counts, such
    as starting processes; of a round that was not measured whole, its sections alone."""

    def __init__(self, records: Iterable[Record] = ()) -> None:
        self.by_round: dict[int, float] = {}
        for record in records:
            self.note(record)

    def note(self, record: Record) -> None:
        """Another record of this machine."""
        if isinstance(record, SectionDone):
            self.by_round[record.round] = self.by_round.get(record.round, 0.0) + record.seconds
        elif isinstance(record, RoundDone):
            self.by_round[record.round] = record.seconds

    @property
    def seconds(self) -> float:
        """Of all rounds."""
        return sum(self.by_round.values())
