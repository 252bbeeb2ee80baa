"""Counts of the contract, at the end of the tests."""

from __future__ import annotations

from collections import Counter

import pytest
from _pytest.terminal import TerminalReporter

from fetchoff.contract.case import Verdict

KEY = pytest.StashKey[Counter[Verdict]]()


@pytest.fixture(scope="session")
def contract(request: pytest.FixtureRequest) -> Counter[Verdict]:
    """Verdicts of all cases of all adapters."""
    return request.config.stash.setdefault(KEY, Counter())


def pytest_terminal_summary(terminalreporter: TerminalReporter, config: pytest.Config) -> None:
    found = config.stash.get(KEY, None)
    if found:
        told = ", ".join(f"{count} {verdict}" for verdict, count in sorted(found.items()))
        terminalreporter.write_line(f"contract: {told}")
