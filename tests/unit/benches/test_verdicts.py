"""The totals of `make bench-verdicts`: what counts as wrong, and of how many."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest
from benches.verdicts import bench, comparing, totals, trials
from benches.verdicts.faults import faults
from benches.verdicts.trials import RankingTrial, Told, Trial
from benches.verdicts.whole_process import ITERATIONS, Longer

from fetchoff.model.errors import FetchoffError
from fetchoff.stats import rank

UNDECIDED = Told("undecided", 1.0, 0.9, 1.1)
SLOWER = Told("slower", 1.03, 1.01, 1.05)
FASTER = Told("faster", 0.97, 0.95, 0.99)
UNTOLD = comparing.UNTOLD
EQUAL = Trial("aa", "a/b", "a/copy-of-b", 1, False, UNDECIDED, UNDECIDED)
WRONG = replace(EQUAL, cpu=SLOWER)
TOO_FEW_ROUNDS = replace(EQUAL, wall=UNTOLD, cpu=UNTOLD)
WITHHELD = replace(WRONG, withheld="noise")
RANKING = RankingTrial("ranking", 6, 1, False, (), (), 6, 0.1, pairs_with_intervals=6)
APART = replace(RANKING, wrong_wall=(("a/b", "a/copy-of-b"),), alone=(("a/b", "a/copy-of-b"),))


def test_trials_that_can_say_nothing_are_not_counted_as_right(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """0 of 40 has an upper bound of 7 %; if 28 of them could be wrong, it is 10 %."""
    cell = [EQUAL] * 28 + [TOO_FEW_ROUNDS] * 11 + [WITHHELD]
    row = totals.summary(cell)[-1]
    assert (row["trials"], row["told"], row["wrong"], row["withheld"]) == (40, 28, 0, 1)
    assert row["wrong_high"] == pytest.approx(1 - 0.05 ** (1 / 28))
    totals.show(cell)
    (line,) = (x for x in capsys.readouterr().out.splitlines() if x.split()[:2] == ["aa", "all"])
    assert "0 of 28: 0.0% (0.0% to 10.1%)" in line
    assert line.split(")")[1].split()[:2] == ["1", "11"]  # withheld, no interval


def test_equals_that_cannot_be_told_apart_are_not_counted(
    capsys: pytest.CaptureFixture[str],
) -> None:
    withheld = replace(APART, withheld="noise")
    without = replace(RANKING, pairs_with_intervals=0)
    some, old = replace(APART, pairs_with_intervals=4), replace(RANKING, pairs_with_intervals=None)
    totals.show([RANKING, withheld, without, some, old])
    said = capsys.readouterr().out
    assert "equals told apart in 1 of 3: 33.3%" in said
    assert "withheld 1, without an interval 1" in said
    assert "1 of 16 pairs of equals called different" in said
    assert "2 pairs more have no interval, and of 1 rankings nobody kept how many" in said


def test_intervals_that_nobody_has_do_not_overlap(capsys: pytest.CaptureFixture[str]) -> None:
    told = replace(EQUAL, part=trials.IDENTICAL, cpu_truth=0.0, wall=FASTER, cpu=SLOWER)
    untold = replace(told, wall=UNTOLD, cpu=UNTOLD)
    withheld = replace(told, withheld="noise", cpu=FASTER)
    totals.show([told, told, untold, untold, withheld])
    said = capsys.readouterr().out
    assert "0 opposite; intervals apart: 0 of 2 pairs; 10 pairs more have none" in said
    assert "1 of 5 trials withheld" in said


def test_different_clients_are_neither_right_nor_wrong() -> None:
    different = replace(WRONG, part=trials.IDENTICAL)
    assert totals.summary([different]) == []
    assert list(faults([different] * 9)) == []


PLUS = replace(EQUAL, part="plus3", cpu_truth=1.03, aim=0.03, cpu=SLOWER, measured_s=9.0)


@pytest.mark.parametrize(
    ("truth", "says", "is_wrong"),
    [
        (1.01, "equivalent", False),  # that's what the margin of 2 % means
        (1.02, "equivalent", True),
        (1.01, "slower", False),
        (1.01, "faster", True),
        (1.01, "undecided", False),
    ],
)
def test_less_than_the_margin_may_be_called_equivalent(
    truth: float, says: str, *, is_wrong: bool
) -> None:
    told = replace(UNDECIDED, verdict=says)
    plus1 = replace(EQUAL, part="plus1", cpu_truth=truth, cpu=told)
    assert totals.is_wrong(plus1) is is_wrong
    assert not totals.is_wrong(replace(plus1, withheld="noise"))


@pytest.mark.parametrize(
    ("cell", "median"),
    [
        ([replace(PLUS, first_cpu_s=5.0)] * 3, 5.0),
        ([replace(PLUS, first_cpu_s=5.0), PLUS, PLUS], 9.0),  # told when its budget ended
        ([replace(PLUS, first_cpu_s=5.0), *[replace(PLUS, cpu=UNDECIDED)] * 2], math.inf),
        ([replace(PLUS, first_cpu_s=5.0, withheld="noise")], math.inf),
        ([replace(PLUS, first_cpu_s=5.0), *[replace(PLUS, cpu_truth=1.1)] * 2], 5.0),
    ],
)
def test_what_was_found_late_or_never_counts_in_the_median(
    cell: list[Trial], median: float, capsys: pytest.CaptureFixture[str]
) -> None:
    assert totals.summary(cell)[-1]["first_cpu_s"] == median
    totals.show(cell)
    assert ("over 50% never" in capsys.readouterr().out) is math.isinf(median)


def test_those_that_a_look_found_have_a_median_of_their_own(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """As docs/evidence.md tells it: without those found at the end, withheld, or never."""
    found = [replace(PLUS, first_cpu_s=seconds) for seconds in (3.0, 5.0, 8.0)]
    never = replace(PLUS, cpu=UNDECIDED)
    cell = [*found, PLUS, *[never] * 4, replace(found[2], withheld="noise")]
    assert totals.summary(cell)[-1]["first_cpu_by_a_look_s"] == 5.0
    totals.show(cell)
    (line,) = (x for x in capsys.readouterr().out.splitlines() if x.split()[:2] == ["plus3", "all"])
    assert line.split()[-3:] == ["5.00", "9.00", "–"]
    assert math.isnan(float(str(totals.summary([never])[-1]["first_cpu_by_a_look_s"])))


def test_what_two_workloads_say_is_no_contradiction(capsys: pytest.CaptureFixture[str]) -> None:
    get = replace(WRONG, part=trials.IDENTICAL, workload="small-get")
    post = replace(get, cpu=FASTER, workload="small-post")
    assert totals.opposites([get, post, get, post]) == 0
    assert totals.opposites([get, replace(get, cpu=FASTER)]) == 1
    totals.show([get, post])
    assert "a/copy-of-b ÷ a/b on small-post: CPU faster" in capsys.readouterr().out


def test_trials_of_before_rounds_were_kept_are_read(tmp_path: Path) -> None:
    path, kept = tmp_path / "kept", []
    for one in (TOO_FEW_ROUNDS, RANKING):
        document = asdict(one)
        document.pop("complete_rounds", None)
        document.pop("pairs_with_intervals", None)
        document.pop("workload", None)
        kept.append(json.dumps(document))
    path.write_text("\n".join(kept) + "\n")
    trial, ranking = trials.read(path)
    assert isinstance(trial, Trial) and isinstance(ranking, RankingTrial)
    assert (trial.complete_rounds, trial.workload, trial.can_tell) == (None, None, False)
    assert (ranking.pairs_with_intervals, ranking.pairs_to_tell) == (None, 6)


def test_a_half_width_is_not_that_of_the_baseline() -> None:
    """Of a client and its equal with 3 % of noise; the baseline's own ratio has no width."""
    costs = np.random.default_rng(1).normal(0, 0.03, (10, 2))
    ranking = rank(costs, baseline=0)
    (other,) = (one.ratio for one in ranking.clients if one.client)
    assert comparing._half_width(ranking) == pytest.approx(other.half_width / other.point)
    few = rank(costs[:2], baseline=0)
    assert math.isinf(comparing._half_width(few))


