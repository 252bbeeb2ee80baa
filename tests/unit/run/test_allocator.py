"""What a program asks the C library for is counted exactly, and what can't be counted is said."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from fetchoff.model.allocations import Allocated, AllocationsBy, Counting
from fetchoff.model.client import Launch
from fetchoff.model.errors import StoreError
from fetchoff.run.os import procfs
from fetchoff.run.recording import allocator
from fetchoff.run.recording.allocator import (
    FILE,
    NotCounted,
    Tally,
    allocated,
    counted,
    library,
)

PROGRAM = """\
#define _GNU_SOURCE
#include <malloc.h>
#include <stdlib.h>
#include <unistd.h>
int main(int count, char **words)
{
    void *volatile kept;
    for (int left = atoi(words[1]); left > 0; left--) {
        kept = malloc(100);
        kept = realloc(kept, 200);
        kept = calloc(3, 10);
        kept = reallocarray(kept, 4, 10);
        kept = memalign(64, 50);
        kept = aligned_alloc(64, 64);
        void *aligned;
        kept = posix_memalign(&aligned, 64, 70) ? NULL : aligned;
        if (posix_memalign(&aligned, 3, 1000) == 0 || reallocarray(kept, -1, 2))
            return 1;
    }
    if (count > 2)
        execv(words[0], (char *[]){words[0], words[2], NULL});
    return 0;
}
"""
CALLS, BYTES = 7, 100 + 200 + 30 + 40 + 50 + 64 + 70


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("cc") is None:
        pytest.skip("not installed: cc")
    return library(tmp_path_factory.mktemp("built"))


@pytest.fixture(scope="module")
def program(built: Path) -> Path:
    source = built.with_name("program.c")
    source.write_text(PROGRAM)
    done = built.with_name("program")
    subprocess.run(["cc", "-O0", "-fno-builtin", "-o", done, source], check=True)
    return done


COUNTED = Launch(("x",), {"A": "1"}, allocations=Counting(AllocationsBy.LIBC, {"SEED": "0"}))


def tally_of(program: Path, built: Path, folder: Path, *words: int) -> tuple[int, int]:
    tally = Tally.new(folder)
    env = {**os.environ, **counted(COUNTED, tally, built).env}
    subprocess.run([program, *map(str, words)], env=env, check=True)
    return tally.read()


@pytest.mark.parametrize("by_another", [(), (10,)], ids=["itself", "what it starts"])
def test_each_way_to_ask_for_memory_is_counted(
    by_another: tuple[int, ...], program: Path, built: Path, tmp_path: Path
) -> None:
    """What the program needs besides is the same however often it asks."""
    few, many = (tally_of(program, built, tmp_path, *by_another, n) for n in (10, 1010))
    assert (many[0] - few[0], many[1] - few[1]) == (1000 * CALLS, 1000 * BYTES)


def test_the_environment_is_that_of_the_kit_and_what_counting_takes(tmp_path: Path) -> None:
    tally = Tally.new(tmp_path)
    assert dict(counted(COUNTED, tally, None).env) == {"A": "1", "SEED": "0"}
    assert set(counted(COUNTED, tally, Path("x.so")).env) == {"A", "SEED", "LD_PRELOAD", FILE}


def test_it_is_compiled_once(built: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(allocator, "COMPILE", ("false",))
    assert library(built.parent) == built


def test_without_a_compiler_the_hint_is_to_install_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NotCounted, match="there is no C compiler") as raised:
        library(tmp_path)
    assert "gcc" in raised.value.hint


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("echo 'allocations.c:3: error: no header' >&2; exit 1", "error: no header"),
        ("sleep 60", "did not end"),
    ],
)
def test_a_compiler_that_fails_is_why_nothing_is_counted(
    script: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(allocator, "COMPILE", ("sh", "-c", script))
    monkeypatch.setattr(allocator, "COMPILE_S", 0.5)
    with pytest.raises(NotCounted, match=said):
        library(tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(NotCounted, match="cannot be written"):
        library(tmp_path / "file" / "folder")
    with pytest.raises(StoreError, match="allocations cannot be written"):
        Tally.new(tmp_path / "file")


NOBODY = 1 << 30  # no process id is so high (proc(5): 2^22)


def warm(
    does: Callable[[int], Allocated | None],
    iteration_ms: float = 0.1,
    at_once: int = 1,
    by: AllocationsBy = AllocationsBy.LIBC,
) -> Any:
    """A client that does this in each loop, of so many iterations."""

    def run(iterations: int, *, allocations: bool = False) -> Any:
        assert allocations == (by is AllocationsBy.KIT)
        return SimpleNamespace(answer=SimpleNamespace(allocated=does(iterations)))

    settings = SimpleNamespace(concurrency=at_once)
    course = SimpleNamespace(workload=SimpleNamespace(settings=settings))
    launch = Launch(("x",), allocations=Counting(by))
    subject = SimpleNamespace(course=course, launch=launch)
    adapter = SimpleNamespace(pid=NOBODY)
    return SimpleNamespace(subject=subject, adapter=adapter, iteration_ms=iteration_ms, run=run)


def add(tally: Tally, calls: int, size: int | None = None) -> None:
    """Memory was asked for so often more: for 100 bytes each time, or for so many in all."""
    calls_before, bytes_before = tally.read()
    size = 100 * calls if size is None else size
    tally.file.write_bytes(allocator._COUNTS.pack(calls_before + calls, bytes_before + size))


def tallied(tally: Tally, calls: Callable[[int], int]) -> Callable[[int], None]:
    """A loop that asks for memory so often."""
    add(tally, calls(1))  # to start
    return lambda iterations: add(tally, calls(iterations))


@pytest.mark.parametrize(("at_once", "found"), [(1, (70, 7000)), (4, (40, 4000))])
def test_an_order_to_run_is_in_it(at_once: int, found: tuple[int, int], tmp_path: Path) -> None:
    tally = Tally.new(tmp_path)
    does = tallied(tally, lambda n: 40 + 30 * n)
    assert allocated(warm(does, at_once=at_once), tally) == Allocated(*found)


def test_what_comes_now_and_then_is_not_usual(tmp_path: Path) -> None:
    """As collections do, and tables that grow."""
    tally, number = Tally.new(tmp_path), count()
    does = tallied(tally, lambda n: 30 * n + (0, 4, 0, 500, 0)[next(number) % 5])
    assert allocated(warm(does), tally) == Allocated(30, 3000)


def test_what_is_allocated_after_the_answer_belongs_to_its_loop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a busy machine a client comes to rest late, and not always equally late."""
    tally, number, late = Tally.new(tmp_path), count(), [1]

    def answers(_: int) -> None:
        late.append(1 + next(number) % 2)
        add(tally, 5 - late[-1])

    def rests(_: int) -> bool:
        if not late:
            return True
        add(tally, late.pop())
        return False

    monkeypatch.setattr(procfs, "is_at_rest", rests)
    assert allocated(warm(answers), tally) == Allocated(5, 500)


