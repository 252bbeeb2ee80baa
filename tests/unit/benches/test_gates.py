"""The bench of gates: how long its loops are, and its totals."""

from __future__ import annotations

import json
import subprocess
from argparse import Namespace
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from benches.gates import bench
from benches.gates.bench import GateFailed
from benches.gates.gated import Gated
from benches.gates.libraries import LIBRARIES, Change
from benches.gates.loops import (
    ENOUGH_ROUNDS,
    OF_CALIBRATION,
    beyond_ns,
    is_calibrated,
    with_calibration,
)

CPU_US = 100.0


def gated(change: Change, cpu: float, *, ns: int = 0, end: str = "slower") -> Gated:
    answers = {"wall": "not slower", "cpu": end}
    ratios = {"wall": cpu, "cpu": cpu}
    return Gated("a/b", change, 1, end, answers, ratios, ns, CPU_US, {}, 9.0)


CALIBRATION = gated(Change.CALIBRATION, 1.32, ns=30_000)  # 2 µs more than the loop itself


def test_what_looking_at_the_clock_costs_is_taken_off_the_loop() -> None:
    other = replace(CALIBRATION, ratios={"wall": 1.3, "cpu": 1.34})
    assert beyond_ns("a/b", [CALIBRATION, other]) == pytest.approx(OF_CALIBRATION * 3000)
    assert beyond_ns("a/c", [CALIBRATION]) == 0
    works = [
        replace(gated(Change.WORK, 1.04), ns=1_000, rounds=3),  # 3 µs more
        replace(gated(Change.WORK, 1.05), ns=1_000, rounds=1),  # 4 µs more
    ]
    assert beyond_ns("a/b", [CALIBRATION, *works]) == pytest.approx(3250)
    assert beyond_ns("a/b", [replace(CALIBRATION, end="withheld")]) == 0


def test_a_calibration_comes_before_the_work() -> None:
    changes = with_calibration([Change.COMMENT, Change.WORK, Change.CALL])
    assert list(changes) == [Change.CALIBRATION, Change.WORK, Change.CALL]
    assert list(with_calibration([Change.CALL])) == [Change.CALL]


