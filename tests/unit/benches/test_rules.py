"""The rules of rivals in `make bench-verdicts`, on samples whose truth is known."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from benches.verdicts import peers as rivals
from benches.verdicts.comparing import Conditions
from benches.verdicts.faults import faults
from benches.verdicts.peers import peers
from benches.verdicts.rules import criterion, p_value, paired, welch
from benches.verdicts.totals import is_wrong, summary
from benches.verdicts.trials import Told
from benches.verdicts.whole_process import Walls
from numpy.typing import NDArray
from scipy.stats import ttest_ind

from fetchoff.catalog.manifests import discover
from fetchoff.model.client import Client, Launch, Readiness

CLIENT = Client(discover()["c/libcurl"], Readiness.READY, launch=Launch(("true",)))
RUNS, WALL_S = 30, 0.05
FEW = 1000  # resamples, where a test has many samples


def walls(draw: np.random.Generator, ratio: float, noise: float, n: int = RUNS) -> list[float]:
    """Wall seconds that are `ratio` times those of the other side, but for lognormal noise."""
    values: list[float] = (ratio * WALL_S * np.exp(draw.normal(0, noise, n))).tolist()
    return values


@pytest.mark.parametrize(("ratio", "verdict"), [(1.1, "slower"), (1 / 1.1, "faster")])
@pytest.mark.parametrize(
    "rule",
    [
        lambda a, b: paired(a, b, 0.01),
        lambda a, b: welch(a, b, 0.01),
        lambda a, b: criterion(a, b, 1),
    ],
    ids=["paired", "welch", "criterion"],
)
def test_a_tenth_more_is_found(
    rule: Callable[[list[float], list[float]], Told], ratio: float, verdict: str
) -> None:
    draw = np.random.default_rng(1)
    told = rule(walls(draw, 1.0, 0.02), walls(draw, ratio, 0.02))
    assert told.verdict == verdict
    assert told.low < ratio < told.high
    assert told.high / told.low < 1.04


@pytest.mark.parametrize(("noise", "low", "high"), [(0.0, 0.03, 0.07), (0.01, 0.0, 0.02)])
def test_criterion_seldom_calls_equals_different(noise: float, low: float, high: float) -> None:
    """At its nominal 5 % if nothing is noise; else in fewer samples."""
    draw = np.random.default_rng(2)
    told = [
        criterion(walls(draw, 1.0, 0.05), walls(draw, 1.0, 0.05), n, noise=noise, resamples=FEW)
        for n in range(500)
    ]
    assert low <= sum(one.is_different for one in told) / len(told) <= high


@pytest.mark.parametrize(
    ("ratio", "verdict"), [(1.005, "undecided"), (0.995, "undecided"), (1.02, "slower")]
)
def test_criterion_takes_a_small_change_for_noise(ratio: float, verdict: str) -> None:
    """However sure it is of it: the noise is a fiftieth of a per cent."""
    draw = np.random.default_rng(3)
    a, b = walls(draw, 1.0, 0.0002), walls(draw, ratio, 0.0002)
    told = criterion(a, b, 1)
    assert told.verdict == verdict
    assert told.low < ratio < told.high
    assert not told.low < 1 < told.high
    assert criterion(a, b, 1, noise=0.0).is_different


def test_criterion_is_not_sure_where_its_interval_reaches_into_noise() -> None:
    draw = np.random.default_rng(4)
    a, b = walls(draw, 1.0, 0.02), walls(draw, 1.015, 0.02)
    told = criterion(a, b, 1)
    assert 1 < told.low < 1.01 < told.ratio
    assert told.verdict == "undecided"


@pytest.mark.parametrize("ratio", [1.0, 1.01, 1.03])
def test_a_bootstrapped_p_is_about_that_of_welch(ratio: float) -> None:
    """Of normal samples, of which one is longer and has more noise."""
    draw = np.random.default_rng(5)
    old: NDArray[np.float64] = draw.normal(1.0, 0.03, 40)
    new: NDArray[np.float64] = draw.normal(ratio, 0.02, 60)
    found = p_value(old, new, draw, 20_000)
    assert found == pytest.approx(ttest_ind(new, old, equal_var=False).pvalue, abs=0.02)


def test_a_p_of_a_clear_difference_is_small_on_either_side() -> None:
    draw = np.random.default_rng(6)
    one, other = draw.normal(1.0, 0.01, 20), draw.normal(1.1, 0.01, 20)
    assert p_value(one, other, draw, FEW) < 0.01
    assert p_value(other, one, draw, FEW) < 0.01


def test_criterion_says_the_same_twice() -> None:
    draw = np.random.default_rng(7)
    a, b = walls(draw, 1.0, 0.05), walls(draw, 1.03, 0.05)
    assert criterion(a, b, 1) == criterion(a, b, 1)
    assert criterion(a, b, 1) != criterion(a, b, 2)


def test_criterion_says_nothing_of_less_than_ten_runs() -> None:
    draw = np.random.default_rng(8)
    told = criterion(walls(draw, 1.0, 0.001), walls(draw, 1.1, 0.001, n=9), 1)
    assert (told.verdict, told.has_interval) == ("undecided", False)
    assert told.ratio == pytest.approx(1.1, rel=0.01)


def test_criterion_does_without_noise() -> None:
    assert criterion([1.0] * 10, [1.0] * 10, 1) == Told("undecided", 1.0, 1.0, 1.0)


class Pretended:
    """Processes of which those that alternate are quiet, and those in sequence drift."""

    def __init__(self, *_: object) -> None:
        self.draw = np.random.default_rng(9)

    def __enter__(self) -> Pretended:
        return self

    def __exit__(self, *_: object) -> None: ...

    def alternated(self, truth: float, seconds: float, *, swap: bool) -> Walls:
        return Walls(walls(self.draw, 1, 0.003), walls(self.draw, truth, 0.003), seconds, truth)

    def sequential(self, truth: float, seconds: float, *, swap: bool) -> Walls:
        drift = 1.1 if swap else 1 / 1.1
        a, b = walls(self.draw, drift, 0.003), walls(self.draw, truth, 0.003)
        return Walls(a, b, seconds, truth)


def test_rivals_judge_the_same_runs_and_are_no_fault_of_ours(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(rivals, "WholeProcesses", Pretended)
    monkeypatch.setattr(rivals, "has_hyperfine", lambda: True)
    conditions = Conditions("small-get", 1.0, False)
    found = [one for seed in (1, 2) for one in peers(CLIENT, conditions, 5.0, seed)]
    first = {trial.part: trial for trial in found[:8]}
    ways = ("alternated", "criterion-alternated", "hyperfine", "criterion-sequential")
    assert set(first) == {f"{way}-{question}" for way in ways for question in ("aa", "plus3")}
    assert {trial.rounds for trial in found} == {RUNS}
    for question in ("aa", "plus3"):
        own, other = first[f"alternated-{question}"], first[f"criterion-alternated-{question}"]
        assert own.cpu.ratio == pytest.approx(other.cpu.ratio, rel=1e-4)
        assert own.cpu.verdict == other.cpu.verdict
        assert own.cpu_truth == other.cpu_truth
    assert first["criterion-alternated-plus3"].cpu.verdict == "slower"
    assert first["criterion-alternated-plus3"].first_cpu_s == 5.0
    assert first["criterion-alternated-aa"].first_cpu_s == 0.0
    assert is_wrong(first["criterion-sequential-aa"])
    rows = {row["part"]: row for row in summary(found) if row["client"] == "all"}
    assert rows["criterion-sequential-aa"]["wrong"] == 2
    assert list(faults(found)) == []


def test_without_hyperfine_the_others_are_asked(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(rivals, "WholeProcesses", Pretended)
    monkeypatch.setattr(rivals, "has_hyperfine", lambda: False)
    found = list(peers(CLIENT, Conditions("small-get", 1.0, False), 5.0, 1))
    assert len(found) == 4
    assert all(math.isfinite(trial.cpu.high) for trial in found)
    assert "apt-get install hyperfine" in capsys.readouterr().err
