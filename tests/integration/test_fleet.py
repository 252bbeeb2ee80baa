"""Fleets on real workers of Dask: pretended measuring, real measuring of fakes, and kills."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from benches.fleet import pretended
from tests.command import Command, fake
from tests.integration import runs

from fetchoff.model.observation import Ended, HostLost, SectionDone
from fetchoff.run.host.machine import usable_cores
from fetchoff.store.records import to_line
from fetchoff.store.run_folder import RunFolder

pytest.importorskip("distributed", reason="the extra 'fleet' is not installed")

ROOT = Path(__file__).parents[2]
KILLS = int(os.environ.get("FETCHOFF_TEST_FLEET_KILLS", "2"))
HOSTS = ("local-1", "local-2")
ROUNDS = 3


@pytest.fixture
def _pretended_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By workers and their jobs; and everything is kept in a folder of the test."""
    places = [str(ROOT), str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, places)))
    monkeypatch.setenv("FETCHOFF_CACHE", str(tmp_path / "cache"))


@pytest.mark.usefixtures("_pretended_is_found")
def test_workers_measure_and_the_driver_has_all_of_it(tmp_path: Path) -> None:
    from tests.unit.fleet.fakes import Heard

    from fetchoff.fleet.dask.clusters import of_this_machine
    from fetchoff.fleet.dask.joined import JoinedCluster
    from fetchoff.fleet.driver import Driver
    from fetchoff.fleet.host.work import folder_of

    head = pretended.header("run", pretended.experiment(rounds=ROUNDS), HOSTS)
    pretended.begin(tmp_path / "run", head)
    folder = RunFolder.open(tmp_path / "run", to_append=True)
    steps: set[tuple[str, str]] = set()
    heard = Heard()
    with of_this_machine(len(HOSTS), None) as client:
        cluster = JoinedCluster(client, lambda host, step: steps.add((host, step.workload)))
        assert cluster.present() == frozenset(HOSTS)
        ended = Driver(folder, cluster, pretended.measure, heard).run()
        affinity = client.run(os.sched_getaffinity, 0)
    folder.close()
    assert ended == Ended("rounds", ROUNDS)
    assert sorted(heard.rounds) == [(h, n) for h in HOSTS for n in range(1, ROUNDS + 1)]
    assert steps == {(h, c.id) for h in HOSTS for c in head.experiment.courses}
    for host in HOSTS:
        fetched = [r for r in folder.records() if not isinstance(r, Ended) and r.host == host]
        assert fetched == list(RunFolder.open(folder_of("run", host)).records())
    assert list(affinity.values()) == [{usable_cores()[0]}] * len(HOSTS)


@pytest.mark.usefixtures("_pretended_is_found")
@pytest.mark.timeout(120 + 60 * KILLS)
def test_killed_often(tmp_path: Path) -> None:
    from benches.fleet.bench import kill_often

    tally = kill_often(KILLS, tmp_path, seed=11)
    assert tally.faults == []
    assert tally.kills >= KILLS
    assert tally.batches > 0


@pytest.mark.usefixtures("_pretended_is_found")
@pytest.mark.timeout(240)
def test_hosts_that_are_stopped_for_long_are_lost_told_and_go_on(tmp_path: Path) -> None:
    from benches.fleet.bench import kill_often
    from benches.fleet.manners import HASTY

    tally = kill_often(1, tmp_path, seed=1, kinds=("stops",), manners=(HASTY,))
    assert tally.faults == []
    assert (tally.kills, tally.done["stops"]) == (0, 1)
    assert tally.lost >= 1
    assert "0 SIGKILLs, 1 stops of workers" in str(tally)