def test_a_client_is_calibrated_after_enough_rounds_of_work() -> None:
    half = replace(gated(Change.WORK, 1.03), rounds=ENOUGH_ROUNDS // 2)
    assert not is_calibrated("a/b", [half, replace(half, client="a/c")])
    assert not is_calibrated("a/b", [half, replace(CALIBRATION, rounds=ENOUGH_ROUNDS)])
    assert is_calibrated("a/b", [half, half])


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


def test_gates_that_could_tell_nothing_are_not_counted_as_right(
    capsys: pytest.CaptureFixture[str],
) -> None:
    bench._show([COMMENT, replace(COMMENT, has_interval=False), replace(COMMENT, missing=UNTRACED)])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "comment: 3 gates"
    assert lines[2].startswith("  slower: 0 of 2")
    assert lines[3].startswith("  slower or faster: 0 of 2")
    assert lines[4].startswith("  something is counted: 0 of 2")


def test_a_calibration_without_an_interval_tells_nothing_of_the_clock() -> None:
    assert beyond_ns("a/b", [replace(CALIBRATION, has_interval=False)]) == 0


def row(clock: str, rounds: int, low: float | None, high: float | None) -> dict[str, object]:
    ratio = {"point": 1.01, "low": low, "high": high}
    cost = {"point": 50.0}
    return {
        "clock": clock,
        "verdict": "cannot tell",
        "ratio": ratio,
        "base_us": cost,
        "rounds": rounds,
    }


@pytest.mark.parametrize(
    ("low", "high", "has_interval"),
    [(0.9, 1.1, True), (0.0, None, False), (None, None, False), (0.0, 1.1, False)],
)
def test_a_gate_is_kept_with_what_it_could_tell(
    low: float | None, high: float | None, has_interval: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = {
        "end": "cannot tell",
        "comparisons": [row("wall", 7, 0.0, None), row("cpu", 6, low, high)],
        "counted": [
            {"counter": "ledger", "differences": [], "missing": None, "wavering": ["bytes"]},
            {"counter": "strace", "differences": [], "missing": UNTRACED["strace"], "wavering": []},
            {"counter": "allocator", "differences": [], "missing": None, "wavering": ["bytes"]},
        ],
    }
    done = SimpleNamespace(returncode=0, stdout=json.dumps(document), stderr="")
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: done)
    found = bench._gate("a/b", Change.COMMENT, (Path("base"), Path("head")), 1, 4.0, 0)
    assert (found.rounds, found.has_interval) == (7, has_interval)
    assert found.missing == {**UNTRACED, "allocator": "they vary: bytes"}


def test_budgets_that_are_longer_than_a_gates_own_are_told() -> None:
    said = bench._budgets(LIBRARIES, Namespace(budget=None))
    assert said.startswith("180 s, as is the default of a gate; but ")
    assert "java/apache-httpclient5 600 s" in said
    assert "javascript/undici 300 s" in said
    assert bench._budgets(LIBRARIES, Namespace(budget=4.0)) == "4 s"


COMMENT = replace(gated(Change.COMMENT, 1.0, end="not slower"), answers={"cpu": "not slower"})
FASTER = replace(COMMENT, answers={"cpu": "faster"})
COUNTED = {"strace": ["looked for a file 1 more time"]}
CALL = replace(gated(Change.CALL, 1.02), counted=COUNTED)
FIELD = replace(CALL, change=Change.FIELD, counted={"ledger": ["14 bytes more"], "strace": []})
ALLOCATION = replace(CALL, change=Change.ALLOCATION, counted={"allocator": ["1 more"]})
UNTRACED = {"strace": "strace is not installed"}


@pytest.mark.parametrize(
    ("gates", "said"),
    [
        ([*[COMMENT] * 5, FASTER, CALL, gated(Change.WORK, 1.04)], []),  # 1 of 6 is no wonder
        ([*[COMMENT] * 4, FASTER], ["comments called slower or faster: 1 of 5"]),
        (
            [replace(FASTER, end="withheld"), replace(CALL, end="withheld", counted={})],
            [
                "comment: none of 1 gates could call it slower or faster",
                "comment: in none of 1 gates were system calls counted",
                "call: in none of 1 gates were system calls counted",
            ],
        ),
        ([COMMENT, replace(FASTER, has_interval=False)], []),
        (
            [replace(COMMENT, has_interval=False)],
            ["comment: none of 1 gates could call it slower or faster"],
        ),
        ([*[COMMENT] * 5, replace(COMMENT, has_interval=False), FASTER], []),
        ([*[COMMENT] * 4, replace(COMMENT, has_interval=False), FASTER], ["comments called"]),
        (
            [replace(COMMENT, missing=UNTRACED)],
            ["comment: in none of 1 gates were system calls counted: strace is not installed"],
        ),
        (
            [replace(CALL, counted={}, missing=UNTRACED)],
            ["call: in none of 1 gates were system calls counted: strace is not installed"],
        ),
        ([CALL, replace(CALL, counted={}, missing=UNTRACED), COMMENT], []),
        (
            [COMMENT, replace(COMMENT, missing=UNTRACED, counted=COUNTED)],
            ["a/b, seed 1: something is counted for a comment"],
        ),
        ([replace(CALL, counted={"strace": []})], ["a/b, seed 1: the call is not counted"]),
        ([replace(COMMENT, counted=COUNTED)], ["a/b, seed 1: something is counted for a comment"]),
        ([FIELD, replace(FIELD, missing=UNTRACED)], []),
        ([replace(FIELD, counted={"ledger": []})], ["a/b, seed 1: the field is not counted"]),
        (
            [replace(FIELD, counted={**FIELD.counted, **COUNTED})],
            ["a/b, seed 1: something else is counted for a field"],
        ),
        ([ALLOCATION, replace(CALL, counted={**COUNTED, **ALLOCATION.counted})], []),
        (
            [replace(COMMENT, counted=ALLOCATION.counted)],
            ["a/b, seed 1: something is counted for a comment"],
        ),
        (
            [replace(ALLOCATION, counted={"allocator": []})],
            ["a/b, seed 1: the allocation is not counted"],
        ),
        (
            [replace(ALLOCATION, counted={**ALLOCATION.counted, **COUNTED})],
            ["a/b, seed 1: something else is counted for an allocation"],
        ),
        (
            [replace(FIELD, counted={}, missing={"ledger": "three are needed"})],
            ["field: in none of 1 gates were bytes counted: three are needed"],
        ),
    ],
)
def test_what_chance_does_not_explain_is_a_fault(gates: list[Gated], said: list[str]) -> None:
    told = list(bench._faults(gates))
    assert len(told) == len(said)
    assert all(one.startswith(begin) for one, begin in zip(told, said, strict=True))


@pytest.mark.parametrize(("counted", "status"), [(COUNTED, 0), ({"strace": []}, 1)])
def test_the_exit_status_tells_of_faults(
    counted: dict[str, list[str]], status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = Namespace(
        clients="perl/http-tiny", budget=4.0, seed=1, add_to=None, changes="call", trials=1
    )
    monkeypatch.setattr(bench, "_arguments", lambda: options)
    monkeypatch.setattr(bench, "_trials", lambda *_: [COMMENT, replace(CALL, counted=counted)])
    assert bench.main() == status


def test_a_gate_without_a_result_is_no_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    """A client that breaks the protocol ends with 4, as a gate does that cannot tell."""
    done = SimpleNamespace(returncode=4, stdout="", stderr="error: a/b is silent")
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: done)
    with pytest.raises(GateFailed, match="printed no result: error: a/b is silent"):
        bench._gate("a/b", Change.COMMENT, (Path("base"), Path("head")), 1, 4.0, 0)
