"""Help texts as users see them; `pytest --snapshot-update` takes on what was meant to change."""

from __future__ import annotations

import time

import pytest
from syrupy.assertion import SnapshotAssertion
from tests.command import Command

from fetchoff.cli import fleet
from fetchoff.cli.main import app

COMMANDS = sorted(str(command.name) for command in app.registered_commands)
FLEET = sorted(str(command.name) for command in fleet.app.registered_commands)
PROMPTLY_S = 0.25


def test_help_of_all(fetchoff: Command, snapshot: SnapshotAssertion) -> None:
    ran = fetchoff("--help")
    assert (ran.status, ran.err) == (0, "")
    assert ran.out == snapshot


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_one(command: str, fetchoff: Command, snapshot: SnapshotAssertion) -> None:
    ran = fetchoff(command, "--help")
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


@pytest.mark.parametrize("command", ["", *FLEET])
def test_help_of_fleets(command: str, fetchoff: Command, snapshot: SnapshotAssertion) -> None:
    ran = fetchoff("fleet", *filter(None, [command]), "--help")
    assert (ran.status, ran.err) == (0, "")
    assert ran.out == snapshot
