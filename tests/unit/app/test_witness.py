"""Counting beside a gate: whatever hinders it is told, and takes nothing from the gate."""

from __future__ import annotations

import contextlib
import errno
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.unit.analysis.raced import COURSE
from tests.unit.analysis.test_gate import experiment_of, race

from fetchoff.app import witness
from fetchoff.app.explain import say_nothing
from fetchoff.app.witness import witnesses
from fetchoff.model.allocations import Allocated, AllocationsBy, Counting
from fetchoff.model.client import Launch
from fetchoff.model.errors import (
    AdapterError,
    BusyError,
    FetchoffError,
    InputError,
    LinkError,
    OriginError,
)
from fetchoff.model.recording import Missing, Source
from fetchoff.model.witness import Countable, Counter, Difference, Quantity, Uncounted, Witness
from fetchoff.model.workload import Placement
from fetchoff.run.recording import warm_client as recording
from fetchoff.run.recording.allocator import NotCounted
from fetchoff.run.recording.recorder import nothing
from fetchoff.run.recording.warm_client import Subject, warm_client

BASE, HEAD = (SimpleNamespace(id=key, launch=Launch(("x",))) for key in ("a/x", "a/x@head"))
SEEDED = Counting(AllocationsBy.LIBC, {"SEED": "0"})
Recorded = Callable[[Subject], Any]
NAMES = Missing(Source.NAMES, "the client never asked")


@pytest.fixture
def recorded(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Recorded]]:
    """What a recording comes to, of any subject; it traces nobody."""
    does: list[Recorded] = []

    @contextlib.contextmanager
    def warm(subject: Subject, _: Path) -> Iterator[SimpleNamespace]:
        yield SimpleNamespace(subject=subject, iteration_ms=1.0)

    monkeypatch.setattr(witness, "why_not", lambda _: None)
    monkeypatch.setattr(witness, "alone", lambda **_: contextlib.nullcontext())
    monkeypatch.setattr(witness, "warm_client", warm)
    monkeypatch.setattr(witness, "record_calls", lambda warm, _: does[0](warm.subject))
    monkeypatch.setattr(witness, "_counting_library", uncountable)
    yield does


def uncountable(*_: object) -> Path:
    raise NotCounted("there is no C compiler", "apt-get install gcc")


def by_strace(placement: Placement | None = None) -> Witness:
    experiment = replace(experiment_of(race(0.0, 1)), placement=placement)
    found = witnesses(BASE, HEAD, experiment, [], say_nothing)  # type: ignore[arg-type]
    (one,) = (one for one in found if one.counter is Counter.STRACE)
    return one


def by_allocator() -> Witness:
    found = witnesses(BASE, HEAD, experiment_of(race(0.0, 1)), [], say_nothing)  # type: ignore[arg-type]
    (one,) = (one for one in found if one.counter is Counter.ALLOCATOR)
    return one


@pytest.mark.parametrize("kind", [AdapterError, OriginError, LinkError, InputError, BusyError])
def test_whatever_ends_a_recording_is_why_nothing_was_counted(
    kind: type[FetchoffError], recorded: list[Recorded]
) -> None:
    def fail(_: Subject) -> None:
        raise kind("no socket could be opened")

    recorded.append(fail)
    assert by_strace().missing == Uncounted("no socket could be opened")


