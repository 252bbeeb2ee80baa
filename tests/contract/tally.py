"""Count the verdicts of all contract cases, over all processes that run tests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest


@dataclass
class Tally:
    """Verdicts of all cases of all adapters; `unsteady`: a line for each that failed once."""

    verdicts: Counter[str] = field(default_factory=Counter)
    unsteady: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, config: pytest.Config) -> Tally:
        """Of this process."""
        return config.stash.setdefault(_KEY, cls())

    def add(self, sent: dict[str, Any]) -> None:
        """Add the counts that another process sent."""
        self.verdicts.update(sent["verdicts"])
        self.unsteady += sent["unsteady"]

    def to_send(self) -> dict[str, Any]:
        return {"verdicts": dict(self.verdicts), "unsteady": self.unsteady}

    def lines(self) -> Iterator[str]:
        """The lines of the final summary."""
        if self.verdicts:
            found = sorted(self.verdicts.items())
            counts = ", ".join(f"{count} {verdict}" for verdict, count in found)
            yield f"contract: {counts}, {len(self.unsteady)} unsteady"
        yield from (f"unsteady: {line}" for line in self.unsteady)


_KEY = pytest.StashKey[Tally]()
