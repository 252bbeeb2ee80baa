"""Data goes to standard output, messages to standard error, verdicts to the exit status."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path

import pytest
from tests.command import FAKES, Command, fake
from tests.integration import runs

from fetchoff.catalog.paths import shipped

QUICK = ("--budget", "3", "--workload", "tiny.toml")


@pytest.fixture
def ready(fetchoff: Command) -> Command:
    fetchoff("setup", fake("honest"), fake("slow"), fake("failing"))
    return fetchoff


def test_json_is_all_there_is(ready: Command) -> None:
    ran = ready("run", *QUICK, "-c", fake("honest"), "-c", fake("slow"), "--json", "-o", "run")
    assert ran.status == 0
    document = json.loads(ran.out)
    assert document == json.loads((ready.folder / "run" / "results.json").read_text())
    assert json.loads(ready("report", "run", "--json").out) == document


@pytest.mark.parametrize("command", ["run", "compare"])
def test_quiet_is_silent_but_for_the_result(command: str, ready: Command) -> None:
    clients = [fake("honest"), fake("slow")]
    arguments = clients if command == "compare" else ["-c", clients[0], "-c", clients[1]]
    ran = ready(command, *QUICK, *arguments, "--quiet", "-o", "run")
    assert (ran.status, ran.err) == (0, "")
    assert "fake/slow" in ran.out
    assert ready("report", "run", "--quiet").err == ""
    assert ready("resume", "run", "--quiet").err == ""


def test_quiet_json_leaves_only_json(ready: Command) -> None:
    ran = ready("compare", *QUICK, fake("honest"), fake("slow"), "-q", "--json", "-o", "run")
    assert ran.err == ""
    json.loads(ran.out)


def test_no_escape_sequences_where_nobody_sees_them(ready: Command) -> None:
    ran = ready("run", *QUICK, "-c", fake("honest"), "-o", "run")
    assert "\x1b" not in ran.out + ran.err


def test_run_leaves_its_files(finished_run: Path) -> None:
    with (finished_run / "results.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["client"] for row in rows} == {"fake/honest", "fake/slow"}
    page = (finished_run / "report.html").read_text()
    assert "fake/slow" in page
    assert "http://127.0.0.1" not in page


def test_report_again_changes_nothing(finished_run: Path, ready: Command) -> None:
    before = {path.name: path.read_bytes() for path in finished_run.iterdir()}
    assert ready("report", finished_run).status == 0
    after = {path.name: path.read_bytes() for path in finished_run.iterdir()}
    assert after == before


def test_resume_of_a_run_that_ended_measures_nothing(finished_run: Path, ready: Command) -> None:
    before = (finished_run / "batches.jsonl").read_bytes()
    ran = ready("resume", finished_run)
    assert ran.status == 0
    assert "this run is complete" in ran.err
    assert (finished_run / "batches.jsonl").read_bytes() == before


@pytest.mark.parametrize(
    ("a", "b", "options", "status"),
    [
        ("honest", "slow", [], 0),
        ("slow", "honest", ["--fail-if-slower", "5"], 0),
        ("honest", "slow", ["--fail-if-slower", "5"], 1),
        ("honest", "failing", ["--budget", "2"], 4),
        ("failing", "honest", ["--fail-if-slower", "5", "--budget", "2"], 4),
    ],
)
def test_status_of_compare(a: str, b: str, options: list[str], status: int, ready: Command) -> None:
    ran = ready("compare", fake(a), fake(b), "-w", "tiny.toml", "--budget", "20", *options)
    assert ran.status == status, ran.out + ran.err
    assert "Traceback" not in ran.err
    assert ("slower than allowed: fake/slow" in ran.err) == (status == 1)
    assert ("the comparison failed" in ran.err) == (status == 4)
    hint = f"'fetchoff check {fake('failing')}'"  # the folder, as it was given
    assert (hint in ran.err) == (status == 4), ran.err


@pytest.mark.parametrize(("options", "status"), [([], 0), (["--strict"], 8)])
def test_a_limit_that_cannot_be_told(options: list[str], status: int, ready: Command) -> None:
    """For equal clients no data can show that one is not slower at all."""
    both = (fake("honest"), fake("honest"), "-w", "tiny.toml", "--budget", "1", "-o", "run")
    ran = ready("compare", *both, "--fail-if-slower", "0", *options)
    assert ran.status == status, ran.out + ran.err
    assert "undecided whether more than 0 % slower: fake/honest#again" in ran.err
    assert "\nhint: " in ran.err
    (result,) = runs.results(ready.folder / "run")["results"]
    assert any(note.startswith("at most 0 % more time was allowed") for note in result["notes"])


def test_clients_for_a_program(ready: Command) -> None:
    documents = json.loads(ready("clients", "--json").out)
    assert {document["state"] for document in documents} <= {"ready", "not set up", "unavailable"}
    assert all(document["hint"] for document in documents if document["state"] != "ready")


def test_doctor_for_a_program(ready: Command) -> None:
    ran = ready("doctor", "--json")
    document = json.loads(ran.out)
    assert (ran.status, ran.err) == (0, "")
    assert {finding["health"] for finding in document["findings"]} <= {"good", "limited", "bad"}


def test_a_reader_that_goes_away_is_no_error(ready: Command) -> None:
    process = ready.start("clients", "--json")
    assert process.stdout is not None and process.stderr is not None
    process.stdout.close()
    assert process.wait(timeout=30) in (0, 141)
    assert "Traceback" not in process.stderr.read()
    process.stderr.close()


def test_two_branches_of_one_client(ready: Command) -> None:
    """If two folders have the same id, each is measured under its own name."""
    for name, kind in (("main", "honest"), ("feature/x", "slow")):
        branch = ready.folder / name
        shutil.copytree(fake(kind), branch)
        (branch / "adapter.toml").write_text(
            (branch / "adapter.toml").read_text().replace(f"fake/{kind}", "fake/client")
        )
        (branch.parent / "_kit").exists() or shutil.copytree(FAKES / "_kit", branch.parent / "_kit")
    command = ("compare", "main", "feature/x", "-w", "tiny.toml", "--budget", "20", "-o", "run")
    ran = ready(*command, "--fail-if-slower", "5")
    assert ran.status == 1, ran.out + ran.err
    assert "slower than allowed: fake/client@x" in ran.err
    assert "fake/client@main" in ran.out
    journal = ready.folder / "run" / "batches.jsonl"
    journal.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[:-2]))
    resumed = ready("resume", "run")
    assert resumed.status == 0, resumed.err
    refused = ready("run", "-c", "main", "-c", "feature/x")
    assert refused.status == 2
    assert "both define client 'fake/client'" in refused.err


def test_two_checkouts_of_a_shipped_client(fetchoff: Command) -> None:
    """README's command for CI, and `resume` after an interruption of such a run."""
    for name in ("main", "feature"):
        shutil.copytree(shipped("adapters") / "python" / "http-client", fetchoff.folder / name)
    command = ("compare", "main", "feature", "-w", "tiny.toml", "--budget", "1", "-o", "run")
    ran = fetchoff(*command, "--fail-if-slower", "1000")
    assert ran.status == 0, ran.out + ran.err
    assert "python/http-client@feature" in ran.out
    journal = fetchoff.folder / "run" / "batches.jsonl"
    journal.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[:-2]))
    resumed = fetchoff("resume", "run")
    assert resumed.status == 0, resumed.err
