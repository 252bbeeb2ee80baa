"""Explaining two clients: who they are, and what is known before anybody is recorded."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from fetchoff.app.courses import courses
from fetchoff.app.experiments import pair
from fetchoff.app.measure import launches
from fetchoff.catalog.paths import shipped
from fetchoff.cli import compare, explain
from fetchoff.model.client import Client, Launch, Manifest, Readiness

SHIPPED = "python/http-client"


@pytest.fixture(autouse=True)
def is_set_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each client starts from its own folder."""

    def made_ready(manifest: Manifest) -> Client:
        return Client(manifest, Readiness.READY, launch=Launch((str(manifest.folder),)))

    monkeypatch.setattr(compare, "made_ready", made_ready)


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> list[Client]:
    """The clients that are to be recorded and measured; nobody is."""
    found: list[Client] = []
    monkeypatch.setattr(explain, "_explain_difference", lambda a, b, _: found.extend((a, b)))
    return found


def copy_in(folder: Path) -> str:
    return str(shutil.copytree(shipped("adapters") / SHIPPED, folder / "http-client"))


def test_a_copy_of_a_client_is_not_taken_for_its_second_process(
    measured: list[Client], tmp_path: Path
) -> None:
    explain.command(copy_in(tmp_path / "main"), copy_in(tmp_path / "mine"))
    a, b = measured
    assert (a.id, b.id) == (f"{SHIPPED}@main", f"{SHIPPED}@mine")
    assert launches([a, b]).keys() == {a.id, b.id}
    experiment = pair(a, b, courses(["small-get"]), budget_s=1, seed=1)
    assert [one.client for one in experiment.entrants[:2]] == [a.id, b.id]


def test_a_client_beside_itself_is_two_processes_of_it(measured: list[Client]) -> None:
    explain.command(SHIPPED, SHIPPED)
    assert [each.id for each in measured] == [SHIPPED, SHIPPED]
