"""Interrupted setup: all its processes end, and no client is recorded as unavailable."""

from __future__ import annotations

import os
import shutil
import signal
import time
from pathlib import Path

import pytest
from tests.command import FAKES, Command, fake
from tests.integration import runs
from tests.integration.processes import named, wait_for_none

CLIENTS = 6


@pytest.fixture
def slow_builders(fetchoff: Command) -> list[Path]:
    """Adapter folders whose builds never end."""
    shutil.copytree(FAKES / "_kit", fetchoff.folder / "_kit")
    folders = []
    for number in range(CLIENTS):
        folder = Path(shutil.copytree(fake("honest"), fetchoff.folder / f"c{number}"))
        manifest = (folder / "adapter.toml").read_text().replace("fake/honest", f"fake/c{number}")
        (folder / "adapter.toml").write_text(
            f'{manifest}\n[setup]\nsteps = [["sh", "-c", "sleep 500 & wait"]]\n'
        )
        folders.append(folder)
    return folders


def test_the_clients_of_a_suite(fetchoff: Command) -> None:
    clients = [str(fake(name)) for name in ("honest", "silent")]
    suite = (
        *("schema = 1", 'about = "two"', 'workloads = ["small-get"]'),
        *(f"clients = {clients}", 'except = ["fake/silent"]', 'baseline = "fake/honest"'),
    )
    (fetchoff.folder / "two.toml").write_text("\n".join(suite))
    done = fetchoff("setup", "--suite", "two.toml")
    assert done.status == 0, done.err
    assert "1 of 1 clients are ready" in done.err


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_interrupted(how: signal.Signals, slow_builders: list[Path], fetchoff: Command) -> None:
    process = fetchoff.start("setup", *slow_builders)
    named("sleep", fetchoff.folder, process)
    began = time.monotonic()
    os.killpg(process.pid, how)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "Traceback" not in err
    assert time.monotonic() - began < 20
    assert wait_for_none(fetchoff.folder) == []
    assert list(fetchoff.cache.glob("adapters/fake--c*/failed.json")) == []


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGHUP])
def test_a_run_that_is_ended_politely(how: signal.Signals, fetchoff: Command) -> None:
    """As with Ctrl-C, what was measured is kept and shown."""
    fetchoff("setup", fake("slow"), fake("wavering"))
    clients = ("-c", fake("slow"), "-c", fake("wavering"))
    process = fetchoff.start("run", "-w", "tiny.toml", *clients, "-o", "run")
    runs.wait_for_lines(fetchoff.folder / "run", 1, process)
    process.send_signal(how)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "batches are kept" in err
    assert wait_for_none(fetchoff.folder) == []
    assert not (fetchoff.folder / "run" / ".spool").exists()
