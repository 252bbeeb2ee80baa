"""The arithmetic of `make bench-agreement`, with known truth."""

from __future__ import annotations

import json
import math
import random
from argparse import Namespace
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from benches.agreement import bench, findings, runs, subjects
from benches.agreement.arithmetic import (
    Agreement,
    Overall,
    mean_cost,
    paired_ratio,
    relative,
    total_cost,
    without_interval,
)
from benches.agreement.bench import Bench
from benches.agreement.processes import FailedError, Task, started, unfit
from benches.agreement.rounds import Measured, stand
from benches.agreement.runs import Report, Reported, RunError
from benches.agreement.stretches import LINE_NS, STRETCH_NS, lines_of, mixed, stretches_of
from benches.agreement.subjects import Subject, Way
from hypothesis import given
from hypothesis import strategies as st

from fetchoff.catalog.workloads import workload
from fetchoff.model.client import Client, Launch, Manifest, Readiness
from fetchoff.model.estimate import Estimate
from fetchoff.model.finding import Clock
from fetchoff.model.loopback import Loopback
from fetchoff.run.host.machine import usable_cores

TRIALS = 2000
EXACT = Estimate(1.0, 1.0, 1.0, 0.99)


def share_that_holds(truth: float, estimates: Iterator[Estimate]) -> float:
    return float(np.mean([estimate.contains(truth) for estimate in estimates]))


def test_intervals_of_a_mean_hold_the_truth_as_often_as_they_say() -> None:
    rng = np.random.default_rng(1)
    costs = 40 * np.exp(rng.normal(0, 0.05, (TRIALS, 10)))
    assert share_that_holds(40, (mean_cost(c, 0.95) for c in costs)) == pytest.approx(
        0.95, abs=0.02
    )


def test_pairing_takes_out_what_a_round_has_in_common() -> None:
    rng = np.random.default_rng(2)
    weather = np.exp(rng.normal(0, 0.4, (TRIALS, 10)))
    base = 500 * weather * np.exp(rng.normal(0, 0.01, weather.shape))
    own = 50 * weather * np.exp(rng.normal(0, 0.01, weather.shape))
    ratios = [paired_ratio(a, b, 0.99) for a, b in zip(own, base, strict=True)]
    assert share_that_holds(0.1, iter(ratios)) == pytest.approx(0.99, abs=0.01)
    assert max(ratio.half_width / ratio.point for ratio in ratios) < 0.05


@pytest.mark.parametrize("processes, rounds", [(10, 10), (10, 5), (4, 20)])
@pytest.mark.parametrize("noisier", [1, 5])
def test_joint_intervals_hold_the_truth(processes: int, rounds: int, noisier: int) -> None:
    """Of two estimates with as many samples or not, as noisy or not."""
    rng = np.random.default_rng(3)
    ours = 1.07 * np.exp(rng.normal(0, 0.02 * noisier, (TRIALS, rounds)))
    plain = np.exp(rng.normal(0, 0.02, (TRIALS, processes)))
    joint = (
        relative(mean_cost(a, 0.99), mean_cost(b, 0.99)) for a, b in zip(ours, plain, strict=True)
    )
    assert share_that_holds(1.07, joint) > 0.985


def test_equal_distances_add_in_quadrature() -> None:
    up = math.exp(0.03)
    a = Estimate(2.0, 2.0 / up, 2.0 * up, 0.99)
    b = Estimate(1.0, math.exp(-0.04), math.exp(0.04), 0.99)
    joint = relative(a, b)
    assert joint.point == pytest.approx(2.0)
    assert math.log(joint.high / joint.point) == pytest.approx(0.05)
    assert math.log(joint.point / joint.low) == pytest.approx(0.05)


def test_unequal_distances_go_to_the_side_they_belong_to() -> None:
    """A denominator that may be much larger makes the ratio perhaps much smaller."""
    b = Estimate(1.0, math.exp(-0.01), math.exp(0.2), 0.99)
    joint = relative(EXACT, b)
    assert math.log(joint.low) == pytest.approx(-0.2)
    assert math.log(joint.high) == pytest.approx(0.01)


