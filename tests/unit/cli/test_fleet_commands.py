"""The commands of a fleet, on pretended hosts: what they show, and how they end."""

from __future__ import annotations

import contextlib
import json
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import typer
from rich.console import Console
from syrupy.assertion import SnapshotAssertion
from tests.command import FAKES
from tests.unit.app.test_fleet_results import HOSTS, folder_with
from tests.unit.fleet.fakes import FakeCluster, Fate

import fetchoff
from fetchoff.app.choose import chosen
from fetchoff.app.doctor import Health, MachineCheck
from fetchoff.cli.fleet import doctor, joining, measuring, setup
from fetchoff.cli.fleet.live import FleetWatcher
from fetchoff.fleet import explaining
from fetchoff.fleet.driver import Limits
from fetchoff.fleet.host import work
from fetchoff.fleet.seam.cluster import ClusterGone, Here, Step
from fetchoff.fleet.seam.told import Examined, Look, SetUp, Wanted
from fetchoff.model.client import Client, Readiness
from fetchoff.model.errors import HostError
from fetchoff.model.observation import Batch, Ended, Invocation, Outcome
from fetchoff.model.origin import OriginRecord
from fetchoff.store.run_folder import RunFolder

GOOD = MachineCheck(Health.GOOD, "other work took 0.4% of the time of a spinning process")
NOISY = MachineCheck(
    Health.LIMITED, "other work took 9.0% of the time of a spinning process", "stop other work"
)
BAD = MachineCheck(Health.BAD, "the origin is not there: [Errno 2] No such file", "use Linux")
ORDER = ("anna", "berta", "carl", "dora")


def clients(reason: str) -> tuple[Client, ...]:
    honest, slow = (chosen([str(FAKES / name)])[0] for name in ("honest", "slow"))
    return (
        Client(honest, Readiness.READY),
        Client(slow, Readiness.UNAVAILABLE, reason=reason)
        if reason
        else Client(slow, Readiness.READY),
    )


class Answering(FakeCluster):
    """Tells jobs on which host they are, which hosts themselves know."""

    asked: str = ""

    def start(self, host: str, job: Any, longest_s: float) -> Any:
        self.asked = host
        return super().start(host, job, longest_s)


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Answering:
    """Four hosts: good, noisy, without a client and of another version, and one that fails."""
    cluster = Answering(ORDER)

    def examine(_wanted: Wanted, _here: Here) -> Examined:
        host = cluster.asked
        if host == "dora":
            raise HostError("its disk is gone: [Errno 5]", "mount it")
        facts = {"cores": "2", "processor": f"P [{host}]", "kernel": "6.1"}
        checks = {"anna": (GOOD,), "berta": (NOISY,), "carl": (GOOD, BAD)}[host]
        version = "0.0.9" if host == "carl" else fetchoff.__version__
        return Examined(version, "", facts, checks, 2 - (host == "carl"), 2, 12.34, 0.0)

    def look(_wanted: Wanted, _here: Here) -> Look:
        reason = "no compiler: [Errno 2]" if cluster.asked == "carl" else ""
        return Look(fetchoff.__version__, "", clients(reason), (), OriginRecord(), work.code(), {})

    def clock(_request: object, _here: Here) -> float:
        if cluster.asked == "berta":
            raise HostError("it tells no time")
        return time.time() + (90.0 if cluster.asked == "carl" else 0.0)

    @contextlib.contextmanager
    def joined(*_: object, **__: object) -> Iterator[Answering]:
        yield cluster

    monkeypatch.setattr(fetchoff, "__version__", "1.2.3")
    monkeypatch.setattr(joining, "joined", joined)
    for name, job in (("examine", examine), ("look", look), ("clock", clock)):
        monkeypatch.setattr(work, name, job)
    monkeypatch.setenv("COLUMNS", "120")
    return cluster


