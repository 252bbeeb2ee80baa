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
from fetchoff.model.errors import InputError, StoreError
from fetchoff.store.run_folder import HEADER

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


@pytest.fixture
def explained_one(monkeypatch: pytest.MonkeyPatch) -> list[Client]:
    """The clients that are to be recorded one by one; nobody is."""
    found: list[Client] = []
    monkeypatch.setattr(explain, "_explain_one", lambda client, _: found.append(client))
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


def test_a_link_over_which_nothing_is_measured_is_told_before_anything_is_recorded(
    measured: list[Client], explained_one: list[Client]
) -> None:
    with pytest.raises(InputError, match="has names"):
        explain.command(SHIPPED, "python/urllib3", link="dead-ipv6")
    assert not measured
    explain.command(SHIPPED, link="dead-ipv6")
    assert explained_one


def test_a_folder_that_holds_a_run_is_told_before_anything_is_recorded(
    measured: list[Client], explained_one: list[Client], tmp_path: Path
) -> None:
    (tmp_path / HEADER).write_text("{}")
    for other in (None, "python/urllib3"):
        with pytest.raises(StoreError, match="already holds a run"):
            explain.command(SHIPPED, other, out=tmp_path)
    assert not measured
    assert not explained_one
    explain.command(SHIPPED, out=tmp_path, tries=False)  # which measures nothing
    assert explained_one
