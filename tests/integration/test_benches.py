"""Benches of measuring itself, each at its smallest: that they run, and what they hand on.

What they find is for a quiet machine.
"""

from __future__ import annotations

import json
import math
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from benches.disturber.disturbing import DisturberFailed, disturbed
from benches.fleet import beside
from benches.verdicts import totals, trials
from benches.verdicts.trials import RankingTrial, Told, Trial
from tests.command import fake
from tests.integration.benches import ROOT, bench, needs

from fetchoff.model.estimate import Estimate

CLIENT = fake("honest")
UNDECIDED = Told("undecided", 1.0, 0.9, 1.1)
SLOWER = Told("slower", 1.03, 1.01, 1.05)
FASTER = Told("faster", 0.97, 0.95, 0.99)


def verdicts(cache: Path, folder: Path, part: str, *more: str) -> list[dict[str, Any]]:
    """The trials of one part, one trial of it. Status 1: it is wrong, which a second excuses."""
    kept = folder / "trials.jsonl"
    one = ("--parts", part, "--clients", CLIENT, "--trials", "1", "--seed", "1")
    bench("verdicts.bench", cache, *one, "--add-to", kept, *more, statuses=(0, 1))
    return [json.loads(line) for line in kept.read_text().splitlines()]


@pytest.mark.parametrize(
    ("client", "more"),
    [
        ("python/http-client", ()),
        pytest.param("c/libcurl", ("--disturbed",), marks=needs("cc", "curl-config")),
    ],
)
def test_the_overhead_is_told(client: str, more: tuple[str, ...], cache: Path) -> None:
    few = ("--rounds", "2", "--turns", "6", *more)
    said = bench("overhead.bench", cache, "--clients", client, *few)
    assert said.startswith(f"seed 1\n{client}: bare ")
    assert "2 pairs of processes" in said


@pytest.mark.parametrize("client", [pytest.param("perl/http-tiny", marks=needs("strace", "make"))])
def test_changes_of_a_library_are_put_before_a_gate(
    client: str, cache: Path, tmp_path: Path
) -> None:
    kept = tmp_path / "gates.jsonl"
    few = ("--budget", "4", "--percent", "40", "--seed", "1", "--add-to", str(kept))
    # Of one comment, "slower" or "faster" is one too many; in four seconds it happens.
    said = bench("gates.bench", cache, "--clients", client, *few, statuses=(0, 1))
    assert "work: 1 gates" in said
    gates = {one["change"]: one for one in map(json.loads, kept.read_text().splitlines())}
    assert gates.keys() == {"comment", "calibration", "work", "call", "field", "allocation"}
    assert gates["work"]["aim_ns"] == pytest.approx(gates["comment"]["cpu_us"] * 400, rel=0.01)
    assert 0 < gates["work"]["ns"] < 2 * gates["work"]["aim_ns"]  # four seconds tell no more
    assert gates["calibration"]["ns"] == gates["calibration"]["aim_ns"]
    assert gates["work"]["ratios"]["cpu"] > 1.2
    assert not any(gates["comment"]["counted"].values())
    call = gates["call"]
    if call["end"] != "withheld":  # of those nothing is counted
        assert any("looked for" in meaning for meaning in call["counted"]["strace"])
    field = gates["field"]
    if field["end"] != "withheld" and "ledger" not in field["missing"]:  # fewer than three rounds
        assert any("requests are larger" in meaning for meaning in field["counted"]["ledger"])


def test_histories_of_equal_releases_are_searched(cache: Path, tmp_path: Path) -> None:
    kept = tmp_path / "histories.jsonl"
    few = ("--clients", "python/http-client", "--trials", "1", "--budget", "30", "--seed", "1")
    # Of one history, every comparison may be withheld, on a busy machine; then none is left.
    said = bench("histories.bench", cache, *few, "--step", "--add-to", kept, statuses=(0, 1))
    assert "1 histories of ten equal releases: " in said
    assert "1 histories with one step: " in said
    assert "the step is found: " in said
    found, stepped = map(json.loads, kept.read_text().splitlines())
    assert sum(found["kinds"].values()) == 1
    assert len(found["verdicts"]) == 2 * (found["comparisons"] - found["withheld"])
    assert stepped["has_step"]
    assert stepped["steps"] in ([], [["1.4", "1.5"]])  # none where 30 s are too short to tell