def examined(as_json: bool, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """The exit status of `fleet doctor`, and what it prints."""
    try:
        doctor.command(local=4, as_json=as_json)
    except typer.Exit as end:
        return end.exit_code, capsys.readouterr().out
    return 0, capsys.readouterr().out


@pytest.mark.usefixtures("cluster")
def test_the_doctor_shows_every_host(
    capsys: pytest.CaptureFixture[str], snapshot: SnapshotAssertion
) -> None:
    status, out = examined(as_json=False, capsys=capsys)
    assert status == 1
    assert "\n".join(line.rstrip() for line in out.splitlines()) == snapshot


@pytest.mark.usefixtures("cluster")
def test_the_doctor_tells_programs_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    status, out = examined(as_json=True, capsys=capsys)
    assert status == 1
    assert "NaN" not in out
    told = json.loads(out)
    assert list(told) == list(ORDER)
    assert told["dora"] == {"error": "its disk is gone: [Errno 5]", "hint": "mount it"}
    assert told["berta"]["clock_ahead_s"] is None
    assert told["carl"]["clock_ahead_s"] == pytest.approx(90, abs=1)
    states = [client["state"] for client in told["carl"]["clients"]]
    assert states == ["ready", "unavailable"]
    assert told["carl"]["clients"][1]["reason"] == "no compiler: [Errno 2]"


@pytest.mark.parametrize(
    ("hosts", "status"), [(("anna", "berta"), 0), (("anna", "carl"), 1), (("anna", "dora"), 1)]
)
def test_the_doctor_ends_as_hosts_are(
    hosts: tuple[str, ...], status: int, cluster: Answering, capsys: pytest.CaptureFixture[str]
) -> None:
    cluster.hosts = hosts
    assert examined(as_json=False, capsys=capsys)[0] == status


def test_another_version_alone_is_unfit(cluster: Answering) -> None:
    cluster.hosts = ("anna",)
    (anna,), errors = doctor.examined_of(cluster, Wanted(()), one_by_one=True)
    assert (anna.is_unfit, errors) == (False, {})
    old = Examined("0.0.9", "", {}, (GOOD,), 1, 1, 1.0, 0.0)
    assert doctor.Patient("anna", old, (), 0.0, work.code()).is_unfit


def test_other_code_of_the_same_version_is_unfit(
    cluster: Answering, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    cluster.hosts = ("anna",)
    here = iter(["that of the host", "that of this machine", "that of this machine"])
    monkeypatch.setattr(work, "code", lambda: next(here))
    status, out = examined(as_json=False, capsys=capsys)
    assert status == 1
    assert "its Fetchoff 1.2.3 has other code than that of this machine" in out


@pytest.mark.parametrize(("one_by_one", "at_once"), [(True, 1), (False, 3)])
def test_hosts_of_one_machine_are_examined_one_by_one(
    one_by_one: bool, at_once: int, cluster: Answering
) -> None:
    cluster.hosts = ORDER[:3]
    doctor.examined_of(cluster, Wanted(()), one_by_one=one_by_one)
    first = [task for task in cluster.tasks if isinstance(task.answer, Examined)]
    assert max(Counter(task.ready_s for task in first).values()) == at_once


@pytest.mark.parametrize("away", [True, False])
def test_setup_names_hosts_where_nothing_was_set_up(
    away: bool, cluster: Answering, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    cluster.hosts = HOSTS
    if away:
        cluster.fates = {"anna": [Fate.GONE]}
    monkeypatch.setattr(
        work, "set_up_clients", lambda *_: (SetUp("a"), SetUp("b", "no compiler", "install one"))
    )
    with pytest.raises(HostError, match="on anna") if away else contextlib.nullcontext():
        setup.command(["a", "b"], local=2)
    said = capsys.readouterr().err
    assert "berta: 1 of 2 clients are ready" in said
    assert "unavailable on berta: b: no compiler\n  hint: install one" in said
    assert ("anna: it is not there any more" in said) is away


def test_steps_before_measuring_are_lines(capsys: pytest.CaptureFixture[str]) -> None:
    FleetWatcher(Console(stderr=True), quiet=False).noted("anna", Step("a/[b]", "setting up"))
    assert capsys.readouterr().err == "anna: setting up a/[b]\n"
    FleetWatcher(Console(stderr=True), quiet=True).noted("anna", Step("a/b", "setting up"))
    assert capsys.readouterr().err == ""


def test_a_resumed_run_is_shown_as_far_as_it_is(tmp_path: Path) -> None:
    folder = folder_with(tmp_path / "run", 3)
    console = Console(record=True, width=100)
    watcher = FleetWatcher(console, quiet=False)
    watcher.expect(folder)
    console.print(watcher._table())
    rows = [line.split() for line in console.export_text().splitlines()[-2:]]
    left = str(round(folder.header.experiment.budget_s - 3 * 2))
    assert rows == [[host, "3", left] for host in HOSTS]
    fresh = folder_with(tmp_path / "fresh", 0)
    watcher.expect(fresh)
    assert {line.rounds for line in watcher._lines.values()} == {0}


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
