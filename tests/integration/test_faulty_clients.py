"""A run with every faulty client at once: no client's fault affects another client."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from tests.command import Command, Ran, fake
from tests.conftest import WORKLOAD
from tests.integration import runs
from tests.integration.processes import wait_for_none

from fetchoff.model.observation import Outcome
from fetchoff.store.run_folder import RunFolder

WELL = ("honest", "slow-start", "leaking", "deaf")
FAULTS = {
    "falls-silent": ("unavailable", "no answer within 30 s"),
    "hanging": ("failed", "no answer within 10 s"),
    "garbage": ("failed", "not a JSON line"),
    "endless": ("failed", "prints a line without an end"),
    "boastful": ("invalid", "claims a feature with a random name"),
    "miscounting": ("invalid", "was asked for 1 exchanges, reports 2"),
    "skipping": ("invalid", "the origin saw"),
    "short-body": ("failed", "15 bytes of content instead of 16"),
    "careless": ("failed", "is not what the origin sent"),
    "tiring": ("failed", "in round 1: the content of GET /bytes/16 is not what the origin sent"),
    "caching": ("invalid", "the origin saw"),
    "chatty": ("failed", "'done' is None"),
    "failing": ("failed", r"no route \ud800 to \x1b[31mhost\x00"),
    "missing-command": ("unavailable", "program does not exist"),
    "not-executable": ("unavailable", "program is not executable"),
}


MOST_TURNS = 0.4  # of those planned: a loop's length is a guess in the first round


def turns_of(run: Path) -> int:
    return RunFolder.open(run).header.experiment.turns


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("faults")
    (folder / "tiny.toml").write_text(WORKLOAD)
    return folder


@pytest.fixture(scope="module")
def silent(tmp_path_factory: pytest.TempPathFactory) -> subprocess.Popen[str]:
    """The setup of a client that never answers, which takes long."""
    folder = tmp_path_factory.mktemp("silent")
    return Command(folder, folder / "cache").start("setup", fake("silent"), fake("honest"))


@pytest.fixture(scope="module")
def setting_up(folder: Path, cache: Path, silent: subprocess.Popen[str]) -> Ran:
    return Command(folder, cache)("setup", *map(fake, (*WELL, *FAULTS)))


@pytest.fixture(scope="module")
def ran(folder: Path, cache: Path, setting_up: Ran) -> Ran:
    clients = [part for name in (*WELL, *FAULTS) for part in ("--client", fake(name))]
    command = Command(folder, cache)
    return command("run", "-w", "tiny.toml", *clients, "--budget", "5", "-o", "run")


def test_setup_says_which_are_unavailable_and_stops_no_other(setting_up: Ran) -> None:
    assert setting_up.status == 0
    assert f"{len(WELL) + len(FAULTS) - 2} of {len(WELL) + len(FAULTS)} clients" in setting_up.err
    for name in ("missing-command", "not-executable"):
        assert f"unavailable: fake/{name}: " in setting_up.err


def test_the_run_succeeds(ran: Ran) -> None:
    assert ran.status == 0
    assert "Traceback" not in ran.err


@pytest.mark.parametrize("name", FAULTS)
def test_the_fault_is_told(name: str, ran: Ran, folder: Path) -> None:
    outcome, words = FAULTS[name]
    standing = runs.standings(folder / "run")[f"fake/{name}"]
    assert standing["outcome"] == outcome
    assert words in standing["message"]
    assert standing["wall"] is None
    assert f"fake/{name}" in ran.out


@pytest.mark.parametrize("name", WELL)
def test_the_others_are_measured(name: str, ran: Ran, folder: Path) -> None:
    standing = runs.standings(folder / "run")[f"fake/{name}"]
    assert standing["outcome"] == "ok"
    assert standing["costs"]["cpu_us"]["point"] > 0
    own = [turns for turns in runs.turns(folder / "run") if turns.entrant == f"fake/{name}"]
    assert own
    for turns in own:
        assert len(turns.exchanges) >= MOST_TURNS * turns_of(folder / "run")


def test_outcomes_are_kept_as_they_were(ran: Ran, folder: Path) -> None:
    kept = {i.client: i for i in runs.invocations(folder / "run") if "#" not in i.process}
    for name, (outcome, _) in FAULTS.items():
        if f"fake/{name}" in kept:
            assert kept[f"fake/{name}"].outcome == outcome
    assert kept["fake/honest"].outcome is Outcome.OK


def test_no_process_is_left(ran: Ran, folder: Path) -> None:
    assert wait_for_none(folder) == []


def test_no_spool_is_left(ran: Ran, folder: Path) -> None:
    assert sorted(path.name for path in (folder / "run").iterdir()) == [
        "batches.jsonl",
        "report.html",
        "results.csv",
        "results.json",
        "run.json",
    ]


def test_a_crash_loses_nothing_that_was_measured(fetchoff: Command) -> None:
    """The fake crashes in its loop, between turns; earlier turns are kept but not ranked."""
    fetchoff("setup", fake("honest"), fake("crashing"))
    (fetchoff.folder / "again.toml").write_text(WORKLOAD)
    clients = ("-c", fake("crashing"), "-c", fake("honest"), "--baseline", fake("honest"))
    workloads = ("-w", "tiny.toml", "-w", "again.toml")
    ran = fetchoff("run", *workloads, *clients, "--budget", "4", "-o", "run")
    assert ran.status == 0, ran.err
    run = fetchoff.folder / "run"
    crashed = [i for i in runs.invocations(run) if i.outcome is Outcome.FAILED]
    assert {i.client for i in crashed} == {"fake/crashing"}
    for invocation in crashed:
        assert invocation.message == (
            "fake/crashing: ended with exit status 3; its last words: out of cheese"
        )
    first_round = [turns for turns in runs.turns(run) if turns.round == 0]
    broken = [turns for turns in first_round if turns.entrant == "fake/crashing"]
    assert any(turns.exchanges and turns.done == 0 for turns in broken)
    assert [turns.entrant for turns in first_round].count("fake/honest") == 2
    for workload in ("tiny", "again"):
        assert runs.standings(run, workload)["fake/honest"]["outcome"] == "ok"


def test_who_answers_wrong_is_not_tried_again(ran: Ran, folder: Path) -> None:
    """No later result could get it ranked."""
    for name in ("tiring", "skipping", "failing"):
        kept = [i for i in runs.invocations(folder / "run") if i.client == f"fake/{name}"]
        assert {(i.round, i.answered_wrong) for i in kept} == {(0, True)}


def test_a_pair_is_over_when_one_of_it_answered_wrong(fetchoff: Command) -> None:
    command = ("compare", fake("honest"), fake("tiring"), "-w", "tiny.toml", "-o", "run")
    ran = fetchoff(*command, "--budget", "60")
    assert ran.status == 4
    assert "fake/tiring on tiny: failed: in round 1: the content of GET" in ran.err
    assert max(i.round for i in runs.invocations(fetchoff.folder / "run")) == 0


def test_who_closes_answers_unread_is_not_measured(fetchoff: Command) -> None:
    large = WORKLOAD.replace("/bytes/16", "/bytes/30000000").replace(
        "bytes = 16", "bytes = 30000000"
    )
    discarded = large.replace("[settings]", '[settings]\nsink = "discard"')
    (fetchoff.folder / "large.toml").write_text(discarded)
    fetchoff("setup", fake("skimming"))
    ran = fetchoff("run", "-w", "large.toml", "-c", fake("skimming"), "--budget", "2", "-o", "run")
    assert ran.status == 4
    standing = runs.standings(fetchoff.folder / "run", "large")["fake/skimming"]
    assert standing["outcome"] == "invalid"
    assert "bytes of content, the origin sent" in standing["message"]


def test_nobody_can_be_measured(fetchoff: Command) -> None:
    fetchoff("setup", fake("failing"), fake("caching"))
    clients = ("-c", fake("failing"), "-c", fake("caching"))
    ran = fetchoff("run", "-w", "tiny.toml", *clients, "--budget", "2", "-o", "run")
    assert "Traceback" not in ran.err
    assert ran.status == 4
    standings = runs.standings(fetchoff.folder / "run")
    assert {standing["outcome"] for standing in standings.values()} == {"failed", "invalid"}


def test_a_workload_that_nobody_can_do_costs_no_other_its_results(fetchoff: Command) -> None:
    fetchoff("setup", fake("honest"))
    cookies = WORKLOAD.replace("[settings]", "[settings]\ncookies = true")
    (fetchoff.folder / "cookies.toml").write_text(cookies)
    given = ("-w", "cookies.toml", "-c", fake("honest"), "--budget", "5")
    both = fetchoff("run", "-w", "tiny.toml", *given, "-o", "both")
    assert both.status == 0, both.err
    run = fetchoff.folder / "both"
    assert runs.standings(run)["fake/honest"]["outcome"] == "ok"
    assert runs.standings(run, "cookies")["fake/honest"]["outcome"] == "unsupported"
    alone = fetchoff("run", *given, "-o", "alone")
    assert alone.status == 4
    assert runs.results(fetchoff.folder / "alone")["ended_reason"] == "no client left"
    assert "round 2" not in alone.err


def test_setup_does_not_wait_for_ever(silent: subprocess.Popen[str]) -> None:
    _, err = silent.communicate(timeout=60)
    assert silent.returncode == 0
    assert "1 of 2 clients are ready" in err
    assert "unavailable: fake/silent: no answer within 30 s" in err
