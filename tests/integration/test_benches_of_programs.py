"""Benches of the origin, of the link emulator and of what clients buffer, each at its smallest.

They run to their end and print what they should. On a busy machine they may miss their goals, and
say so by exit status 1; 2 is what could not be measured.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from benches.fleet.guides.bench import GUIDES
from benches.fleet.guides.followed import Failed, measured, recipe
from tests.integration.benches import ROOT, bench, found, needs

from fetchoff.model.fleet import FleetAnalysis
from fetchoff.report.page import fleet

MEASURED = (0, 1)
CLIENT = "python/http-client"


@needs("wrk", "nginx", "cc", "cargo")
def test_the_origin_beside_nginx_and_a_bare_loop(cache: Path) -> None:
    few = ("--repetitions", "1", "--seconds", "1", "--json")
    results = json.loads(bench("origin.bench", cache, *few, statuses=MEASURED))
    assert [result["target"] for result in results] == ["/bytes/16", "/json/335114"]
    for result in results:
        assert {one["server"] for one in result["samples"]} == {"origin", "nginx", "bare loop"}
        assert all(one["requests"] > 0 and one["cpu_us"] > 0 for one in result["samples"])


@needs("h2load", "nginx", "apache2", "cargo")
def test_the_origin_beside_other_servers_by_http_2(cache: Path) -> None:
    few = ("--repetitions", "1", "--share", "0.01", "--json")
    results = json.loads(bench("h2load.bench", cache, *few, statuses=MEASURED))
    assert len(results) == 4
    for result in results:
        assert {one["server"] for one in result["samples"]} == {"origin", "nginx", "apache2"}
        assert all(one["cost"] > 0 for one in result["samples"])
        assert "TLSv1.3" in result["session"] and "h2" in result["session"]


@needs("h2spec")
def test_the_origin_keeps_to_http_2_as_h2spec_has_it(cache: Path) -> None:
    program = found("h2spec")
    assert program is not None
    said = bench("h2spec.bench", cache, "--h2spec", program, "http2/5.1", "hpack/2.3")
    tried = re.findall(r"^(in the clear|over TLS): (\d+) passed", said, re.MULTILINE)
    assert [name for name, _ in tried] == ["in the clear", "over TLS"]
    assert all(int(passed) > 10 for _, passed in tried)


@pytest.mark.timeout(600)
@needs("cargo")
def test_links_as_asked_and_as_measured(cache: Path, namespaces: None) -> None:
    few = ("--mode", "3", "--seconds", "2", "--rates", "100", "--share", "0.02", "--json")
    lines = json.loads(bench("link.bench", cache, *few, statuses=MEASURED))
    found = {line["what"]: line for line in lines}
    assert {"round trip, p50", "TCP up, 100 Mbit/s", "TCP down, no rate", "loss"} <= set(found)
    assert found["the same seed again: differ"]["measured"] == 0
    assert found["another seed: differ"]["measured"] > 0


@pytest.mark.timeout(600)
@needs("cargo")
def test_a_link_under_much_traffic(cache: Path, namespaces: None) -> None:
    lines = json.loads(
        bench("link.bench", cache, "--mode", "3", "--soak", "2", "--json", statuses=MEASURED)
    )
    found = {line["what"]: line["measured"] for line in lines}
    for way in ("up", "down"):
        assert found[f"stream {way}: out of order"] == found[f"all packets {way}: astray"] == 0
    assert found["packets up"] > 0


def test_runs_over_a_link_are_killed(cache: Path, namespaces: None) -> None:
    said = bench("kill.bench", cache, "--kills", "3", "--link", "--seed", "1")
    assert said.startswith("seed 1\n3 kills in ")
    assert "0 processes, 0 namespaces, 0 devices left behind" in said
    assert said.count("0 faults") == 1


@pytest.mark.timeout(600)
@needs("ip", "unshare")
def test_a_host_of_a_fleet_is_cut_off(cache: Path, namespaces: None) -> None:
    """In a network of its own, which the bench makes; test_fleet.py kills without it."""
    pytest.importorskip("distributed", reason="the extra 'fleet' is not installed")
    once = ("--kills", "1", "--kinds", "partitions", "--only", "patient", "--seed", "1")
    said = bench("fleet.bench", cache, *once, "--rounds", "3")
    assert said.startswith("seed 1\n")
    assert " 1 partitions in 1 runs: " in said
    assert "; 0 faults, " in said


@needs("strace")
def test_memory_of_a_download(cache: Path) -> None:
    small = ("--whole", "10M", "--traced", "10M")
    said = bench("memory.bench", cache, CLIENT, *small)
    (row,) = (line.split() for line in said.splitlines() if line.startswith(CLIENT))
    grown, peak, asked, got, _ = (figure.replace(",", "") for figure in row[1:])
    assert 0 <= float(grown) < 10 < float(peak)
    assert min(int(asked), int(got)) >= 512


@needs("cc")
def test_a_machine_is_disturbed_by_hand(cache: Path) -> None:
    said = bench("disturber.disturbing", cache, "--seconds", "1", "--seed", "5")
    counts = re.fullmatch(
        r"seed 5: busy for (\d+) ms, idle for (\d+) ms: (\d+) pointers, (\d+) system calls\n", said
    )
    assert counts is not None
    assert all(int(count) > 0 for count in counts.groups())


@needs("chromium")
def test_the_report_of_a_large_fleet_is_opened(cache: Path) -> None:
    few = ("--hosts", "70", "--clients", "3", "--workloads", "2")
    lines = bench("fleet.opening", cache, *few).splitlines()
    row = r"(\d+) hosts: [\d.]+ s to write [\d.]+ MB, [\d.]+ s to open"
    read = [re.fullmatch(row, line) for line in lines]
    assert [one and one[1] for one in read] == ["7", "70"]


@needs("chromium")
def test_a_report_whose_rankings_lack_rows_is_not_taken_for_a_whole_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Though hosts and the matrix have more rows than are asked for."""
    from benches.fleet import opening

    whole = fleet.text

    def without_a_row(analysis: FleetAnalysis) -> str:
        return re.sub(
            r"<tr>\s*<td class=\"tier\">.*?</tr>", "", whole(analysis), count=1, flags=re.S
        )

    assert opening.opened(4, 3, 1, tmp_path).hosts == 4
    monkeypatch.setattr(fleet, "text", without_a_row)
    with pytest.raises(SystemExit, match="2 rows of 3 are shown"):
        opening.opened(4, 3, 1, tmp_path)