def test_a_total_weighs_processes_by_what_they_did() -> None:
    assert total_cost([100.0, 900.0], [10.0, 30.0], 0.95).point == pytest.approx(25.0)


@pytest.mark.parametrize(
    "found, is_close, is_within",
    [
        (Estimate(1.029, 1.028, 1.030, 0.99), True, True),  # surely off, and not by much
        (Estimate(0.8, 0.6, 1.1, 0.99), False, True),  # perhaps not off
        (Estimate(1.05, 1.04, 1.06, 0.99), False, False),
        (Estimate(0.95, 0.94, 0.96, 0.99), False, False),
        (without_interval(1.05), False, False),  # nothing was told
        (without_interval(1.01), True, True),
    ],
)
def test_who_agrees(found: Estimate, *, is_close: bool, is_within: bool) -> None:
    agreement = Agreement.of("c/libcurl", found, EXACT, 0.03)
    assert (agreement.is_close, agreement.is_within) == (is_close, is_within)


def test_all_together() -> None:
    found = [Estimate(x, x - 0.01, x + 0.01, 0.99) for x in (0.90, 1.02, 1.50)]
    overall = Overall.of([Agreement.of("", one, EXACT, 0.03) for one in found])
    assert (overall.clients, overall.within, overall.close) == (3, 1, 1)
    assert overall.median == pytest.approx(0.02)
    assert overall.median_size == pytest.approx(0.10)
    assert overall.largest == pytest.approx(0.50)


def process(round_: int, client: str, us: float, way: Way = Way.LOOP) -> Measured:
    n = 1000
    cpu_ns = round(us * 1e3 * n)
    return Measured(round_, client, way, n, cpu_ns, cpu_ns + 10_000 * n, 0, 1.0, 1, 60.0, "")


def wall_of(cpu: Estimate) -> Estimate:
    return Estimate(2 * cpu.point, 2 * cpu.low, 2 * cpu.high, cpu.level)


def report(**ratios: Estimate) -> Report:
    clients = {
        name.replace("_", "/"): Reported(
            wall_of(ratio), ratio, Estimate(100.0, 90.0, 110.0, 0.95), 5, 60.0
        )
        for name, ratio in ratios.items()
    }
    return Report(clients, {}, "", 1.0)


def test_ratios_of_loops_are_of_the_rounds_that_both_were_in() -> None:
    measured = [process(0, "a/base", 500), process(0, "a/own", 50)]
    measured += [process(1, "a/base", 1000), process(1, "a/own", 100)]
    measured += [process(2, "a/base", 2000)]  # in a round that was too much for the other
    told = report(a_base=EXACT, a_own=Estimate(0.12, 0.11, 0.13, 0.99))
    (found,) = findings.agreements(measured, told, "a/base", Clock.CPU)
    assert found.reference.point == pytest.approx(0.1)
    assert found.ratio.point == pytest.approx(1.2)
    (found,) = findings.agreements(measured, told, "a/base", Clock.WALL)
    assert found.reference.point == pytest.approx(math.sqrt(60 / 510 * 110 / 1010))
    assert found.found.point == pytest.approx(0.24)


def test_a_client_without_figures_is_not_judged() -> None:
    measured = [process(r, c, 100) for r in range(3) for c in ("a/base", "a/own", "a/absent")]
    found = findings.agreements(measured, report(a_base=EXACT, a_own=EXACT), "a/base", Clock.CPU)
    assert [one.client for one in found] == ["a/own"]


def test_real_means_are_outside_relative_to_reported() -> None:
    measured = [process(r, "a/own", us) for r, us in enumerate((100, 120, 140))]
    measured += [process(r, "a/own", 300, Way.ADAPTER) for r in range(3)]
    told = report(a_own=EXACT)
    (loop,) = findings.real_means(measured, told, Way.LOOP)
    (by_hand,) = findings.real_means(measured, told, Way.ADAPTER)
    assert loop.ratio.point == pytest.approx(1.2)
    assert by_hand.ratio.point == pytest.approx(3.0)
    assert findings.kits(measured)["a/own"].point == pytest.approx(
        300 / (100 * 120 * 140) ** (1 / 3)
    )


