"""The folders of histories: history.json and the runs of its comparisons; or histories.json and a
folder for each client's history."""

from __future__ import annotations

from fetchoff.model.history import HistoriesPlan, HistoryPlan
from fetchoff.store.plan_file import PlanFile

HISTORY = PlanFile("history.json", HistoryPlan, "a history")
HISTORIES = PlanFile("histories.json", HistoriesPlan, "histories")
