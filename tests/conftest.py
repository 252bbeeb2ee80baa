"""Options and fixtures that several tests share."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any

import pytest
from _pytest.terminal import TerminalReporter
from hypothesis import settings
from tests.command import Command, fake
from tests.contract.tally import Tally
from tests.partition import Part, left_out, rotated, taken

# How long an example takes is the machine's affair: no test is timed. An example that fails is
# printed with what makes it again.
settings.register_profile("untimed", deadline=None, print_blob=True)
settings.load_profile("untimed")

LEFT_OUT = pytest.StashKey[list[str]]()
NOTHING: list[str] = []

WORKLOAD = """\
schema = 1
about = "GET of 16 bytes in short batches"
batch_ms = 2

[settings]
reuse = "either"

[[exchange]]
target = "/bytes/16"
expect = { bytes = 16 }
"""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--part", type=Part, default=Part.ALL, help="quick, rest or all")
    parser.addoption("--language", default="", help="only the contract of its clients")
    parser.addoption(
        "--until", type=float, help="skip the tests that would begin after this Unix time, in s"
    )
    parser.addoption(
        "--rotate", type=float, default=0.0, help="begin after this share of the tests, 0 to 1"
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    part, language = config.getoption("part"), config.getoption("language")
    others = [item for item in items if not taken(item.nodeid, part, language)]
    of_part = [item for item in items if taken(item.nodeid, part, language)]
    items[:] = rotated(of_part, config.getoption("rotate"))
    config.hook.pytest_deselected(items=others)
    config.stash[LEFT_OUT] = [item.nodeid for item in others]


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    until: float | None = item.config.getoption("until")
    is_again = getattr(item, "execution_count", 1) > 1  # a failure stays one when time is over
    if until is not None and time.time() > until and not is_again:
        pytest.skip("not begun: the time that was given (--until) is over")


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A worker of pytest-xdist sends what the summary needs to the main process."""
    sent: dict[str, Any] | None = getattr(session.config, "workeroutput", None)
    if sent is not None:
        sent["left out"] = session.config.stash.get(LEFT_OUT, NOTHING)
        sent["contract"] = Tally.of(session.config).to_send()


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """A worker of pytest-xdist has ended: add its results. All workers leave out the same."""
    sent = getattr(node, "workeroutput", {})
    if "contract" in sent:
        node.config.stash[LEFT_OUT] = sent["left out"]
        Tally.of(node.config).add(sent["contract"])


def pytest_terminal_summary(terminalreporter: TerminalReporter, config: pytest.Config) -> None:
    for line in Tally.of(config).lines():
        terminalreporter.write_line(line)
    if config.getoption("part") is Part.QUICK:
        others: list[str] = config.stash.get(LEFT_OUT, NOTHING)
        terminalreporter.write_line(
            f"left out: {left_out(others)}; 'make test-all' runs everything"
        )


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A separate cache folder, so that tests never use the user's."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def fetchoff(tmp_path: Path, cache: Path) -> Command:
    """The command in a folder that holds `tiny.toml`, and `steady.toml` with longer batches.

    Batches of 2 ms are quick to measure, but too short for a conclusion.
    """
    (tmp_path / "tiny.toml").write_text(WORKLOAD)
    (tmp_path / "steady.toml").write_text(WORKLOAD.replace("batch_ms = 2", "batch_ms = 20"))
    return Command(tmp_path, cache)


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder for the temporary files of the harness, its clients and other processes."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return tmp_path


@pytest.fixture(scope="session")
def finished_run(tmp_path_factory: pytest.TempPathFactory, cache: Path) -> Path:
    """The folder of a complete run of two fakes; copy it before changing it."""
    folder = tmp_path_factory.mktemp("finished")
    (folder / "tiny.toml").write_text(WORKLOAD)
    command = Command(folder, cache)
    clients = ("--client", fake("honest"), "--client", fake("slow"))
    command("setup", fake("honest"), fake("slow"))
    ran = command("run", "-w", "tiny.toml", *clients, "--budget", "3", "--seed", "1", "-o", "run")
    assert ran.status == 0, ran.err
    return folder / "run"
