"""A journal in memory, and a listener that keeps what it is told."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from fetchoff.model.observation import Record
from fetchoff.run.schedule.events import Nobody

Kind = TypeVar("Kind")


class Memory:
    """A journal that nobody else reads."""

    def __init__(self, records: Sequence[Record] = ()) -> None:
        self._records = list(records)

    def append(self, record: Record) -> None:
        self._records.append(record)

    def records(self) -> Sequence[Record]:
        return self._records

    def of(self, kind: type[Kind]) -> list[Kind]:
        """The records of a kind, in order."""
        return [record for record in self._records if isinstance(record, kind)]


class Troubles(Nobody):
    """Keeps the troubles that it is told, and how long rounds took."""

    def __init__(self) -> None:
        self.told: list[str] = []
        self.seconds: list[float] = []

    def round_done(self, number: int, seconds: float) -> None:
        self.seconds.append(seconds)

    def trouble(self, text: str) -> None:
        self.told.append(text)
