"""Count the verdicts of all contract cases, over all processes that run tests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from fetchoff.contract.case import CaseVerdict, Result
from fetchoff.contract.suite import HELLO, NOT_TRIED

Pair = tuple[Result, Result]


def tried_again(
    first: Sequence[Result], judged: Callable[[str], Sequence[Result]]
) -> Iterator[Pair]:
    """The first result of each case, and the one that counts: that of a second try if it failed.

    `judged` tries the cases whose name contains a string, or all. All are tried again where the
    first try did not come to all of them.
    """
    failed = [one.case for one in first if one.verdict is CaseVerdict.FAILED]
    if HELLO in failed or NOT_TRIED in failed:
        known = {one.case: one for one in first}
        yield from ((known.get(one.case, one), one) for one in judged(""))
        return
    for one in first:
        second = {two.case: two for two in judged(one.case)} if one.case in failed else {}
        yield one, second.get(one.case, one)


@dataclass
class Tally:
    """Verdicts of all cases of all adapters; `unsteady`: a line for each that failed once."""

    verdicts: Counter[str] = field(default_factory=Counter)
    unsteady: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, config: pytest.Config) -> Tally:
        """Of this process."""
        return config.stash.setdefault(_KEY, cls())

    def count(self, client: str, pairs: Iterable[Pair]) -> None:
        """The cases of one adapter: each with its verdict, and those that did not fail again."""
        for first, last in pairs:
            self.verdicts[last.verdict.value] += 1  # a plain string: workers send it
            if last.verdict is CaseVerdict.PASSED and (fault := first.text or last.text):
                self.unsteady.append(f"{client} {last.case}: {fault}")

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
            yield f"contract: {counts}; {len(self.unsteady)} of them only when tried again"
        yield from (f"unsteady: {line}" for line in self.unsteady)


_KEY = pytest.StashKey[Tally]()
