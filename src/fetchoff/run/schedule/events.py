"""Where the runner reports to: a journal and a listener. It prints nothing itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from fetchoff.model.observation import Batch, Record


class Journal(Protocol):
    """Where observations are kept: appended, never rewritten."""

    def append(self, record: Record) -> None:
        """Keep a record; raises StoreError when it cannot be kept."""

    def records(self) -> Sequence[Record]:
        """All that was kept so far, in order."""


class Listener(Protocol):
    """Watches a run: a progress display, a test."""

    def round_began(self, number: int, of: int) -> None: ...
    def step_began(self, workload: str, step: str, of: int) -> None: ...
    def step_went_on(self) -> None: ...
    def batch_done(self, batch: Batch) -> None: ...
    def trouble(self, text: str) -> None: ...
    def round_done(self, number: int, seconds: float) -> None: ...


class Nobody:
    """Ignores everything."""

    def round_began(self, number: int, of: int) -> None: ...
    def step_began(self, workload: str, step: str, of: int) -> None: ...
    def step_went_on(self) -> None: ...
    def batch_done(self, batch: Batch) -> None: ...
    def trouble(self, text: str) -> None: ...
    def round_done(self, number: int, seconds: float) -> None: ...