def test_every_bench_that_make_has_is_run() -> None:
    """By its module: a new one without a test is a bench that may break unseen."""
    modules = set(re.findall(r"-m benches\.([a-z0-9.]+)", (ROOT / "Makefile").read_text()))
    own = {"agreement.bench"}  # test_agreement.py starts it
    tests = "".join(file.read_text() for file in Path(__file__).parent.glob("test_bench*.py"))
    assert len(modules) >= 13
    run = set(re.findall(r"bench\(\s*\"([a-z0-9.]+)\"", tests))
    assert modules - own - run == set()


ROUNDS = re.compile(r"rounds: \{'[\w-]+': \d+, '[\w-]+': \d+\}")


@pytest.mark.timeout(600)
@pytest.mark.parametrize("guide", ["ssh", "slurm", "kubernetes"])
def test_guides_lead_to_a_fleet(cache: Path, guide: str, namespaces: None) -> None:
    pytest.importorskip("distributed", reason="the extra 'fleet' is not installed")
    if os.geteuid():
        pytest.skip("only root may start the daemons of the guides")
    if missing := [one for one in GUIDES[guide].programs if found(one) is None]:
        pytest.skip(f"not installed: {', '.join(missing)}")
    said = bench("fleet.guides.bench", cache, "--guides", guide, "--budget", "6", statuses=(0, 2))
    if " error: " in said:
        pytest.skip(said)
    assert said.startswith(f"{guide}: ")
    assert ROUNDS.search(said)
    assert ("was lost with its job; resumed: " in said) == (guide == "slurm")


def test_a_guide_that_leads_nowhere_fails(tmp_path: Path) -> None:
    with pytest.raises(Failed, match="the guide no longer has 'jobs=7'"):
        recipe("SLURMCluster", {"jobs=7": "jobs=2"})
    (tmp_path / "results.json").write_text(json.dumps({"hosts": [{"id": "one", "rounds": 3}]}))
    told = "python/urllib3  slower on both hosts"
    with pytest.raises(Failed, match="exit status 10"):
        measured((10, told), tmp_path, hosts=1)
    with pytest.raises(Failed, match="2 hosts were expected"):
        measured((0, told), tmp_path, hosts=2)
    with pytest.raises(Failed, match="was called faster"):
        measured((0, "python/urllib3  faster on both hosts"), tmp_path, hosts=1)
    assert measured((0, told), tmp_path, hosts=1) == {"one": 3}