def test_where_there_is_no_room_for_what_is_sent_nothing_is_counted(
    recorded: list[Recorded], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(witness, "warm_client", warm_client)
    monkeypatch.setattr(recording, "fill", full)
    missing = by_strace().missing
    assert missing is not None
    assert missing.reason.endswith("spool cannot be written: No space left on device")


@pytest.mark.parametrize("waits", [False, True])
def test_another_run_is_waited_for_only_if_the_user_says_so(
    waits: bool, recorded: list[Recorded], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The verdict is there already; it must not wait for an hour."""
    asked = []

    def alone(*, waits: bool, **_: object) -> contextlib.AbstractContextManager[None]:
        asked.append(waits)
        raise BusyError("this machine is being measured on already")

    monkeypatch.setattr(witness, "alone", alone)
    experiment = experiment_of(race(0.0, 1))
    found = list(witnesses(BASE, HEAD, experiment, [], say_nothing, waits=waits))  # type: ignore[arg-type]
    assert set(asked) == {waits}
    assert [one.missing is None for one in found] == [True, False, False]


def test_a_later_recording_that_is_not_traced_says_why_and_what_would_help(
    recorded: list[Recorded],
) -> None:
    refused = Missing(Source.CALLS, "tracing is not permitted", "run it as root")
    recorded.append(lambda subject: nothing(subject.client, subject.course, refused))
    assert by_strace().missing == Uncounted("tracing is not permitted", "run it as root")


def test_where_nothing_else_is_known_no_whole_exchange_was_traced(
    recorded: list[Recorded],
) -> None:
    recorded.append(lambda subject: nothing(subject.client, subject.course, NAMES))
    missing = by_strace().missing
    assert missing is not None
    assert missing.reason == "no whole exchange of a/x was traced"


@pytest.mark.parametrize("placement", [None, Placement.FREE, Placement.SEPARATE_CORES])
def test_recorded_processes_are_placed_as_the_measured_ones(
    placement: Placement | None, recorded: list[Recorded]
) -> None:
    asked = []

    def record(subject: Subject) -> object:
        asked.append(subject.placement)
        return nothing(subject.client, subject.course, Missing(Source.CALLS, "why"))

    recorded.append(record)
    by_strace(placement)
    assert set(asked) == {placement}


def test_without_a_compiler_allocations_are_not_counted(recorded: list[Recorded]) -> None:
    recorded.append(lambda subject: nothing(subject.client, subject.course, NAMES))
    assert by_allocator().missing == Uncounted("there is no C compiler", "apt-get install gcc")


def test_what_a_kit_does_not_say_is_not_counted() -> None:
    with pytest.raises(NotCounted, match="nobody counts what a/x@head allocates"):
        witness._counting_library(HEAD)  # type: ignore[arg-type]


def test_a_runtime_that_counts_needs_no_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(witness, "library", uncountable)
    for by, fails in ((AllocationsBy.KIT, False), (AllocationsBy.LIBC, True)):
        client = SimpleNamespace(id="a/x", launch=Launch(("x",), allocations=Counting(by)))
        with pytest.raises(NotCounted) if fails else contextlib.nullcontext():
            assert witness._counting_library(client) is None  # type: ignore[arg-type]


@pytest.fixture
def tallied(monkeypatch: pytest.MonkeyPatch, recorded: list[Recorded]) -> Iterator[dict[str, Any]]:
    """What each client allocates in an iteration; no system calls are traced."""
    amounts: dict[str, Any] = {}
    untraced = Missing(Source.CALLS, "there is no strace")
    for side in (BASE, HEAD):
        monkeypatch.setattr(side, "launch", replace(side.launch, allocations=SEEDED))
    monkeypatch.setattr(witness, "why_not", lambda _: untraced)
    monkeypatch.setattr(witness, "_counting_library", lambda *_: Path("counting.so"))

    def found(warm: Any, _: object) -> Allocated:
        env = warm.subject.launch.env
        assert (env["LD_PRELOAD"], env["SEED"]) == ("counting.so", "0")
        amount = amounts[warm.subject.client]
        if isinstance(amount, Exception):
            raise amount
        return Allocated(*amount)

    monkeypatch.setattr(witness, "allocated", found)
    yield amounts


def test_allocations_are_counted_where_calls_cannot_be(tallied: dict[str, Any]) -> None:
    tallied.update({BASE.id: (30.02, 900.0), HEAD.id: (31.0, 964.0)})
    found = by_allocator()
    assert (found.repetitions, found.steady, found.missing) == (3, 2, None)
    assert found.differences == (
        Difference(Quantity(Countable.ALLOCATIONS), 30, 31),
        Difference(Quantity(Countable.BYTES_ALLOCATED), 900, 964),
    )
    assert by_strace().missing == Uncounted("there is no strace")


def test_an_allocator_of_its_own_is_why_nothing_was_counted(tallied: dict[str, Any]) -> None:
    reason = NotCounted("its allocator is not that of the C library")
    tallied.update({BASE.id: (30.0, 900.0), HEAD.id: reason})
    assert by_allocator().missing == Uncounted(f"{HEAD.id}: {reason}")


def test_a_warm_client_is_placed_as_it_was_asked(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    class LaidOut(Exception):
        pass

    def lay_out(*arguments: object) -> None:
        raise LaidOut(arguments[-1])

    monkeypatch.setattr(recording, "lay_out", lay_out)
    subject = Subject("a/x", Launch(("x",)), COURSE, placement=Placement.FREE)
    with pytest.raises(LaidOut, match="free"), warm_client(subject, tmp_path):
        pass
