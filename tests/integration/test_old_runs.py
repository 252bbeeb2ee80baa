"""A run of an older Fetchoff can be shown but not resumed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from tests.command import Command


def test_an_old_run_is_shown_and_not_resumed(fetchoff: Command, finished_run: Path) -> None:
    run = fetchoff.folder / "old"
    shutil.copytree(finished_run, run)
    header = json.loads((run / "run.json").read_text())
    del header["schema"]
    (run / "run.json").write_text(json.dumps(header))
    journal = run / "batches.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[:-1]))  # it had not ended
    resumed = fetchoff("resume", run)
    assert resumed.status == 6
    assert "was started by Fetchoff" in resumed.err
    assert "hint: start a new run; 'fetchoff report' still shows this one" in resumed.err
    assert fetchoff("report", run).status == 0