def test_another_request_than_the_adapters_is_told() -> None:
    measured = [process(r, "a/base", 100) for r in range(2)]
    loops = findings.loops(measured, "a/base")
    told = report(a_base=EXACT)
    assert findings.remarks(loops, measured, told) == []
    longer = Reported(EXACT, EXACT, EXACT, 5, request_bytes=95.0)
    other = Report({"a/base": longer}, {}, "", 1.0)
    (remark,) = findings.remarks(loops, measured, other)
    assert "60 bytes a request, in the run 95" in remark


def bench_of(measured: list[Measured], told: Report, *, total: bool = True) -> Bench:
    """The bench when all is measured."""
    one = Bench.__new__(Bench)
    one.arguments = Namespace(baseline="a/base", total=total, seed=1)
    one.measured, one.failures, one.report = measured, {}, told
    one.skipped, one._stand = {}, stand("small-get", Loopback.MACHINE)
    return one


BUILT = Launch(("true",))


@pytest.mark.parametrize(
    ("source", "compiler", "status"), [("int main(void) {", "cc", 1), ("", "no-such-cc", 0)]
)
def test_a_loop_that_no_longer_compiles_fails_and_one_without_a_compiler_is_skipped(
    source: str, compiler: str, status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With --only-loops, nothing is told but what was measured."""

    def compiled(_: Client, __: Launch, folder: Path) -> Launch:
        (folder / "loop.c").write_text(source)
        subjects._compiled((compiler, "-fsyntax-only", "loop.c"), folder)
        return BUILT

    def ready(manifest: Manifest) -> Client:
        return Client(manifest, Readiness.READY, launch=BUILT)

    monkeypatch.setattr(subjects, "state", ready)
    builds = {"c": compiled, "python": lambda *_: BUILT}
    monkeypatch.setattr(subjects, "_BUILDS", builds)
    monkeypatch.setattr(bench, "measure_round", lambda *_: ([], {}))
    out = tmp_path / "out.json"
    few = ("--processes", "1", "--clients", "c/libcurl", "--baseline", "python/requests")
    assert bench.main(["--only-loops", *few, "--out", str(out)]) == status
    document = json.loads(out.read_text())
    assert bool(document["failed"]) is bool(status)
    assert bool(document["skipped"]) is not bool(status)


def test_the_goals_are_met_where_nothing_differs_or_is_missing() -> None:
    """Ratios agree in each case; what is besides decides."""
    base, way = ("a/base", 100.0), Way.ADAPTER
    measured = [process(r, *base) for r in range(3)] + [process(r, "a/own", 100) for r in range(3)]
    well = [*measured, *(process(r, *base, way) for r in range(3))]
    told = report(a_base=EXACT, a_own=EXACT)
    told = replace(told, clients={n: replace(c, wall=c.cpu) for n, c in told.clients.items()})
    assert bench_of(well, told).show()
    dearer = [*measured, *(process(r, "a/base", 150.0, way) for r in range(3))]
    assert not bench_of(dearer, told).show()
    assert bench_of(dearer, told, total=False).show()
    assert not bench_of(well, replace(told, withheld="noise")).show()
    assert not bench_of(well, replace(told, without={"a/other": "failed: late"})).show()
    failed = bench_of(well, told)
    failed.failures = {("a/other", Way.LOOP): "it ended"}
    assert not failed.show()


@given(st.integers(1, 100_000), st.floats(1e4, 1e8))
def test_every_exchange_is_in_one_line(exchanges: int, ns_per_exchange: float) -> None:
    stretches = stretches_of(exchanges, ns_per_exchange)
    lines = [line for one in stretches for line in lines_of(one, ns_per_exchange)]
    assert sum(lines) == exchanges
    assert min(lines) > 0
    assert max(lines) == 1 or max(lines) * ns_per_exchange <= LINE_NS
    assert len(stretches) == 1 or min(stretches) >= 1000


@pytest.mark.parametrize("ns_per_exchange, count", [(20_000, 4), (500_000, 10)])
def test_stretches_are_about_a_second_and_several(ns_per_exchange: int, count: int) -> None:
    stretches = stretches_of(20_000, ns_per_exchange)
    assert len(stretches) == count
    assert max(stretches) * ns_per_exchange <= STRETCH_NS


def test_stretches_of_one_are_spread_over_those_of_all() -> None:
    order = mixed([10, 10, 5, 1], random.Random(4))
    assert [order.count(index) for index in range(4)] == [10, 10, 5, 1]
    for tenth in range(1, 10):
        place = [i for i, index in enumerate(order) if index == 0][tenth]
        assert sum(index == 1 for index in order[:place]) in (tenth - 1, tenth, tenth + 1)
    assert order != mixed([10, 10, 5, 1], random.Random(5))


@pytest.mark.parametrize("way", Way)
@pytest.mark.parametrize(
    "script, why",
    [
        ("read n; echo status 404 >&2; exit 1", "exit status 1; its last words: status 404"),
        ("read n; echo done", "prints garbage"),
    ],
)
def test_a_process_that_fails_says_so(tmp_path: Path, way: Way, script: str, why: str) -> None:
    subject = Subject("a/own", way, Launch(("/bin/sh", "-c", script)))
    with pytest.raises(FailedError, match=why):
        started(
            subject, "http://127.0.0.1:1", tmp_path, Task(workload("small-get"), usable_cores()[0])
        ).do(1)


@pytest.mark.parametrize(
    "name, why",
    [
        ("small-get", ""),
        ("small-post", ""),
        ("download-to-memory", ""),
        ("login-session", "several exchanges"),
        ("handshake", "settings"),
        ("download-file", "settings"),
        ("upload", "neither"),
    ],
)
def test_what_loops_cannot_do_is_refused(name: str, why: str) -> None:
    assert why in unfit(workload(name)) if why else not unfit(workload(name))


RESULT = {
    "workload": "small-get",
    "baseline": "a/base",
    "withheld": "",
    "standings": [
        {
            "client": "a/own",
            "outcome": "ok",
            "message": "",
            "rounds": 2,
            "wall": {"ratio": {"point": 0.6, "low": 0.5, "high": 0.7, "level": 0.99}},
            "cpu": {"ratio": {"point": 0.5, "low": None, "high": None, "level": 0}},
            "costs": {"cpu_us": {"point": 50.0, "low": 45.0, "high": 55.0, "level": 0.95}},
            "wire": None,
        },
        {
            "client": "a/broken",
            "outcome": "failed",
            "message": "late",
            "wall": None,
            "cpu": None,
            "costs": None,
        },
    ],
}


def run_folder(tmp_path: Path, **other: object) -> Path:
    document = {"results": [{**RESULT, **other}], "seconds": 3.0}
    (tmp_path / "results.json").write_text(json.dumps(document))
    return tmp_path


def test_a_run_is_read(tmp_path: Path) -> None:
    read = runs.read(run_folder(tmp_path), "small-get", "a/base")
    own = read.clients["a/own"]
    assert own.wall == Estimate(0.6, 0.5, 0.7, 0.99)
    assert own.cpu == without_interval(0.5)
    assert own.cpu_us == Estimate(50.0, 45.0, 55.0, 0.95)
    assert read.without == {"a/broken": "failed: late"}


@pytest.mark.parametrize("other", [{"baseline": "a/own"}, {"workload": "json-get"}])
def test_a_run_of_something_else_is_refused(tmp_path: Path, other: dict[str, object]) -> None:
    with pytest.raises(RunError):
        runs.read(run_folder(tmp_path, **other), "small-get", "a/base")
