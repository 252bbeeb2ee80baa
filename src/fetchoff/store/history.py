"""The folders of histories: history.json and the runs of its comparisons; or histories.json and a
folder for each client's history."""

from __future__ import annotations

from fetchoff.model.history import HistoriesPlan, HistoryPlan
from fetchoff.store import run_folder
from fetchoff.store.plan_file import PlanFile

HISTORY = PlanFile(run_folder.HISTORY, HistoryPlan)
HISTORIES = PlanFile(run_folder.HISTORIES, HistoriesPlan)