@needs("cc")
def test_a_warm_up_is_gone_on_with(cache: Path, tmp_path: Path) -> None:
    kept = tmp_path / "found.jsonl"
    few = ("--exchanges", "40", "--seconds", "2", "--pause-s", "0.1", "--disturbed")
    clients = ("--clients", "python/http-client,go/net-http", "--add-to", kept)
    said = bench("steadiness.bench", cache, *clients, *few)
    assert "measured too early" in said
    found = [json.loads(line) for line in kept.read_text().splitlines()]
    assert {one["workload"] for one in found} == {"small-get", "small-post", "download-to-memory"}
    assert all(one["further"] >= 40 and one["soon_us"] > 0 < one["late_us"] for one in found)
    assert all(one["disturbed"] for one in found)


@needs("cc")
def test_what_a_pause_costs_is_told(cache: Path) -> None:
    said = bench("pauses.bench", cache, "--rounds", "1")
    assert said.startswith("an exchange without a pause: ")
    assert len(re.findall(r"^after [\d]+ µs: added ÷ paused [\d.]+, CPU ", said, flags=re.M)) == 5


@needs("valgrind")
def test_instructions_are_counted(cache: Path) -> None:
    """Nothing here is timed: what a kit adds is the same on a busy machine."""
    said = bench(
        "instructions.bench", cache, "--clients", "python/http-client", "--exchanges", "100"
    )
    (added,) = re.findall(r"python/http-client .*?([+-][\d.]+)%", said)
    assert -2 < float(added) < 2
    assert "0 of 1 adapters add more than 2%" in said


def test_probes_are_compared(cache: Path) -> None:
    few = ("--clients", "python/http-client,python/urllib3", "--budget", "2", "--seed", "1")
    said = bench("probes.bench", cache, *few, statuses=(0, 1))
    row = r"^ *small-get +python/urllib3 +\d+ +(×\d\.\d{3}|waits)"
    assert re.search(row, said, re.MULTILINE)
    assert " of 2 have probes of their own" in said


def test_what_makes_intervals_wide_is_told(cache: Path, finished_run: Path) -> None:
    said = bench("precision.bench", cache, finished_run)
    assert "half-width" in said
    assert re.search(r"^ *run +tiny +\d+ +[\d.]+ %", said, re.MULTILINE), said


def test_whether_a_cost_falls_while_it_is_measured_is_told(cache: Path, finished_run: Path) -> None:
    said = bench("trends.bench", cache, finished_run, statuses=(0, 1, 2))
    assert re.search(r"^ *tiny +all +wall +\d+ +×[\d.]+ \(", said, re.MULTILINE), said


def test_a_fleet_is_measured_beside_a_run(cache: Path) -> None:
    pytest.importorskip("distributed", reason="the extra 'fleet' is not installed")
    clients = "python/http-client,python/urllib3"
    few = ("--clients", clients, "--pairs", "1", "--budget", "1", "--seed", "1")
    said = bench("fleet.beside", cache, *few, statuses=(0, 1))
    if "pair 1 does not count" in said:  # noise withheld a ranking
        assert "no pair counts, so nothing is told" in said
        return
    for client in clients.split(","):
        assert re.search(rf"{client}: in a fleet ×[\d.]+ \(0.0000 to inf\)", said)
    assert said.count("; not shown to be within ±2 %, 1 is in it") == 2


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        (0.99, 1.01, "within ±2 %, 1 is in it"),
        (1.0015, 1.0195, "within ±2 %, 1 is not in it"),
        (1.0015, 1.023, "not shown to be within ±2 %, 1 is not in it"),
        (0.979, 1.016, "not shown to be within ±2 %, 1 is in it"),
    ],
)
def test_what_a_worker_adds_is_held_against_a_margin(low: float, high: float, said: str) -> None:
    assert beside.judged(Estimate(1.0, low, high, 0.95), 0.02) == said


def test_verdicts_of_a_fleet_are_put_beside_those_of_a_run(cache: Path, tmp_path: Path) -> None:
    pytest.importorskip("distributed", reason="the extra 'fleet' is not installed")
    clients = "python/http-client,python/urllib3"
    few = ("--local", "2", "--workloads", "small-get", "--budget", "2", "--clients", clients)
    said = bench("fleet.verdicts", cache, *few, "--keep", tmp_path, statuses=(0, 1))
    rows = re.findall(r"^\| (\S+) \| (wall|cpu) \| (\d) ", said, re.MULTILINE)
    assert [row[:2] for row in rows] == [(f"local-{n}", c) for n in (1, 2) for c in ("wall", "cpu")]
    assert {pairs for *_, pairs in rows} <= {"0", "1"}  # 0 where noise withheld it
    assert len(json.loads((tmp_path / "fleet" / "results.json").read_text())["hosts"]) == 2


