"""The folders of histories: history.json, the runs of its comparisons, and passed-over.json; or
histories.json and a folder for each client's history."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from fetchoff.model.history import HistoriesPlan, HistoryPlan, SetupFailed, SetupsFailed
from fetchoff.store import run_folder
from fetchoff.store.plan_file import PlanFile, write

HISTORY = PlanFile(run_folder.HISTORY, HistoryPlan)
HISTORIES = PlanFile(run_folder.HISTORIES, HistoriesPlan)
_PASSED_OVER = PlanFile("passed-over.json", SetupsFailed)


def setups_failed(folder: Path) -> tuple[SetupFailed, ...]:
    """The comparisons of a history in which a release could not be set up; StoreError if the file
    is damaged. How a release failed that was measured is in the run of its comparison."""
    return _PASSED_OVER.read(folder).failed if _PASSED_OVER.is_in(folder) else ()


def keep_setup_failed(folder: Path, one: SetupFailed) -> None:
    """Add another one; StoreError if that fails."""
    kept = SetupsFailed((*setups_failed(folder), one))
    hint = f"make room, and continue with 'fetchoff resume {folder}'"
    write(folder, _PASSED_OVER.name, json.dumps(asdict(kept), indent=1), hint)
