"""What `compare --fail-if-slower` says of a limit that it could not decide on."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.unit.analysis import planted

from fetchoff.cli.compare import _say_unclear
from fetchoff.model.estimate import Estimate, LimitAnswer
from fetchoff.model.finding import Clock
from fetchoff.model.limit import Kept
from fetchoff.model.observation import Ended, Record, RoundDone

EXPERIMENT = replace(planted.experiment(), limit=0.03, budget_s=60.0)
ROUNDS: list[Record] = [RoundDone(number, 6.0) for number in range(10)]
WIDE = Estimate(1.02, 0.99, 1.05, 0.99)
CPU = Kept("a/y", "a/x", "w", Clock.CPU, WIDE, LimitAnswer.UNCLEAR, 10, 20)
NEVER = replace(CPU, enough=None)
WALL = Kept(
    "a/y",
    "a/x",
    "w",
    Clock.WALL,
    Estimate(1.05, 1.04, 1.06, 0.99),
    LimitAnswer.UNCLEAR,
    10,
    clocks_apart=True,
)
APART = (
    "undecided whether more than 3 % slower: a/y takes 1.050 (1.040–1.060) times the wall time of "
    "a/x on w, but two clocks differ by more than that about it"
)


@pytest.mark.parametrize(
    ("unclear", "hint"),
    [
        ((CPU,), "--budget 120 would probably decide this"),
        (
            (NEVER,),
            "even 40 rounds like these would not decide this; use a quieter machine, or a much "
            "larger --budget, with which rounds are longer where neither client compiles",
        ),
        ((WALL,), "no number of rounds would decide this; go by CPU time"),
        ((WALL, CPU), "--budget 120 would probably decide this"),
    ],
)
def test_the_hint_is_about_what_rounds_can_decide(
    unclear: tuple[Kept, ...], hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    _say_unclear(EXPERIMENT, [*ROUNDS, Ended("budget", 10)], unclear)
    *said, last = capsys.readouterr().err.splitlines()
    assert last == f"hint: {hint}"
    assert (APART in said) is (WALL in unclear)


def test_no_budget_is_advised_where_a_client_broke_down(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for one in (CPU, NEVER):
        _say_unclear(EXPERIMENT, [*ROUNDS, Ended("no client left", 10)], [one])
        last = capsys.readouterr().err.splitlines()[-1]
        assert last.startswith("hint: a client broke down too often to go on")
