"""The commands of a fleet before it measures: what they show, and how they end."""

from __future__ import annotations

import contextlib
import json
import platform
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import typer
from syrupy.assertion import SnapshotAssertion
from tests.command import FAKES
from tests.unit.app.test_fleet_results import HOSTS, folder_with
from tests.unit.fleet.fakes import FakeCluster, Fate

import fetchoff
from fetchoff.app.choose import chosen
from fetchoff.app.doctor import Health, MachineCheck
from fetchoff.app.own_code import code
from fetchoff.catalog.workloads import suite
from fetchoff.cli.fleet import comparing, doctor, joining, resume, run, setup
from fetchoff.fleet import beginning, explaining
from fetchoff.fleet.host import work
from fetchoff.fleet.left_out import LeftOut
from fetchoff.fleet.seam.cluster import Here
from fetchoff.fleet.seam.told import Examined, Look, SetUp, Wanted
from fetchoff.model.client import Client, Readiness
from fetchoff.model.course import Course
from fetchoff.model.errors import HostError, OriginError, StoreError
from fetchoff.model.origin import OriginRecord
from fetchoff.model.program import ProgramRecord
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

    def __init__(self, hosts: tuple[str, ...]) -> None:
        super().__init__(hosts)
        self.absent: dict[str, HostError] = {}
        self.machine = ""
        self.sources: dict[str, str] = {}
        self.sha256: dict[str, str] = {}
        self.dask = "1"

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
        origin = ProgramRecord("fetchoff-origin", "1", 1, cluster.sha256.get(host, "same"))
        return Examined(
            *(version, cluster.machine, facts, checks, 2 - (host == "carl"), 2, 12.34, 0.0),
            *("3.13.5", cluster.dask, (origin,)),
        )

    def look(_wanted: Wanted, _here: Here) -> Look:
        reason = "no compiler: [Errno 2]" if cluster.asked == "carl" else ""
        built = {"fake/honest": cluster.sources.get(cluster.asked, "the same files")}
        return Look(
            *(fetchoff.__version__, cluster.machine, clients(reason), (), OriginRecord()),
            *(code(), built, "", "x86_64"),
        )

    def clock(_request: object, _here: Here) -> float:
        if cluster.asked == "berta":
            raise HostError("it tells no time")
        return time.time() + (90.0 if cluster.asked == "carl" else 0.0)

    @contextlib.contextmanager
    def joined(*_: object, **__: object) -> Iterator[joining.Joined]:
        yield joining.Joined(cluster, frozenset(cluster.hosts), cluster.absent)

    monkeypatch.setattr(fetchoff, "__version__", "1.2.3")
    monkeypatch.setattr(work, "dask_version", lambda: "1")
    monkeypatch.setattr(platform, "python_version", lambda: "3.13.1")
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
    (anna,), errors = doctor.examined_of(cluster, cluster.hosts, Wanted(()))
    assert (anna.is_unfit, errors) == (False, {})
    old = Examined("0.0.9", "", {}, (GOOD,), 1, 1, 1.0, 0.0)
    look = Look("0.0.9", "", clients(""), (), OriginRecord(), code(), {})
    found = comparing.findings({"anna": (look, old)})
    assert [check.health for check in found["anna"]] == [Health.BAD]


