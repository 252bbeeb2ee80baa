"""Who compiles again, how often, and in which order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import repeat
from types import SimpleNamespace
from typing import ClassVar, cast

from fetchoff.model.client import Launch
from fetchoff.model.observation import Outcome
from fetchoff.run.adapters.session import ClientSession
from fetchoff.run.schedule.rehearsing import LEAST_TIMES, MOST_TIMES, rehearse


@dataclass
class Pretended:
    """A session that costs so much, time after time; its pace is known."""

    process: str
    costs: Iterator[int]
    done: list[str]
    compiles: bool = True
    breaks_down: bool = False
    lacks: int = 0  # times
    mostly_waits: bool = False

    pace: ClassVar[object] = object()

    def __post_init__(self) -> None:
        self.outcome = Outcome.OK
        self.adapter = SimpleNamespace(launch=Launch((self.process,), compiles=self.compiles))

    def compile_again(self) -> int:
        self.done.append(self.process)
        self.lacks = max(0, self.lacks - 1)
        self.outcome = Outcome.FAILED if self.breaks_down else Outcome.OK
        return next(self.costs)


def rehearsed(*sessions: Pretended) -> None:
    def each(_: str, do: Callable[[ClientSession], None], some: Sequence[ClientSession]) -> None:
        for session in some:
            if session.outcome is Outcome.OK:
                do(session)

    rehearse([cast("ClientSession", session) for session in sessions], each)


def test_each_goes_on_while_it_gets_cheaper_and_who_waited_does_so_once_more() -> None:
    done: list[str] = []
    quick = Pretended("quick", iter([100, 99, 99]), done)
    slow = Pretended("slow", iter([100, 80, 60, 59]), done)
    rehearsed(quick, slow)
    assert done == ["quick", "slow", "quick", "slow", "slow", "slow", "quick"]


def test_who_has_no_compiler_does_not_and_who_breaks_down_stops() -> None:
    done: list[str] = []
    other = Pretended("other", iter(()), done, compiles=False)
    broken = Pretended("broken", repeat(1), done, breaks_down=True)
    rehearsed(other, broken, Pretended("steady", repeat(1), done))
    assert done == ["broken", "steady", "steady"]


def test_whose_warm_up_was_cut_off_makes_up_for_it() -> None:
    done: list[str] = []
    late = Pretended("late", repeat(1), done, lacks=4)
    rehearsed(late)
    assert done == ["late"] * 4


def test_unless_it_waits_or_lacks_too_much() -> None:
    done: list[str] = []
    rehearsed(Pretended("waits", repeat(1), done, lacks=4, mostly_waits=True))
    assert len(done) == LEAST_TIMES
    rehearsed(Pretended("late", repeat(1), done, lacks=2 * MOST_TIMES))
    assert len(done) == LEAST_TIMES + MOST_TIMES


def test_nobody_goes_on_for_ever() -> None:
    done: list[str] = []
    falling = Pretended("falling", (round(1e9 * 0.8**n) for n in range(99)), done)
    rehearsed(Pretended("steady", repeat(1), done), falling)
    assert done == [*(["steady", "falling"] * 2), *(["falling"] * (MOST_TIMES - 2)), "steady"]
