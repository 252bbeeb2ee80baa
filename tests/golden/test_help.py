"""Help texts as users see them; `pytest --snapshot-update` takes on what was meant to change."""

from __future__ import annotations

import subprocess
import sys

import pytest
from syrupy.assertion import SnapshotAssertion
from tests.command import Command, commands

from fetchoff.cli.main import app

COMMANDS = commands(app)


def test_help_of_all(fetchoff: Command, snapshot: SnapshotAssertion) -> None:
    ran = fetchoff("--help")
    assert (ran.status, ran.err) == (0, "")
    assert ran.out == snapshot


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_one(command: str, fetchoff: Command, snapshot: SnapshotAssertion) -> None:
    ran = fetchoff(*command.split(), "--help")
    assert (ran.status, ran.err) == (0, "")
    assert ran.out == snapshot


def test_help_loads_nothing_that_takes_long() -> None:
    """Help comes promptly: loading any of these takes longer than all the rest of it."""
    code = "import sys; from fetchoff.cli.main import app; app(['--help'], standalone_mode=False)"
    code += "; print(*sys.modules, file=sys.stderr)"
    argv = [sys.executable, "-c", code]
    done = subprocess.run(argv, capture_output=True, text=True, check=True)
    assert done.stdout.lstrip().startswith("Usage: ")
    loaded = done.stderr.split()
    assert "fetchoff.cli.main" in loaded
    assert not {"numpy", "scipy", "jinja2", "altair", "distributed"} & set(loaded)


def test_version(fetchoff: Command) -> None:
    import fetchoff as package

    assert fetchoff("--version").out == f"fetchoff {package.__version__}\n"
