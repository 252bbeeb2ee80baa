"""What is kept of a gate."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

from benches.gates.libraries import Change

from fetchoff.model.gate import Answer
from fetchoff.model.witness import Counter

WITHHELD = "withheld"
COUNTS = {
    Change.CALL: Counter.STRACE,
    Change.FIELD: Counter.LEDGER,
    Change.ALLOCATION: Counter.ALLOCATOR,
}
"""Which counter sees a change. None sees the others, but whatever runs may allocate."""


@dataclass(frozen=True)
class Gated:
    """What one gate said. `ratios`: by clock; `ns`: the loop in each exchange of head; `aim_ns`:
    what that is to add in all; `cpu_us`: of base's exchange; `counted`: quantities of an exchange
    that differ, by counter; `missing`: why nothing was counted, by counter; `has_interval`: by one
    clock at least. Lines of before these were kept have no `rounds`."""

    client: str
    change: Change
    seed: int
    end: str
    answers: dict[str, str]
    ratios: dict[str, float]
    ns: int
    cpu_us: float
    counted: dict[str, list[str]]
    seconds: float
    aim_ns: int = 0
    rounds: int | None = None
    has_interval: bool = True
    missing: dict[str, str] = field(default_factory=dict)

    @property
    def can_tell(self) -> bool:
        """Whether its verdict might have been wrong: in too few rounds, whatever differs can't be
        told."""
        return not self.is_withheld and self.has_interval

    @property
    def can_count(self) -> bool:
        """Whether what is added would have been counted, or a call where nothing is added."""
        counter = COUNTS.get(self.change, Counter.STRACE)
        return not self.is_withheld and counter not in self.missing

    @property
    def is_withheld(self) -> bool:
        return self.end == WITHHELD

    @property
    def added_ns(self) -> float:
        """CPU time that head's exchange takes more, as the gate estimates it."""
        return (self.ratios["cpu"] - 1) * self.cpu_us * 1e3

    @property
    def is_told_apart(self) -> bool:
        """Whether it calls head slower or faster, and is to be believed."""
        told = {Answer.SLOWER, Answer.FASTER} & set(self.answers.values())
        return self.can_tell and bool(told)

    @property
    def is_counted(self) -> bool:
        """Whether the counter that sees the change counted something more."""
        return bool(self.counted.get(COUNTS.get(self.change, ""), ()))

    @property
    def is_miscounted(self) -> bool:
        """Whether a counter that doesn't see the change counted something more."""
        seeing = {COUNTS.get(self.change)}
        if self.change is not Change.COMMENT:
            seeing.add(Counter.ALLOCATOR)
        return any(found for counter, found in self.counted.items() if counter not in seeing)


def kept(path: Path | None) -> list[Gated]:
    """Those of a file of JSON lines; none without one."""
    if path is None or not path.exists():
        return []
    documents = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return [Gated(**{**one, "change": Change(one["change"])}) for one in documents]
