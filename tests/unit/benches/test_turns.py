"""What `make bench-turns` takes a process's cost to be, and what it leaves out."""

from __future__ import annotations

import random
import sys
from argparse import Namespace
from types import SimpleNamespace
from typing import Any, cast

import pytest
from benches.overhead import bench as overhead
from benches.taking_turns import Asked, RoundFailed, Stand
from benches.turns import parts
from benches.turns.parts import Subjects

from fetchoff.catalog.workloads import workload
from fetchoff.model.client import Launch
from fetchoff.model.course import Course
from fetchoff.model.errors import OriginError
from fetchoff.protocol.adapter import Done
from fetchoff.protocol.origin import Turn, Turns
from fetchoff.run.adapters.judging import Refused
from fetchoff.run.adapters.seam import Timed
from fetchoff.run.adapters.session import ClientSession
from fetchoff.run.schedule.turning import Length

SMALL_GET = workload("small-get")
BYTES = SMALL_GET.exchanges[0].expect.bytes or 0
IN_TURN_NS, WHILE_HELD_NS = 60, 40


class HasBackground:
    """Works 40 ns of an exchange after its answer came: in turns, while it is held."""

    process, client, per_iteration, workload = "it", "a/b", 1, SMALL_GET

    def __init__(self, failing: int = 0) -> None:
        self.adapter = self
        self.failing = failing

    def run_timed(self, n: int, *_: object) -> Timed:
        done = n - self.failing
        answer = Done(done, self.failing, done * BYTES, n)
        return Timed(answer, n, n * (IN_TURN_NS + WHILE_HELD_NS), 0)


class Pretended:
    """Gives turns whose cost is known."""

    def __init__(self, guest: HasBackground) -> None:
        self.guest = guest

    def start(self, *_: object) -> ClientSession:
        return cast(ClientSession, self.guest)

    def settle(self, _guests: object) -> None: ...

    def rehearse(self, *_: object) -> None: ...

    def give(self, order: list[Asked]) -> list[Turn]:
        turns, owed = [], 0
        for asked in order:
            held, owed = owed, asked.iterations * WHILE_HELD_NS
            turns.append(turn(asked.counted, asked.lead, held))
        return turns

    def __enter__(self) -> Pretended:
        return self

    def __exit__(self, *_: object) -> None: ...


def turn(counted: int, lead: int, held_ns: int = 0) -> Turn:
    ns = counted * IN_TURN_NS
    return Turn(1, counted, ns, ns, 0, 0, lead, 0, lead * IN_TURN_NS, 0, held_ns, 0)


@pytest.fixture
def subjects(monkeypatch: pytest.MonkeyPatch) -> Subjects:
    monkeypatch.setattr(parts, "_length", lambda _: Length(24, 10, 10))
    client = cast(Any, SimpleNamespace(id="a/b", launch=object()))
    return Subjects(Course(SMALL_GET), (client,), 240)


def stand_on(monkeypatch: pytest.MonkeyPatch, guest: HasBackground) -> None:
    monkeypatch.setattr(parts, "stand", lambda _course: Pretended(guest))


