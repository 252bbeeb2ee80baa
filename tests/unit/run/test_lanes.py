"""Work side by side: all of it, on the cores that were named, and an end when one fails."""

from __future__ import annotations

import threading
from threading import Barrier, Event

import pytest

from fetchoff.run.adapters.lanes import side_by_side

PATIENCE_S = 20.0


def test_each_item_once_on_a_core_of_the_lanes() -> None:
    done: list[tuple[int, int]] = []
    side_by_side(range(50), (3, 5), lambda item, core, _: done.append((item, core)))
    assert sorted(item for item, _ in done) == list(range(50))
    assert {core for _, core in done} <= {3, 5}


def test_nothing_to_do() -> None:
    side_by_side([], (0, 1), lambda *_: pytest.fail("there is nothing"))


def test_one_core_is_one_after_the_other_in_order() -> None:
    done: list[int] = []
    threads = set()

    def do(item: int, core: int, stop: Event) -> None:
        assert (core, stop.is_set()) == (7, False)
        threads.add(threading.get_ident())
        done.append(item)

    side_by_side(range(20), (7,), do)
    assert done == list(range(20))
    assert len(threads) == 1


def test_a_lane_for_each_core_at_the_same_time() -> None:
    """With fewer, somebody would wait for ever at the barrier."""
    together = Barrier(3, timeout=PATIENCE_S)
    cores: list[int] = []

    def do(_item: int, core: int, _stop: Event) -> None:
        cores.append(core)
        together.wait()

    side_by_side(range(3), (0, 1, 2), do)
    assert sorted(cores) == [0, 1, 2]


def test_who_has_a_long_item_does_not_hold_up_the_others() -> None:
    others_done = Event()
    done: list[int] = []

    def do(item: int, _core: int, _stop: Event) -> None:
        if item == 0:
            assert others_done.wait(PATIENCE_S)
        done.append(item)
        if len(done) == 9:
            others_done.set()

    side_by_side(range(10), (0, 1), do)
    assert done == [*range(1, 10), 0]


def test_what_one_raises_is_raised_when_all_have_ended() -> None:
    waiting, ended = Event(), Event()

    def do(item: str, _core: int, stop: Event) -> None:
        if item == "fails":
            assert waiting.wait(PATIENCE_S)
            raise LookupError("no such thing")
        waiting.set()
        assert stop.wait(PATIENCE_S)
        ended.set()

    with pytest.raises(LookupError, match="no such thing"):
        side_by_side(["fails", "waits"], (0, 1), do)
    assert ended.is_set()


@pytest.mark.parametrize("cores", [(0,), (0, 1)])
def test_nothing_is_begun_after_a_failure(cores: tuple[int, ...]) -> None:
    begun: list[int] = []
    failed = Event()

    def do(item: int, _core: int, stop: Event) -> None:
        begun.append(item)
        if item == 0:
            failed.set()
            raise LookupError
        assert failed.wait(PATIENCE_S)
        assert stop.wait(PATIENCE_S)

    with pytest.raises(LookupError):
        side_by_side(range(100), cores, do)
    assert len(begun) <= len(cores)


def test_an_interruption_by_the_user_passes() -> None:
    def do(item: int, _core: int, _stop: Event) -> None:
        if item == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        side_by_side(range(10), (0, 1), do)
