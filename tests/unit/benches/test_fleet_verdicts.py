"""Verdicts of a fleet beside those of a run: opposite ones are found."""

from __future__ import annotations

from pathlib import Path

import pytest
from benches.fleet.verdicts import Beside, Pair, Told, beside, compared, printed, shown_in_general
from tests.unit.app.test_fleet_results import folder_with

from fetchoff.app.fleet_results import fleet_analysis_of
from fetchoff.store.run_folder import RunFolder

HOSTS = ("anna", "berta", "carl")
PAIR = Pair("get", "wall", "a", "b")
OTHER = Pair("get", "cpu", "a", "b")


@pytest.mark.parametrize(
    ("one", "other", "kind"),
    [
        (1, 1, Beside.ALIKE),
        (-1, -1, Beside.ALIKE),
        (1, 0, Beside.ONE),
        (0, -1, Beside.ONE),
        (0, 0, Beside.NEITHER),
        (1, -1, Beside.OPPOSITE),
    ],
)
def test_two_verdicts(one: int, other: int, kind: Beside) -> None:
    assert beside(one, other) is kind


def test_only_what_both_say_is_compared() -> None:
    assert compared({PAIR: 1}, {PAIR: 1, OTHER: -1}) == {PAIR: Beside.ALIKE}


def test_an_opposite_verdict_fails_and_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    told = Told({"run": {PAIR: 1, OTHER: 0}, "h1": {PAIR: 1, OTHER: 1}}, [("h2", "get")])
    assert printed(told, {PAIR: 0}) == 0
    shown = capsys.readouterr().out
    assert "| h1 | wall | 1 | 1 | 0 | 0 | 0 |\n| h1 | cpu | 1 | 0 | 1 | 0 | 0 |" in shown
    assert "withheld, so not compared: get of h2" in shown
    assert printed(told, {PAIR: -1}) == 1
    assert "opposite on hosts in general: a and b on get, wall" in capsys.readouterr().out


def test_nothing_to_compare_is_no_success(capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(Told({"run": {PAIR: 1}, "h1": {}}), {}) == 1
    assert "nothing could be compared" in capsys.readouterr().out


def test_verdicts_that_nobody_decided_are_no_success(capsys: pytest.CaptureFixture[str]) -> None:
    told = Told({"run": {PAIR: 1, OTHER: 0}, "h1": {PAIR: 0, OTHER: 1}})
    assert printed(told, {PAIR: 1}) == 1  # hosts in general are no host
    assert "no pair was decided by both" in capsys.readouterr().out


@pytest.mark.parametrize(("hosts", "status"), [(2, 0), (3, 1)])
def test_hosts_in_general_that_say_nothing_are_no_success(
    hosts: int, status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of two hosts, nothing is said in general."""
    told = Told({"run": {PAIR: 1}, **{f"h{n}": {PAIR: 1} for n in range(hosts)}})
    assert printed(told, {}) == status
    assert ("hosts in general say nothing" in capsys.readouterr().out) is bool(status)
    assert printed(told, {PAIR: 0}) == 0


def test_what_hosts_show_has_the_sign_of_the_truth(tmp_path: Path) -> None:
    folder_with(tmp_path / "run", 5, HOSTS)
    told = Told()
    together = fleet_analysis_of(RunFolder.open(tmp_path / "run"), told.add)
    assert list(told.by) == list(HOSTS)
    for shown in (*told.by.values(), shown_in_general(together)):
        for workload in ("get-0", "get-1"):
            for clock in ("wall", "cpu"):
                assert shown[Pair(workload, clock, "a/fast", "b/even")] == 1
                assert shown[Pair(workload, clock, "b/even", "c/slow")] == 1
    assert Pair("get-0", "wall", "a/fast", "c/slow") in told.by["anna"]
    assert Pair("get-0", "wall", "a/fast", "c/slow") not in shown_in_general(together)