def test_a_run_on_pretended_hosts_and_what_can_be_done_with_it(fetchoff: Command) -> None:
    clients = ("-c", fake("honest"), "-c", fake("slow"), "--baseline", fake("honest"))
    fetchoff("setup", fake("honest"), fake("slow"))
    run = fetchoff.folder / "run"
    more = ("-w", "tiny.toml", "--budget", "3", "--seed", "1", "-o", run)
    extras = ("--explain", "--per-day", "1e6")
    ran = fetchoff("fleet", "run", "--local", "2", *clients, *more, *extras, timeout_s=200)
    assert ran.status == 0, ran.err
    assert "Traceback" not in ran.err
    assert "2 hosts are pretended on this machine: they take turns" in ran.err
    assert "tiny" in ran.out  # withheld where other work disturbs it, so nothing of its verdicts
    assert "local-1, local-2 are on one machine" in " ".join(ran.out.split())
    document = runs.results(run)
    assert [host["id"] for host in document["hosts"]] == ["local-1", "local-2"]
    assert {result["host"] for result in document["results"]} == {"local-1", "local-2"}
    header = json.loads((run / "run.json").read_text())
    assert len(header["hosts"]) == 2
    explained = [(each["host"], each["diagnosis"]["client"]) for each in document["explanations"]]
    assert {host for host, _ in explained} == {"local-1", "local-2"}
    assert "on local-1\n" in ran.out
    records = RunFolder.open(run).records()
    assert {r.host for r in records if isinstance(r, SectionDone)} == {"local-1", "local-2"}
    assert not any(isinstance(r, HostLost) for r in records)
    assert (run / "hosts" / "local-1.html").exists()

    again = fetchoff("report", run, "--per-day", "1e6")
    assert (again.status, again.out) == (0, ran.out)
    refused = fetchoff("resume", run)
    assert refused.status == 2
    assert "hint: continue it with 'fetchoff fleet resume" in refused.err
    complete = fetchoff("fleet", "resume", run)
    assert complete.status == 0, complete.err
    assert "this run is complete" in complete.err

    _cut(run)
    resumed = fetchoff("fleet", "resume", run, "--local", "2", timeout_s=200)
    assert resumed.status == 0, resumed.err
    assert _without_end(RunFolder.open(run)) >= _without_end_of(records)
    runs.assert_every_slot_once(run)

    _end_without(run, "local-2")
    missed = fetchoff("fleet", "resume", run, "--local", "1")
    assert missed.status == 10, missed.err
    assert "ended without local-2, and none of them has come back" in missed.err
    whole = fetchoff("fleet", "resume", run, "--local", "2", timeout_s=200)
    assert whole.status == 0, whole.err
    assert "Traceback" not in whole.err
    folder = RunFolder.open(run)
    assert (folder.ends, folder.ended is not None) == (2, True)
    assert {one["lost"] for one in runs.results(run)["hosts"]} == {""}
    runs.assert_every_slot_once(run)


def _end_without(run: Path, lost: str) -> None:
    """As if a host had been lost in its first round, and the run had ended without it."""
    records = RunFolder.open(run).records()
    kept = [one for one in records if isinstance(one, Ended) or one.host != lost]
    kept.insert(-1, HostLost(0, "it has been away for 60 s", host=lost))
    (run / "batches.jsonl").write_bytes(b"".join(to_line(record) for record in kept))


def _cut(run: Path) -> None:
    """As if the driver had been killed before it had fetched the last records."""
    journal = run / "batches.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[: len(lines) // 2]))


def _without_end(folder: RunFolder) -> int:
    return _without_end_of(folder.records())


def _without_end_of(records: object) -> int:
    return sum(not isinstance(record, Ended) for record in records)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("run",), "give exactly one of --scheduler, --hosts and --local"),
        (("run", "--local", "2", "--scheduler", "tcp://127.0.0.1:1"), "give exactly one of"),
        (("run", "--hosts", "none.toml"), "none.toml: no such file"),
        (("run", "--local", "1", "--security"), "--security needs certificates"),
        (("setup", "--local", "1"), "nothing to set up"),
    ],
)
def test_what_is_asked_wrongly(arguments: tuple[str, ...], said: str, fetchoff: Command) -> None:
    ran = fetchoff("fleet", *arguments)
    assert ran.status == 2, ran.err
    assert said in ran.err
    assert "Traceback" not in ran.err


def test_a_run_of_one_machine_is_no_fleet(fetchoff: Command, finished_run: Path) -> None:
    ran = fetchoff("fleet", "resume", finished_run, "--local", "1")
    assert ran.status == 2
    assert "is a run of one machine" in ran.err
