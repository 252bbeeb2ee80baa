"""Counts of the contract, and what passed only the second time, at the end of the tests."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import pytest
from _pytest.terminal import TerminalReporter

from fetchoff.contract.case import Verdict


@dataclass
class Tally:
    """Verdicts of all cases of all adapters; `unsteady`: a line for each that failed once."""

    verdicts: Counter[Verdict] = field(default_factory=Counter)
    unsteady: list[str] = field(default_factory=list)


KEY = pytest.StashKey[Tally]()


@pytest.fixture(scope="session")
def tally(request: pytest.FixtureRequest) -> Tally:
    """Of this run of the tests."""
    return request.config.stash.setdefault(KEY, Tally())


def pytest_terminal_summary(terminalreporter: TerminalReporter, config: pytest.Config) -> None:
    found = config.stash.get(KEY, None)
    if found:
        told = ", ".join(f"{count} {verdict}" for verdict, count in sorted(found.verdicts.items()))
        terminalreporter.write_line(f"contract: {told}, {len(found.unsteady)} unsteady")
        for line in found.unsteady:
            terminalreporter.write_line(f"unsteady: {line}")
