"""What a fleet shows while it measures and explains, and at its end."""

from __future__ import annotations

import io
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console
from tests.unit.app.test_fleet_results import HOSTS, folder_with
from tests.unit.fleet.fakes import FakeCluster, Pretended

from fetchoff.cli.fleet import measuring
from fetchoff.cli.fleet.live import FleetWatcher
from fetchoff.fleet import explaining
from fetchoff.fleet.driver import Limits
from fetchoff.fleet.host import work
from fetchoff.fleet.seam.cluster import ClusterGone, Step
from fetchoff.fleet.standing import standings_of
from fetchoff.model.observation import Batch, Ended, Invocation, Outcome, Record
from fetchoff.store.run_folder import RunFolder


def test_steps_before_measuring_are_lines(capsys: pytest.CaptureFixture[str]) -> None:
    FleetWatcher(Console(stderr=True), quiet=False).noted("anna", Step("a/[b]", "setting up"))
    assert capsys.readouterr().err == "anna: setting up a/[b]\n"
    FleetWatcher(Console(stderr=True), quiet=True).noted("anna", Step("a/b", "setting up"))
    assert capsys.readouterr().err == ""


def test_steps_are_lines_again_when_hosts_explain(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = folder_with(tmp_path / "run", 3)
    watcher = FleetWatcher(Console(stderr=True), quiet=False)
    watcher.expect(folder.header.experiment, standings_of(folder))
    with watcher.shown():
        watcher.noted("anna", Step("get-0", "warming up"))
        assert capsys.readouterr().err == ""
    watcher.noted("anna", Step("", "c/slow: warming up, then recording"))
    watcher.noted("berta", Step("", work.WAITING, waits=True))
    assert capsys.readouterr().err == (
        "anna: c/slow: warming up, then recording\nberta: waiting for the machine\n"
    )


def test_hosts_that_still_measure_after_ctrl_c_do_not_write_among_the_results(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = folder_with(tmp_path / "run", 3)
    watcher = FleetWatcher(Console(stderr=True), quiet=False)
    watcher.expect(folder.header.experiment, standings_of(folder))
    with pytest.raises(KeyboardInterrupt), watcher.shown():
        raise KeyboardInterrupt
    watcher.noted("anna", Step("get-0", "measuring"))
    watcher.noted("anna", Step("", "no room", is_trouble=True))
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("explains", [True, False])
def test_what_hosts_do_after_measuring_is_shown_only_if_they_explain(
    explains: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = folder_with(tmp_path / "run", 5)
    monkeypatch.setattr("fetchoff.fleet.driver.Driver.run", lambda _: None)
    watcher = FleetWatcher(Console(stderr=True), quiet=False)
    measuring.measure(folder, FakeCluster(HOSTS), watcher, Limits(), explains=explains)
    capsys.readouterr()
    watcher.noted("anna", Step("", "c/slow: warming up, then recording"))
    said = capsys.readouterr().err
    assert said == ("anna: c/slow: warming up, then recording\n" if explains else "")


@pytest.mark.parametrize(("job", "is_drawn"), [("", True), ("true", False)])
def test_the_log_of_a_job_has_a_line_for_each_round_and_no_table_that_is_drawn_again(
    job: str, is_drawn: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CI", job)
    monkeypatch.setenv("TERM", "xterm")
    folder = folder_with(tmp_path / "run", 3)
    told = io.StringIO()
    console = Console(file=told, force_terminal=True, no_color=True, highlight=False, width=100)
    watcher = FleetWatcher(console, quiet=False)
    watcher.expect(folder.header.experiment, standings_of(folder))
    with watcher.shown():
        watcher.round_done("anna", 4, 2.0)
        assert ("anna: round 4 done" in told.getvalue()) is not is_drawn
    assert ("each host: at most" in told.getvalue()) is is_drawn


def test_every_loss_is_told_and_a_fault_that_a_host_repeats_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = folder_with(tmp_path / "run", 0)
    watcher = FleetWatcher(Console(stderr=True, width=100), quiet=False)
    watcher.expect(folder.header.experiment, standings_of(folder))
    for _ in range(2):
        watcher.noted("anna", Step("", "no room", is_trouble=True))
        watcher.lost("anna", "it has been away for 60 s")
        watcher.back("anna")
    lost, back = "note: anna: lost: it has been away for 60 s", "note: anna: is back, and goes on"
    said = capsys.readouterr().err.splitlines()
    assert said == ["note: anna: no room", lost, back, lost, back]


def test_a_resumed_run_is_shown_as_far_as_it_is(tmp_path: Path) -> None:
    folder = folder_with(tmp_path / "run", 3)
    console = Console(record=True, width=100)
    watcher = FleetWatcher(console, quiet=False)
    watcher.expect(folder.header.experiment, standings_of(folder))
    console.print(watcher._table())
    rows = [line.split() for line in console.export_text().splitlines()[-2:]]
    left = str(round(folder.header.experiment.budget_s - 3 * 2))
    assert rows == [[host, "3", left] for host in HOSTS]
    fresh = folder_with(tmp_path / "fresh", 0)
    watcher.expect(fresh.header.experiment, standings_of(fresh))
    assert {line.rounds for line in watcher._lines.values()} == {0}


def test_a_journal_is_not_read_again_for_each_who_wants_to_know_of_hosts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder_with(tmp_path / "run", 0)
    folder = RunFolder.open(tmp_path / "run", to_append=True)
    read: Counter[str] = Counter()
    of_host = RunFolder.of_host

    def counted(self: RunFolder, host: str) -> list[Record]:
        read[host] += 1
        return of_host(self, host)

    monkeypatch.setattr(RunFolder, "of_host", counted)
    monkeypatch.setattr(work, "measure_round", Pretended(folder.header))
    watcher = FleetWatcher(Console(stderr=True), quiet=True)
    measuring.measure(folder, FakeCluster(HOSTS), watcher, Limits())
    assert folder.ended is not None
    assert read == dict.fromkeys(HOSTS, 1)


def test_a_scheduler_that_dies_while_hosts_explain_costs_no_results(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def gone(*_: object) -> None:
        raise ClusterGone("the scheduler is gone", "continue with 'fetchoff fleet resume'")

    monkeypatch.setattr(explaining, "explain_on_hosts", gone)
    folder = folder_with(tmp_path / "run", 5)
    measuring.explain(folder, FakeCluster(HOSTS))
    assert capsys.readouterr().err == "note: nothing is explained: the scheduler is gone\n"


@pytest.mark.parametrize("as_json", [True, False])
def test_what_is_shown_after_ctrl_c_is_what_was_asked_for(
    as_json: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def interrupted(*_: object) -> Ended:
        raise KeyboardInterrupt

    monkeypatch.setattr("fetchoff.fleet.driver.Driver.run", interrupted)
    folder = folder_with(tmp_path / "run", 5)
    watcher = FleetWatcher(Console(stderr=True), quiet=True)
    with pytest.raises(KeyboardInterrupt):
        measuring.measure(folder, FakeCluster(HOSTS), watcher, Limits(), as_json=as_json)
    out = capsys.readouterr().out
    if as_json:
        assert [host["id"] for host in json.loads(out)["hosts"]] == list(HOSTS)
    else:
        assert "Hosts were not shown to differ." in out


def test_whether_any_client_was_measured_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = folder_with(tmp_path / "run", 5)
    assert measuring.write_and_show(folder, quiet=True, as_json=False)
    failed = RunFolder.create(tmp_path / "failed", folder.header)
    for record in folder.records():
        if isinstance(record, Invocation):
            failed.append(replace(record, outcome=Outcome.FAILED, message="it broke"))
        elif not isinstance(record, Batch):
            failed.append(record)
    assert not measuring.write_and_show(failed, quiet=True, as_json=False)
    assert "it broke" in (failed.path / "results.json").read_text()
    capsys.readouterr()
