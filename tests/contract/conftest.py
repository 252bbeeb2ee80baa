"""Counts of the contract, and what passed only the second time, at the end of the tests."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import pytest
from _pytest.terminal import TerminalReporter


@dataclass
class Tally:
    """Verdicts of all cases of all adapters; `unsteady`: a line for each that failed once."""

    verdicts: Counter[str] = field(default_factory=Counter)
    unsteady: list[str] = field(default_factory=list)


KEY = pytest.StashKey[Tally]()
SENT = "contract"  # from the process that ran some of the tests to the one that tells


@pytest.fixture(scope="session")
def tally(request: pytest.FixtureRequest) -> Tally:
    """Of this process of the tests."""
    return _of(request.config)


def _of(config: pytest.Config) -> Tally:
    return config.stash.setdefault(KEY, Tally())


def pytest_sessionfinish(session: pytest.Session) -> None:
    sent: dict[str, Any] | None = getattr(session.config, "workeroutput", None)
    if sent is not None:
        own = _of(session.config)
        sent[SENT] = {"verdicts": dict(own.verdicts), "unsteady": own.unsteady}


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Of pytest-xdist: a process has ended."""
    sent = getattr(node, "workeroutput", {}).get(SENT, {"verdicts": {}, "unsteady": []})
    all_of_it = _of(node.config)
    all_of_it.verdicts.update(sent["verdicts"])
    all_of_it.unsteady += sent["unsteady"]


def pytest_terminal_summary(terminalreporter: TerminalReporter, config: pytest.Config) -> None:
    found = _of(config)
    if found.verdicts:
        told = ", ".join(f"{count} {verdict}" for verdict, count in sorted(found.verdicts.items()))
        terminalreporter.write_line(f"contract: {told}, {len(found.unsteady)} unsteady")
        for line in found.unsteady:
            terminalreporter.write_line(f"unsteady: {line}")
