"""What the recordings of the releases on both sides of a history's steps show."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from fetchoff.app.explain import Say
from fetchoff.app.explaining import explained_in
from fetchoff.app.history import CannotBeMeasured
from fetchoff.model.client import Client, ClientId
from fetchoff.model.course import Course
from fetchoff.model.history import History, HistoryPlan, Why
from fetchoff.store import explanations


def explain_steps(
    history: History, folder: Path, ready: Callable[[str], Client], say: Say
) -> tuple[Why, ...]:
    """Record the releases on both sides of each step, and keep that in the history's folder.

    A release that can't be recorded is told and left out.
    """
    explained_in(folder, _sides(history, ready, say), say)
    return whys(history, folder)


def whys(history: History, folder: Path) -> tuple[Why, ...]:
    """What the folder keeps of the sides of the steps; a step without any is left out."""
    plan = history.plan
    kept = {
        each.diagnosis.client: each
        for each in explanations.read(folder)
        if each.diagnosis.course == plan.course.id
    }
    found = (
        Why(
            step,
            kept.get(_client_id(plan, step.older)),
            kept.get(_client_id(plan, step.newer)),
        )
        for step in history.steps
    )
    return tuple(why for why in found if why.older or why.newer)


def _sides(
    history: History, ready: Callable[[str], Client], say: Say
) -> Iterator[tuple[Course, Client]]:
    for step in history.steps:
        for version in (step.older, step.newer):
            try:
                yield history.plan.course, ready(version)
            except CannotBeMeasured as error:
                say(f"{error.version} cannot be explained: {error.reason}")


def _client_id(plan: HistoryPlan, version: str) -> str:
    return str(replace(ClientId.parse(plan.client), version=version))
