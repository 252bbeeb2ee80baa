"""The bench of gates: how long its loops are, and its totals."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import replace

import pytest
from benches.gates import bench
from benches.gates.bench import Gated
from benches.gates.libraries import LIBRARIES, Change

CPU_US = 100.0


def gated(change: Change, cpu: float, *, ns: int = 0, end: str = "slower") -> Gated:
    answers = {"wall": "not slower", "cpu": end}
    ratios = {"wall": cpu, "cpu": cpu}
    return Gated("a/b", change, 1, end, answers, ratios, ns, CPU_US, {}, 9.0)


CALIBRATION = gated(Change.CALIBRATION, 1.32, ns=30_000)  # 2 µs more than the loop itself


def test_what_looking_at_the_clock_costs_is_taken_off_the_loop() -> None:
    other = replace(CALIBRATION, ratios={"wall": 1.3, "cpu": 1.34})
    assert bench._beyond_ns("a/b", [CALIBRATION, other]) == pytest.approx(3000)
    assert bench._beyond_ns("a/c", [CALIBRATION]) == 0
    assert bench._beyond_ns("a/b", [replace(CALIBRATION, end="withheld")]) == 0


def test_a_calibration_comes_before_the_work() -> None:
    changes = bench._with_calibration([Change.COMMENT, Change.WORK, Change.CALL])
    assert list(changes) == [Change.CALIBRATION, Change.WORK, Change.CALL]
    assert list(bench._with_calibration([Change.CALL])) == [Change.CALL]


def test_the_totals_are_by_change_and_library(capsys: pytest.CaptureFixture[str]) -> None:
    work = replace(gated(Change.WORK, 1.04), aim_ns=3000)
    withheld = replace(work, end="withheld", ratios={"wall": 9.0, "cpu": 9.0})
    other = replace(gated(Change.WORK, 1.01, end="cannot tell"), client="a/c")
    bench._show([work, work, withheld, other])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "work: 4 gates"
    assert lines[1].startswith("  withheld: 1 of 4: 25.0% (")
    assert lines[2].startswith("  slower: 2 of 3: 66.7% (")
    at = lines.index("  a/b: 3 gates; to be added to the CPU time: 3.0 %, found: 4.0 % on average")
    assert lines[at + 2].startswith("    slower: 2 of 2")
    assert "  a/c: 1 gates" in lines


def test_budgets_that_are_longer_than_a_gates_own_are_told() -> None:
    said = bench._budgets(LIBRARIES, Namespace(budget=None))
    assert said.startswith("180 s, as is the default of a gate; but ")
    assert "java/apache-httpclient5 600 s" in said
    assert "javascript/undici 300 s" in said
    assert bench._budgets(LIBRARIES, Namespace(budget=4.0)) == "4 s"
