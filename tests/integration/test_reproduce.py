"""What somebody has reported, measured again, interrupted, and gone on with."""

from __future__ import annotations

import json
import signal

import pytest
from tests.command import Command
from tests.integration import runs

from fetchoff.store import explanations

REPORTED = "guzzle-349"
CLIENTS = ("php/guzzle", "php/curl+multi")


def test_what_was_interrupted_is_named_and_resumed_with_its_faults(fetchoff: Command) -> None:
    """One of its claims is about a fault, which only a recording can tell."""
    ready = fetchoff("setup", *CLIENTS)
    if "unavailable" in ready.err:
        pytest.skip(f"of two clients that are needed, {ready.err}")
    run = fetchoff.folder / "found" / REPORTED
    process = fetchoff.start("reproduce", REPORTED, "--budget", "4", "--out", run.parent)
    runs.wait_for_lines(run, 4, process)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert f"continue with 'fetchoff resume {run}'" in " ".join(err.split())
    assert explanations.read(run) == ()
    resumed = fetchoff("resume", run)
    assert resumed.status == 0, resumed.err
    (explained,) = explanations.read(run)
    assert explained.diagnosis.client == "php/guzzle"
    judged = json.loads((run / "claims.json").read_text())
    assert "was not explained" not in json.dumps(judged)
