"""Help texts as users see them; `pytest --snapshot-update` takes on what was meant to change."""

from __future__ import annotations

import time

import pytest
from syrupy.assertion import SnapshotAssertion
from tests.command import Command, commands

from fetchoff.cli.main import app

COMMANDS = commands(app)
PROMPTLY_S = 0.5


def test_help_of_all(fetchoff: Command, snapshot: SnapshotAssertion) -> None:
    ran = fetchoff("--help")
    assert (ran.status, ran.err) == (0, "")
    assert ran.out == snapshot


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_one(command: str, fetchoff: Command, snapshot: SnapshotAssertion) -> None:
    ran = fetchoff(*command.split(), "--help")
    assert (ran.status, ran.err) == (0, "")
    assert ran.out == snapshot


def test_help_comes_promptly(fetchoff: Command) -> None:
    took = []
    for _ in range(5):
        began = time.monotonic()
        fetchoff("--help")
        took.append(time.monotonic() - began)
    assert min(took) < PROMPTLY_S


def test_version(fetchoff: Command) -> None:
    import fetchoff as package

    assert fetchoff("--version").out == f"fetchoff {package.__version__}\n"
