"""Which clients of a suite take part in a run."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tests.command import FAKES, Command, fake
from tests.integration.runs import results

SUITE = """\
schema = 1
about = "one that is always there, and one that is welcome"
workloads = ["small-get"]
clients = ["honest"]
if_ready = ["slow"]
baseline = ""
budget_s = 1
blocks = 2
"""


@pytest.fixture
def suite(fetchoff: Command) -> Path:
    """A suite file beside the two adapter folders that it names."""
    shutil.copytree(FAKES / "_kit", fetchoff.folder / "_kit")
    for name in ("honest", "slow"):
        shutil.copytree(fake(name), fetchoff.folder / name)
    # Unique content, so that another test's build of it isn't reused.
    (fetchoff.folder / "slow" / "note").write_text("of this test")
    path = fetchoff.folder / "suite.toml"
    path.write_text(SUITE)
    return path


def taking_part(fetchoff: Command, suite: Path, out: str) -> set[str]:
    ran = fetchoff("run", suite, "--setup", "--out", out)
    assert ran.status == 0, ran.err
    return {card["client"] for card in results(fetchoff.folder / out)["cards"]}


def test_who_is_welcome_takes_part_once_it_is_ready(fetchoff: Command, suite: Path) -> None:
    assert taking_part(fetchoff, suite, "before") == {"fake/honest"}
    assert fetchoff("setup", "slow").status == 0
    assert taking_part(fetchoff, suite, "after") == {"fake/honest", "fake/slow"}