def test_a_client_is_compared_with_its_copy(cache: Path, tmp_path: Path) -> None:
    (trial,) = verdicts(cache, tmp_path, "aa", "--budget", "1")
    assert {trial["client"], trial["other"]} == {"fake/honest", "fake/copy-of-honest"}
    assert trial["workload"] == "small-get"
    assert trial["cpu_truth"] == 1.0
    assert 0 < trial["measured_s"] < trial["whole_s"]


def test_busy_time_is_put_in_and_seen(cache: Path, tmp_path: Path) -> None:
    """Half of an exchange in addition far exceeds the noise of two rounds."""
    (trial,) = verdicts(cache, tmp_path, "plus50", "--budget", "1")
    assert trial["cpu_truth"] > 1.1
    assert trial["cpu"]["ratio"] > 1 + (trial["cpu_truth"] - 1) / 4


def test_equals_are_ranked(cache: Path, tmp_path: Path) -> None:
    (trial,) = verdicts(cache, tmp_path, "ranking", "--ranking-budget", "1")
    assert trial["clients"] == trial["pairs_of_equals"] == 3
    assert trial["rounds"] > 0


@needs("cc")
def test_a_comparison_is_repeated_on_a_disturbed_machine(cache: Path, tmp_path: Path) -> None:
    pairs = ("--pairs", f"{CLIENT}:{fake('slow')}", "--disturbed", "--json", tmp_path / "totals")
    found = verdicts(cache, tmp_path, "identical", "--budget", "1", *map(str, pairs))
    assert [(t["client"], t["other"], t["disturbed"]) for t in found] == [
        ("fake/honest", "fake/slow", True)
    ]
    assert len(json.loads((tmp_path / "totals").read_text())["trials"]) == 1


@needs("hyperfine")
def test_whole_processes_are_asked_the_same(cache: Path, tmp_path: Path) -> None:
    found = verdicts(cache, tmp_path, "peers", "--peers-seconds", "0.1")
    parts = {trial["part"]: trial["cpu_truth"] for trial in found}
    assert parts["alternated-aa"] == 1.0
    assert 1 < parts["alternated-plus3"] < 1.04
    assert {"hyperfine-aa", "criterion-sequential-aa"} <= parts.keys()
    assert parts["criterion-alternated-plus3"] == parts["alternated-plus3"]


@pytest.mark.parametrize(
    ("part", "conditions"),
    [
        ("size", {"×1", "×2", "×4"}),
        ("hand", {"by hand", "in turns"}),
        ("lead", {"2 iterations", "8 iterations"}),
        ("crowd", {"2 processes", "3 processes"}),
    ],
)
def test_turns_are_told(part: str, conditions: set[str], cache: Path, tmp_path: Path) -> None:
    few = ("--clients", CLIENT, "--rounds", "1", "--turns", "3", "--crowds", "2,3")
    bench(
        "turns.bench", cache, "--parts", part, *few, "--leads", "2,8", "--json", tmp_path / "found"
    )
    rows = json.loads((tmp_path / "found").read_text())
    assert {row["condition"] for row in rows} == conditions
    assert all(row["us"] > 0 for row in rows)
    varying = {row["condition"] for row in rows if row["turns_vary"] > 0}
    assert varying == ({"×1", "×2"} if part == "size" else set())


@needs("cc")
def test_the_disturber_is_on_and_off_where_it_was_put() -> None:
    core = min(os.sched_getaffinity(0))
    with disturbed(1, core) as did:
        time.sleep(1)
        (pid,) = children("disturber")
        assert os.sched_getaffinity(pid) == {core}
    assert children("disturber") == []
    assert did.busy_ms > 0
    assert did.idle_ms > 0
    assert did.hops > 0
    assert did.calls > 0


@needs("cc")
def test_a_disturber_that_ends_early_is_told_of() -> None:
    with pytest.raises(DisturberFailed, match="ended before"), disturbed(1, seconds=0.1):
        wait_for_no_running_disturber()


