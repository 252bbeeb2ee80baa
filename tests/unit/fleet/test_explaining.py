"""What hosts explain is kept by the run, each by itself, and shown."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.unit.app.test_fleet_results import HOSTS, folder_with
from tests.unit.fleet.fakes import FakeCluster, Fate
from tests.unit.report.explained import explanation

from fetchoff.app.fleet_results import explained_on, explanations_of, write_fleet
from fetchoff.cli.fleet import measuring
from fetchoff.fleet.explaining import explain_on_hosts
from fetchoff.fleet.seam.cluster import Here
from fetchoff.fleet.seam.told import Explaining
from fetchoff.model.errors import HostError, StoreError
from fetchoff.model.explanation import Explanation
from fetchoff.store.run_folder import RunFolder

SLOW = "c/slow"


def explain(asked: Explaining, _here: Here) -> tuple[Explanation, ...]:
    assert asked.run == "run"
    return (explanation(SLOW, "get-0"),)


def explain_but(asked: Explaining, here: Here) -> tuple[Explanation, ...]:
    if asked.host == HOSTS[0]:
        raise HostError("its tracer is gone")
    return explain(asked, here)


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    return folder_with(tmp_path / "run", 5)


def test_what_each_host_explains_is_in_its_report_and_in_the_files(folder: RunFolder) -> None:
    said: list[str] = []
    explain_on_hosts(folder, FakeCluster(HOSTS), explain, said.append)
    assert said == []
    found: dict[str, tuple[Explanation, ...]] = {}
    write_fleet(folder, lambda host, own: found.update({host: own.explanations}))
    assert found == {host: (explanation(SLOW, "get-0"),) for host in HOSTS}
    document = json.loads((folder.path / "results.json").read_text())
    assert [each["host"] for each in document["explanations"]] == list(HOSTS)
    title = explanation().known[0].title
    assert title in (folder.path / "hosts" / "anna.html").read_text()


def test_a_host_that_cannot_and_one_that_is_gone_are_told_and_left_out(folder: RunFolder) -> None:
    said: list[str] = []
    explain_on_hosts(folder, FakeCluster(HOSTS), explain_but, said.append)
    gone = FakeCluster(HOSTS, {HOSTS[0]: [Fate.GONE]})
    explain_on_hosts(folder, gone, explain, said.append)
    assert said == [
        "anna explains nothing: its tracer is gone",
        "anna explains nothing: it is not there any more",
    ]
    assert [host for host, _ in explanations_of(folder)] == [HOSTS[1]]


class Counting(FakeCluster):
    """Counts how often it is asked who is there."""

    asked = 0

    def present(self) -> frozenset[str]:
        self.asked += 1
        return super().present()


def test_who_is_not_there_is_told_and_not_waited_for(folder: RunFolder) -> None:
    cluster, said = FakeCluster(HOSTS[1:]), list[str]()
    explain_on_hosts(folder, cluster, explain, said.append)
    assert [host for host, _ in cluster.started] == list(HOSTS[1:])
    assert said == [f"{HOSTS[0]} explains nothing: it is not there"]


def test_who_is_there_is_asked_once_for_all(folder: RunFolder) -> None:
    nobody = Counting(())
    explain_on_hosts(folder, nobody, explain, lambda _: None)
    assert nobody.asked == 1


def test_a_folder_without_room(folder: RunFolder) -> None:
    explained_on(folder.path, HOSTS[0]).parent.write_text("in the way")
    with pytest.raises(StoreError, match="cannot be written"):
        explain_on_hosts(folder, FakeCluster(HOSTS), explain, pytest.fail)


def test_the_terminal_says_who_explained_it(
    folder: RunFolder, capsys: pytest.CaptureFixture[str]
) -> None:
    explain_on_hosts(folder, FakeCluster(HOSTS), explain, pytest.fail)
    measuring.write_and_show(folder, quiet=True, as_json=False, per_day=1e6)
    shown = capsys.readouterr().out
    for host in HOSTS:
        assert f"on {host}\n{SLOW}" in shown
    assert shown.count("at 1,000,000 exchanges a day") == 2 * len(HOSTS)  # of two workloads each