def test_work_while_it_is_held_costs_as_much_as_by_hand(
    subjects: Subjects, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All but that of the last turn of a loop is seen: 1 of 40."""
    stand_on(monkeypatch, HasBackground())
    cells = {cell.condition: cell for cell in parts.by_hand(subjects, random.Random(1))}
    assert cells["by hand"].us == pytest.approx(0.1)
    assert cells["in turns"].us == pytest.approx(0.1, rel=0.02)


def test_work_while_it_is_held_belongs_to_each_lead(
    subjects: Subjects, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_on(monkeypatch, HasBackground())
    cells = parts.by_lead(subjects, (2, 48), random.Random(1))
    assert [cell.us for cell in cells] == pytest.approx([0.1, 0.1], rel=0.02)


@pytest.mark.parametrize(("compiles", "sets"), [(False, [8]), (True, [4, 4])])
def test_each_set_rehearses_right_before_its_turns(
    compiles: bool, sets: list[int], subjects: Subjects, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a run: compilers forget while other sets have their turns."""
    adapter = SimpleNamespace(launch=Launch(("c",), compiles=compiles))
    did: list[tuple[str, list[str]]] = []

    class Noting(Pretended):
        def start(self, *which: object) -> ClientSession:
            process, client, _ = which
            made = SimpleNamespace(process=process, client=client, adapter=adapter)
            return cast(ClientSession, made)

        def rehearse(self, *of: Any) -> None:
            did.append(("rehearsed", [guest.process for guest in of[0]]))

        def measure(self, players: list[tuple[Any, ClientSession]], *_: object) -> dict[str, int]:
            group = [guest.process for _, guest in players]
            did.append(("measured", group))
            return dict.fromkeys(group, 1)

    monkeypatch.setattr(parts, "stand", lambda _course: Noting(HasBackground()))
    monkeypatch.setattr(parts, "us_of", float)
    clients = [cast(Any, SimpleNamespace(id=f"a/{x}", launch=object())) for x in "bcdefghi"]
    several = Subjects(subjects.course, tuple(clients), 240)
    assert len(parts.by_crowd(several, (1, 8), random.Random(1))) == 16
    assert [done for done, _ in did] == ["rehearsed", "measured"] * (8 + len(sets))
    assert sorted(len(group) for _, group in did[::2]) == [1] * 8 + sets
    assert all(before[1] == after[1] for before, after in zip(did[::2], did[1::2], strict=True))


def test_exchanges_that_fail_by_hand_are_not_counted_as_done(
    subjects: Subjects, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_on(monkeypatch, HasBackground(failing=1))
    with pytest.raises(Refused, match="1 of "):
        parts.by_hand(subjects, random.Random(1))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (Turns((), (7,), (), 0, 0), "it let turns pass"),
        (Turns((turn(3, 0),), (), (), 0, 0), "it had another turn"),
    ],
)
def test_a_turn_that_was_missed_ends_the_round_alone(given: Turns, said: str) -> None:
    origin = SimpleNamespace(give=lambda *_: given)
    guest = SimpleNamespace(process="it", iteration_us=1.0, per_iteration=1)
    nothing: Any = None
    here = Stand(nothing, nothing, cast(Any, origin), nothing, nothing, [])
    with pytest.raises(RoundFailed, match=said):
        here._given([Asked(cast(ClientSession, guest), 1, 5)], {"it": 7})


def test_pairs_of_processes_go_on_after_one_that_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    failures = iter([None, RoundFailed("it let turns pass"), OriginError("gone"), None])

    def pair(*_: object) -> tuple[float, float]:
        if failure := next(failures):
            raise failure
        return 1.0, 1.0

    monkeypatch.setattr(overhead, "_pair", pair)
    subject = cast(Any, Namespace(client="c/libcurl"))
    assert list(overhead._pairs(subject, 4, 1, random.Random(1))) == [(1.0, 1.0)] * 2
    said = capsys.readouterr().err.splitlines()
    assert said == [
        "c/libcurl, pair 2 is left out: it let turns pass",
        "c/libcurl, pair 3 is left out: gone",
    ]


def test_a_part_that_the_origin_ends_is_left_out(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from benches.turns import bench

    def gone(*_: object) -> list[parts.Cell]:
        raise OriginError("the origin went away")

    kept = [parts.Cell("crowd", "a/b", "2 processes", 1.0, 0.0, 0.0)]
    monkeypatch.setattr(bench, "by_hand", gone)
    monkeypatch.setattr(bench, "by_crowd", lambda *_: kept)
    monkeypatch.setattr(bench, "_ready", lambda _: None)
    argv = ["bench", "--parts", "hand,crowd", "--rounds", "1", "--seed", "1", "--clients", "a/b"]
    monkeypatch.setattr(sys, "argv", argv)
    bench.main()
    told = capsys.readouterr()
    assert "hand in round 1 is left out: the origin went away" in told.err
    assert "a/b" in told.out