@needs("cc")
def test_the_disturber_dies_with_its_parent() -> None:
    """If a bench is killed with SIGKILL, its disturber ends as well."""
    program = "import time; from benches.disturber.disturbing import disturbed\n"
    program += "with disturbed(1): print('on', flush=True); time.sleep(60)"
    with subprocess.Popen(
        [sys.executable, "-c", program], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline() == "on\n"
        (pid,) = children("disturber", of=parent.pid)
        parent.send_signal(signal.SIGKILL)
    deadline = time.monotonic() + 10
    while is_running(pid):
        assert time.monotonic() < deadline
        time.sleep(0.02)


def children(name: str, of: int | None = None) -> list[int]:
    """The processes of that name that another one, or this one, has started."""
    folder = Path(f"/proc/{of or os.getpid()}/task")
    started = [int(p) for task in folder.iterdir() for p in (task / "children").read_text().split()]
    return [pid for pid in started if Path(f"/proc/{pid}/comm").read_text().strip() == name]


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def wait_for_no_running_disturber() -> None:
    deadline = time.monotonic() + 10
    while any(map(is_running, children("disturber"))):
        assert time.monotonic() < deadline
        time.sleep(0.02)


def trial(cpu: Told, truth: float = 1.0, *, withheld: str = "") -> Trial:
    return Trial(
        "aa", "a/b", "a/copy-of-b", 1, False, UNDECIDED, cpu, 1.0, truth, withheld=withheld
    )


def test_trials_come_back_from_their_lines(tmp_path: Path) -> None:
    ranking = RankingTrial("ranking", 3, 1, True, (("a/b", "a/c"),), (), 3, 0.1)
    kept: list[Trial | RankingTrial] = [trial(SLOWER), ranking]
    for one in kept:
        trials.write(tmp_path / "kept", one)
    assert trials.read(tmp_path / "kept") == kept


@pytest.mark.parametrize(("count", "of"), [(1, 20), (10, 1000), (19, 20)])
def test_bounds_are_those_of_clopper_and_pearson(count: int, of: int) -> None:
    """At each bound, what was seen or anything more extreme has a chance of 5 %."""
    low, high = trials.bounds(count, of)
    assert 1 - chance_of_at_most(count - 1, of, low) == pytest.approx(0.05)
    assert chance_of_at_most(count, of, high) == pytest.approx(0.05)


def test_bounds_of_none_and_of_all() -> None:
    assert trials.bounds(0, 200)[0] == 0
    assert trials.bounds(0, 200)[1] == pytest.approx(1 - 0.05 ** (1 / 200))
    assert trials.bounds(200, 200)[1] == 1


def chance_of_at_most(count: int, of: int, share: float) -> float:
    return sum(math.comb(of, k) * share**k * (1 - share) ** (of - k) for k in range(count + 1))


def test_what_counts_as_wrong() -> None:
    equal = [trial(SLOWER), trial(UNDECIDED), trial(FASTER, withheld="noise")]
    unequal = [trial(SLOWER, 1.03), trial(FASTER, 1.03), trial(UNDECIDED, 1.03)]
    assert totals.summary(equal)[-1]["wrong"] == 1
    assert totals.summary(unequal)[-1]["wrong"] == 1
    assert totals.summary(unequal)[-1]["found_cpu"] == 1


def test_what_was_not_put_in_is_not_found() -> None:
    """3 % were injected: a result of 6 % does not show that, and neither does a withheld one."""
    too_much = replace(trial(SLOWER, 1.06), aim=0.03)
    right = replace(trial(SLOWER, 1.03), aim=0.03)
    (row, _) = totals.summary([right, too_much, replace(right, withheld="noise")])
    assert (row["on_target"], row["found_cpu"]) == (2, 1)


def test_opposite_verdicts_contradict_each_other() -> None:
    assert SLOWER.opposes(FASTER)
    assert not SLOWER.opposes(UNDECIDED)
    assert not SLOWER.opposes(SLOWER)
    assert SLOWER.overlaps(UNDECIDED)
    assert not SLOWER.overlaps(FASTER)


def test_diagnoses_of_all_parts_are_told(cache: Path, tmp_path: Path) -> None:
    kept = tmp_path / "rows.jsonl"
    few = ("--clean", CLIENT, "--clean-on", "small-get", "--repeats", "1", "--no-trace")
    more = ("--clients", CLIENT, "--survey", "small-post", "--pairs", f"{CLIENT}:{fake('slow')}")
    said = bench("diagnosis.bench", cache, *few, *more, "--budget", "1", "--out", str(kept))
    rows = [json.loads(line) for line in kept.read_text().splitlines()]
    assert [row["part"] for row in rows] == ["clean", "survey", "pairs"]
    assert rows[0]["diagnosis"]["causes"] == []
    assert 0 <= rows[2]["unexplained"] <= 1
    assert "1 of 1 runs without a finding" in said


def test_a_site_of_made_up_runs_is_timed(cache: Path, tmp_path: Path) -> None:
    said = bench("site.bench", cache, "--runs", "2", "--keep", tmp_path)
    assert re.search(r"2 runs of \d+ MB results.json: \d+ pages", said)
    assert said.endswith("\n0 broken links\n")
    assert (tmp_path / "site" / "index.html").is_file()