@pytest.mark.parametrize(
    ("found", "said"),
    [
        ([*[EQUAL] * 5, WRONG], None),  # with 1 %, one of six is no wonder
        ([*[EQUAL] * 4, WRONG], "aa: wrong in 1 of 5"),
        ([*[EQUAL] * 4, *[TOO_FEW_ROUNDS] * 9, WRONG], "aa: wrong in 1 of 5"),
        ([WITHHELD, *[TOO_FEW_ROUNDS] * 8], "aa: none of 9 trials could be wrong"),
        ([EQUAL, replace(PLUS, withheld="noise")], "plus3: none of 1 trials could be wrong"),
        ([replace(RANKING, pairs_with_intervals=0)], "ranking: none of 1 trials could be wrong"),
        ([replace(EQUAL, part="identical")], "identical: no two repetitions"),
        ([replace(EQUAL, part="identical"), replace(WITHHELD, part="identical")], "identical: no"),
        ([replace(EQUAL, part="identical")] * 2, None),
        ([replace(WRONG, part="hyperfine-aa")] * 9, None),
        ([replace(WRONG, part="criterion-sequential-aa")] * 9, None),
        ([replace(PLUS, cpu=FASTER)] * 2, "plus3: wrong in 2 of 2"),
        ([APART], "rankings: wrong in 1 of 1"),
        ([replace(WRONG, part="identical"), replace(EQUAL, part="identical", cpu=FASTER)], "opp"),
    ],
)
def test_what_chance_does_not_explain_is_a_fault(
    found: list[Trial | RankingTrial], said: str | None
) -> None:
    told = list(faults(found))
    assert len(told) == (said is not None)
    assert all(fault.startswith(said or "") for fault in told)


def failing() -> list[Trial | RankingTrial]:
    raise FetchoffError("no origin")


@pytest.mark.parametrize(
    ("asks", "status"),
    [
        ([lambda: [EQUAL]], 0),
        ([lambda: [EQUAL], failing], 0),
        ([lambda: [WRONG]], 1),
        ([lambda: [WITHHELD]], 1),
        ([failing, failing], 1),
    ],
)
def test_the_exit_status_tells_of_faults(
    asks: list[Callable[[], list[Trial | RankingTrial]]],
    status: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "argv", ["bench", "--seed", "1"])
    monkeypatch.setattr(bench, "_questions", lambda *_: [("it", ask) for ask in asks])
    assert bench.main() == status


@pytest.mark.parametrize(
    ("start_s", "iterations"), [(0.0, 1030), (1.0, 1060), (9.0, 1300), (199.0, 2000)]
)
def test_a_whole_process_takes_3_percent_longer_with_its_start(
    start_s: float, iterations: int
) -> None:
    """A thousand iterations take a second; if there are 2,000, it takes no more than it can."""
    longer = Longer.by(1.03, lambda n: start_s + n / 1000)
    assert longer.iterations == iterations
    before_s, after_s = (start_s + n / 1000 for n in (ITERATIONS, iterations))
    if start_s < 100:
        assert longer.truth == pytest.approx(after_s / before_s)
        assert longer.truth == pytest.approx(1.03)
    assert Longer.by(1.0, lambda _: 0.0) == Longer(ITERATIONS, 1.0)