def test_a_client_that_never_rests_is_counted_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(procfs, "is_at_rest", lambda _: False)
    monkeypatch.setattr(allocator, "RESTS_WITHIN_S", 0.001)
    tally = Tally.new(tmp_path)
    assert allocated(warm(tallied(tally, lambda n: 7 * n)), tally) == Allocated(7, 700)


@pytest.mark.parametrize("warmed", [0, 150, 240, 5000])
def test_a_number_that_gets_large_is_allocated_however_long_the_warm_up(
    warmed: int, tmp_path: Path
) -> None:
    """CPython has the numbers up to 256 already."""
    tally, exchanges = Tally.new(tmp_path), count(warmed)
    does = tallied(tally, lambda n: sum(7 + (next(exchanges) > 256) for _ in range(n)))
    assert allocated(warm(does), tally) == Allocated(8, 800)


def test_bytes_are_those_of_loops_with_the_usual_calls(tmp_path: Path) -> None:
    """Else a time of one digit more, in the usual loops, would give the bytes of the others."""
    tally, number = Tally.new(tmp_path), count()
    loops = (7, 700), (5, 500), (5, 501), (5, 502), (7, 700)
    add(tally, 1)
    found = allocated(warm(lambda _: add(tally, *loops[next(number) % 5])), tally)
    assert found == Allocated(5, 500)


@pytest.mark.parametrize(
    ("iteration_ms", "at_once", "loops"),
    [(0.05, 1, 200), (10.0, 1, 100), (150.0, 1, 10), (0.5, 50, 40)],
)
def test_loops_are_as_many_as_fit(
    iteration_ms: float, at_once: int, loops: int, tmp_path: Path
) -> None:
    tally, done = Tally.new(tmp_path), []
    does = tallied(tally, lambda n: done.append(n) or n)  # type: ignore[func-returns-value]
    done.clear()
    allocated(warm(does, iteration_ms, at_once), tally)
    assert done[1:] == [at_once] * loops


def test_a_client_that_never_asks_the_c_library_cannot_be_counted(tmp_path: Path) -> None:
    with pytest.raises(NotCounted, match="not that of the C library"):
        allocated(warm(lambda _: None), Tally.new(tmp_path))


@pytest.mark.parametrize("told", [Allocated(45, 500), Allocated(45, None), Allocated(None, 500)])
def test_a_runtime_that_counts_is_asked(told: Allocated, tmp_path: Path) -> None:
    client = warm(lambda _: told, by=AllocationsBy.KIT)
    assert allocated(client, Tally.new(tmp_path)) == told


@pytest.mark.parametrize("told", [None, Allocated(None, None)])
def test_a_runtime_that_does_not_count_is_why(told: Allocated | None, tmp_path: Path) -> None:
    with pytest.raises(NotCounted, match="its runtime does not count them"):
        allocated(warm(lambda _: told, by=AllocationsBy.KIT), Tally.new(tmp_path))
