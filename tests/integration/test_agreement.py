"""`make bench-agreement` at its smallest: plain loops, and a run to compare them with."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import closing, nullcontext
from dataclasses import dataclass, replace
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from benches.agreement.processes import FailedError, Task, started
from benches.agreement.subjects import Way, gathered, with_loops
from tests.command import Command, Ran

from fetchoff.app.loopbacks import lacking
from fetchoff.catalog.workloads import workload
from fetchoff.model.workload import Exchange
from fetchoff.run.host.machine import usable_cores
from fetchoff.run.origins.built_in import BuiltInOrigin
from fetchoff.run.origins.reference import fetch

ROOT = Path(__file__).parents[2]
BASELINE = "python/http-client"
OTHER = "c/libcurl"
NEVER_SET_UP = "ruby/excon"
INHERITED = {k: v for k, v in os.environ.items() if k in ("PATH", "PYTHONPATH", "TMPDIR")}


@dataclass(frozen=True)
class Bench:
    """Runs the bench as a process; reads the file that it writes."""

    folder: Path
    cache: Path

    def __call__(self, *arguments: str) -> tuple[Ran, dict[str, Any]]:
        out = self.folder / "agreement.json"
        command = [sys.executable, "-m", "benches.agreement.bench", "--out", str(out)]
        env = {**INHERITED, "HOME": str(self.folder), "FETCHOFF_CACHE": str(self.cache)}
        done = subprocess.run(
            [*command, "--baseline", BASELINE, *arguments],
            cwd=ROOT,
            env=env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=120,
            check=False,
            text=True,
        )
        document = json.loads(out.read_text()) if out.exists() else {}
        return Ran(done.returncode, done.stdout, done.stderr), document


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache of this file alone: in the session's, another test may set up any client."""
    return tmp_path_factory.mktemp("agreement-cache")


@pytest.fixture
def bench(tmp_path: Path, cache: Path) -> Bench:
    """The bench with two ready clients; skips the test if one is unavailable."""
    ran = Command(tmp_path, cache, env=INHERITED)("setup", BASELINE, OTHER)
    if "unavailable" in ran.err:
        pytest.skip(f"of two clients that are needed, {ran.err}")
    return Bench(tmp_path, cache)


@pytest.mark.parametrize(
    "what",
    [
        (),
        ("--workload", "small-post", "--disturbed"),
        ("--workload", "download-to-memory", "--loopback", "own"),
    ],
)
def test_plain_loops(what: tuple[str, ...], bench: Bench) -> None:
    if "own" in what and (why := lacking()):
        pytest.skip(f"no loopback of its own: {why}")
    amounts = ("--processes", "2", "--exchanges", "30", "--warm-up", "25", *what)
    ran, found = bench("--only-loops", *amounts, "--clients", f"{OTHER},{NEVER_SET_UP}")
    assert ran.status == 0, ran.err
    assert found["failed"] == {}
    assert found["options"]["disturbed"] is ("--disturbed" in what)
    assert NEVER_SET_UP in found["skipped"]
    assert f"fetchoff setup {NEVER_SET_UP}" in ran.out
    done = sorted((one["client"], one["round"]) for one in found["processes"])
    assert done == [(OTHER, 0), (OTHER, 1), (BASELINE, 0), (BASELINE, 1)]
    for one in found["processes"]:
        assert one["exchanges"] == 30
        assert one["connections"] == 1
        assert 0 < one["cpu_ns"] < 2 * one["wall_ns"]


def test_held_against_a_run(bench: Bench) -> None:
    amounts = ("--processes", "2", "--exchanges", "30", "--warm-up", "25", "--budget", "4")
    ran, found = bench(*amounts, "--total", "--clients", OTHER)
    assert ran.status in (0, 1), ran.err  # too little was measured to agree or not
    assert [one["client"] for one in found["agreements in wall"]] == [OTHER]
    assert [one["client"] for one in found["agreements in cpu"]] == [OTHER]
    assert {one["client"] for one in found["real means by adapter"]} == {OTHER, BASELINE}
    assert set(found["adapter relative to loop"]) == {OTHER, BASELINE}
    assert f"CPU time relative to {BASELINE}" in ran.out
    assert f"Wall time relative to {BASELINE}" in ran.out
    (run,) = bench.folder.glob("agreement-run-*/results.json")
    again, same = bench(*amounts, "--clients", OTHER, "--run", str(run.parent))
    assert again.status in (0, 1), again.err
    assert same["agreements in cpu"][0]["found"] == found["agreements in cpu"][0]["found"]


def test_without_a_baseline_there_is_nothing_to_hold_against(bench: Bench, tmp_path: Path) -> None:
    empty = Bench(bench.folder, tmp_path / "empty")
    ran, _ = empty("--only-loops")
    assert ran.status == 2
    assert f"fetchoff setup {BASELINE}" in ran.err


@pytest.mark.parametrize("workload_id", ["small-get", "small-post", "download-to-memory"])
@pytest.mark.parametrize("client", with_loops())
def test_a_loop_checks_what_it_gets(client: str, workload_id: str, tmp_path: Path) -> None:
    """It ends where status or length are others; the origin counts its requests."""
    (tmp_path / "build").mkdir()
    here = gathered([client], [Way.LOOP], tmp_path / "build")
    if here.skipped:
        pytest.skip(here.skipped[client])
    assert here.failed == {}
    origin = BuiltInOrigin(tmp_path)
    try:
        base_url = origin.open().base_url
        right = fetch(workload(workload_id), base_url).workload
        (exchange,) = right.exchanges
        longer = replace(exchange, expect=replace(exchange.expect, bytes=7))
        refused = refusal(exchange, base_url)
        for one, does in ((exchange, True), (longer, False), (refused, False)):
            asked = replace(right, exchanges=(one,))
            ledger = origin.open()
            task = Task(asked, usable_cores()[0])
            process = started(here.subjects[0], ledger.base_url, tmp_path, task)
            try:
                with nullcontext() if does else pytest.raises(FailedError):
                    process.do(3)
            finally:
                process.end()
            assert ledger.close().seen.requests == (3 if does else 1)
    finally:
        origin.end()


def refusal(exchange: Exchange, base_url: str) -> Exchange:
    """A request like that one, to a target whose answer has the expected length, and another
    status than the 200 that loops ask for."""
    target = "/status/404"
    address = urlsplit(base_url)
    connection = HTTPConnection(address.hostname or "", address.port)
    with closing(connection):
        connection.request(exchange.method, target)
        answer = connection.getresponse()
        content = answer.read()
    assert answer.status >= 400
    return replace(exchange, target=target, expect=replace(exchange.expect, bytes=len(content)))


def test_every_loop_has_an_adapter() -> None:
    assert len(with_loops()) >= 18
    for name in with_loops():
        assert (ROOT / "adapters" / name / "adapter.toml").is_file()