def test_other_code_of_the_same_version_is_unfit(
    cluster: Answering, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    cluster.hosts = ("anna",)
    monkeypatch.setattr(comparing, "code", lambda: "that of this machine")
    status, out = examined(as_json=False, capsys=capsys)
    assert status == 1
    assert "its Fetchoff 1.2.3 has other code than that of this machine" in out


@pytest.mark.parametrize(("machine", "at_once"), [("one", 1), ("", 3)])
def test_hosts_of_one_machine_are_examined_one_by_one(
    machine: str, at_once: int, cluster: Answering
) -> None:
    cluster.hosts, cluster.machine = ORDER[:3], machine
    doctor.examined_of(cluster, cluster.hosts, Wanted(()))
    first = [task for task in cluster.tasks if isinstance(task.answer, Examined)]
    assert max(Counter(task.ready_s for task in first).values()) == at_once


def test_all_clocks_are_asked_at_once(cluster: Answering) -> None:
    cluster.hosts = ORDER[:3]
    doctor.examined_of(cluster, cluster.hosts, Wanted(()))
    asked = [task.ready_s for task in cluster.tasks[-len(cluster.hosts) :]]
    assert len(set(asked)) == 1
    assert len(cluster.tasks) == 3 * len(cluster.hosts)


NOT_THERE = HostError("it cannot be started by SSH", "Connection refused")


def test_a_host_that_never_came_is_unfit(
    cluster: Answering, capsys: pytest.CaptureFixture[str]
) -> None:
    cluster.hosts, cluster.absent = ("anna",), {"emil": NOT_THERE}
    status, out = examined(as_json=False, capsys=capsys)
    assert status == 1
    assert [line for line in out.splitlines() if line.split() == ["emil", "failed"]]
    assert "bad  it cannot be started by SSH\n     Connection refused" in out
    status, out = examined(as_json=True, capsys=capsys)
    assert status == 1
    assert json.loads(out)["emil"] == {"error": NOT_THERE.message, "hint": NOT_THERE.hint}


def test_a_host_that_came_late_is_examined(
    cluster: Answering, capsys: pytest.CaptureFixture[str]
) -> None:
    cluster.hosts, cluster.absent = ("anna", "berta"), {"berta": NOT_THERE}
    status, out = examined(as_json=True, capsys=capsys)
    assert (status, [*json.loads(out)]) == (0, ["anna", "berta"])


def comes_meanwhile(cluster: Answering, monkeypatch: pytest.MonkeyPatch) -> None:
    """`emil`, who was expected, is there as soon as others have begun what they were asked for."""
    cluster.hosts, cluster.absent = ("anna",), {"emil": NOT_THERE}

    def late(*_: object) -> tuple[SetUp, ...]:
        cluster.hosts = ("anna", "emil")
        return (SetUp("a"),)

    monkeypatch.setattr(work, "set_up_clients", late)


def test_a_host_that_came_too_late_to_be_examined_is_unfit(
    cluster: Answering, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    comes_meanwhile(cluster, monkeypatch)
    examine = work.examine

    def meanwhile(wanted: Wanted, here: Here) -> Examined:
        cluster.hosts = ("anna", "emil")
        return examine(wanted, here)

    monkeypatch.setattr(work, "examine", meanwhile)
    status, out = examined(as_json=True, capsys=capsys)
    assert status == 1
    assert json.loads(out)["emil"] == {"error": NOT_THERE.message, "hint": NOT_THERE.hint}


def test_a_host_that_came_too_late_to_be_set_up_is_named(
    cluster: Answering, monkeypatch: pytest.MonkeyPatch
) -> None:
    comes_meanwhile(cluster, monkeypatch)
    with pytest.raises(HostError, match="setting up did not come to its end on emil"):
        setup.command(["a"], local=2)


def test_a_run_takes_a_host_that_came_while_others_were_set_up(
    cluster: Answering, monkeypatch: pytest.MonkeyPatch
) -> None:
    comes_meanwhile(cluster, monkeypatch)
    begun: list[tuple[list[str], list[str]]] = []

    def begin(_: object, names: list[str], _asked: object, left_out: LeftOut) -> RunFolder:
        begun.append((names, left_out.notes()))
        raise HostError("as far as this test goes")

    monkeypatch.setattr(beginning, "begin", begin)
    with pytest.raises(HostError, match="as far as this test goes"):
        run.command(local=2, setup=True)
    assert begun == [(["anna", "emil"], [])]


def test_a_host_that_fleet_run_would_leave_out_is_unfit(
    cluster: Answering, capsys: pytest.CaptureFixture[str]
) -> None:
    cluster.hosts, cluster.sources = ("anna", "berta"), {"berta": "other files"}
    status, out = examined(as_json=False, capsys=capsys)
    assert status == 1
    assert "bad its fake/honest is built from other files" in " ".join(out.split())


def test_a_host_without_the_server_of_the_suite_is_unfit(
    cluster: Answering, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """And what it has is told all the same."""
    cluster.hosts = ("anna",)

    def not_ready(name: str, courses: Sequence[Course], **_: object) -> None:
        if name != "built-in":
            raise OriginError(f"origin '{name}' is not ready, for {len(courses)} courses", "do it")

    examine, look = work.examine, work.look

    def examined_there(wanted: Wanted, here: Here) -> Examined:
        return replace(examine(wanted, here), checks=(*work.of_origin(wanted),))

    def looked(wanted: Wanted, here: Here) -> Look:
        not_ready(wanted.origin, wanted.courses)
        return look(wanted, here)

    monkeypatch.setattr(work, "must_serve", not_ready)
    monkeypatch.setattr(work, "examine", examined_there)
    monkeypatch.setattr(work, "look", looked)
    with pytest.raises(typer.Exit) as end:
        doctor.command("perl-2011", local=1, as_json=True)
    assert end.value.exit_code == 1
    told = json.loads(capsys.readouterr().out)["anna"]
    text = f"origin 'nginx' is not ready, for {len(suite('perl-2011').workloads)} courses"
    assert told["checks"][-1] == {"health": "bad", "text": text, "hint": "do it"}
    assert told["clients_ready"] == 2


def test_a_host_without_any_client_of_the_suite_is_unfit() -> None:
    there = Examined(fetchoff.__version__, "", {}, (GOOD,), 0, 0, 1.0, 0.0)
    look = Look(fetchoff.__version__, "", (), (), OriginRecord(), code(), {})
    found = comparing.findings({"anna": (look, there)})
    assert [check.health for check in found["anna"]] == [Health.BAD]


def test_other_programs_and_another_dask_are_told(
    cluster: Answering, capsys: pytest.CaptureFixture[str]
) -> None:
    cluster.hosts, cluster.sha256, cluster.dask = ("anna", "berta"), {"berta": "other"}, "2"
    status, out = examined(as_json=True, capsys=capsys)
    told = {
        host: [check["text"] for check in one["checks"]] for host, one in json.loads(out).items()
    }
    assert status == 0
    for texts in told.values():
        assert texts[0] == "it has Dask 2, and this machine has 1"
        assert texts[1].startswith(
            "the program fetchoff-origin for x86_64 is not the same everywhere: 1, same: anna; "
            "1, other: berta"
        )


@pytest.mark.parametrize("away", [True, False])
def test_setup_names_hosts_where_it_did_not_come_to_its_end(
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


def test_setup_names_hosts_that_never_came(
    cluster: Answering, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster.hosts, cluster.absent = HOSTS, {"emil": NOT_THERE}
    monkeypatch.setattr(work, "set_up_clients", lambda *_: (SetUp("a"),))
    with pytest.raises(HostError, match="setting up did not come to its end on emil") as raised:
        setup.command(["a"], local=2)
    assert raised.value.exit_code == 10
    assert "what is ready there stays ready" in raised.value.hint


def test_a_run_that_is_there_is_refused_before_anybody_is_asked(
    cluster: Answering, tmp_path: Path
) -> None:
    folder_with(tmp_path / "run", 0)
    with pytest.raises(StoreError, match="already holds a run"):
        run.command(local=2, out=tmp_path / "run")
    assert cluster.started == []


@pytest.mark.parametrize("out", ["/proc/x", "/dev/null/x", None])
def test_a_run_that_cannot_be_kept_is_refused_before_anybody_is_asked(
    out: str | None, cluster: Answering, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each host would keep a folder of a run that never began."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "runs").touch()
    with pytest.raises(StoreError, match="cannot be written"):
        run.command(local=2, out=Path(out) if out else None)
    assert cluster.started == []
    assert [path.name for path in tmp_path.iterdir()] == ["runs"]


@pytest.mark.parametrize("explain", [True, False])
def test_a_run_that_has_ended_can_still_be_explained(
    explain: bool,
    cluster: Answering,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder_with(tmp_path / "run", 5)
    explained: list[tuple[str, object]] = []

    def explain_on_hosts(folder: RunFolder, there: object, *_: object) -> None:
        explained.append((folder.header.run_id, there))

    monkeypatch.setattr(explaining, "explain_on_hosts", explain_on_hosts)
    resume.command(tmp_path / "run", local=2, explain=explain)
    assert explained == ([("run", cluster)] if explain else [])
    assert "this run is complete; nothing is left to measure" in capsys.readouterr().err
    assert cluster.started == []
