"""What hosts do: the lines that a driver does not have, and rounds that are whole."""

from __future__ import annotations

import contextlib
import errno
import json
import os
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from benches.fleet import pretended
from tests.unit.app.test_experiments import COURSE, client

import fetchoff
from fetchoff.app import explain, explaining, unchanged
from fetchoff.app.own_code import code
from fetchoff.cli import resume
from fetchoff.fleet.host import work
from fetchoff.fleet.host.own_folder import LOST
from fetchoff.fleet.host.work import (
    explain_slowest,
    folder_of,
    is_whole,
    look,
    measure_round,
    prepare,
    told_of,
)
from fetchoff.fleet.seam.cluster import Here, Step
from fetchoff.fleet.seam.told import Block, Explaining, Preparing, Told, Wanted
from fetchoff.model.analysis import Analysis
from fetchoff.model.client import Description, Launch
from fetchoff.model.errors import (
    KEPT,
    AdapterError,
    FetchoffError,
    HostError,
    InputError,
    LinkError,
    OriginError,
)
from fetchoff.model.host import HostRecord
from fetchoff.model.observation import SectionDone
from fetchoff.run.host.machine import usable_cores
from fetchoff.store.journal import JOURNAL
from fetchoff.store.records import from_line
from fetchoff.store.run_folder import HEADER, ClientRecord, RunFolder

ALPHA = 0.01
Measure = Callable[[Block, Here], Told]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A run of one host that has measured nothing yet."""
    monkeypatch.setenv("FETCHOFF_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(pretended, "APPEND_S", 0.0)
    asked = pretended.experiment(rounds=3)
    pretended.begin(tmp_path / "run", pretended.header("run", asked, ("anna",)))
    return "run"


def block(run: str, number: int = 0, known: int = 0) -> Block:
    return Block(run, "anna", number, known, ALPHA, code())


def here(steps: list[Step]) -> Here:
    return Here((0,), steps.append, lambda: None)


def test_a_round_is_measured_once_and_told_as_often_as_it_is_asked_for(run: str) -> None:
    first = pretended.measure(block(run), here([]))
    steps: list[Step] = []
    assert pretended.measure(block(run), here(steps)) == first
    assert steps == []
    assert pretended.measure(block(run, 0, len(first.lines)), here([])).lines == ()
    second = pretended.measure(block(run, 1, len(first.lines)), here([]))
    assert {getattr(from_line(line), "round", None) for line in second.lines} == {1}


def test_of_a_round_that_was_cut_only_what_is_missing_is_measured(run: str) -> None:
    whole = pretended.measure(block(run), here([]))
    journal = folder_of(run, "anna") / JOURNAL
    lines = journal.read_bytes().splitlines(keepends=True)
    first = next(n for n, line in enumerate(lines) if isinstance(from_line(line), SectionDone))
    journal.write_bytes(b"".join(lines[: first + 3]) + b'{"kind":"bat')  # killed in the second
    told = pretended.measure(block(run), here([]))
    records = [from_line(line) for line in told.lines]
    done = [r for r in records if isinstance(r, SectionDone)]
    assert [(r.workload, r.attempt) for r in done] == [("get-0", 0), ("get-1", 1)]
    assert told.lines[: first + 3] == whole.lines[: first + 3]


def test_a_journal_that_lost_records_is_no_journal_of_this_run(run: str) -> None:
    pretended.measure(block(run), here([]))
    path = folder_of(run, "anna")
    have = len(RunFolder.open(path).records())
    with pytest.raises(HostError, match=f"has lost 2 of {have + 2} records"):
        told_of(path, have + 2, is_decided=False)


@pytest.mark.parametrize("measure", [pretended.measure, measure_round])
def test_a_host_that_lost_records_measures_no_further_round(run: str, measure: Measure) -> None:
    """Those of a further round would stand where the driver has those that are lost."""
    told = pretended.measure(block(run), here([])).lines
    journal = folder_of(run, "anna") / JOURNAL
    journal.write_bytes(b"".join(told[:-2]))
    steps: list[Step] = []
    with pytest.raises(HostError, match=f"has lost 2 of {len(told)} records"):
        measure(block(run, 1, len(told)), here(steps))
    assert steps == []
    assert journal.read_bytes() == b"".join(told[:-2])


def test_a_host_whose_code_has_changed_measures_nothing(run: str) -> None:
    steps: list[Step] = []
    with pytest.raises(HostError, match="has other code than the driver's"):
        measure_round(replace(block(run), code="that of another commit"), here(steps))
    assert steps == []


def test_a_host_that_has_lost_its_folder_says_that_its_records_are_lost(
    run: str, tmp_path: Path
) -> None:
    """As after it was given an empty disk; and no path is stored."""
    folder_of(run, "anna").joinpath(HEADER).unlink()
    with pytest.raises(HostError) as raised:
        measure_round(block(run), here([]))
    assert raised.value.message == "its records are lost: it has no folder of this run"
    assert raised.value.hint == LOST
    assert str(tmp_path) not in raised.value.message + raised.value.hint


@pytest.mark.parametrize(
    ("content", "said"),
    [("{", "its run folder is damaged"), (None, "its run folder cannot be used: Is a directory")],
)
def test_a_host_whose_folder_cannot_be_used_names_no_path_and_what_goes_on_with_it(
    content: str | None, said: str, run: str, tmp_path: Path
) -> None:
    path = folder_of(run, "anna")
    if content is None:
        (path / JOURNAL).unlink()
        (path / JOURNAL).mkdir()
    else:
        (path / HEADER).write_text(content)
    with pytest.raises(HostError, match=said) as raised:
        measure_round(block(run), here([]))
    assert str(tmp_path) not in raised.value.message + raised.value.hint
    assert "'fetchoff fleet resume'" in raised.value.hint


@pytest.mark.parametrize("does", ["looks", "prepares", "measures"])
def test_a_host_whose_cache_cannot_be_used_names_no_path(
    does: str, run: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    header = RunFolder.open(folder_of(run, "anna")).header
    monkeypatch.setenv("FETCHOFF_CACHE", "/proc/x")
    with pytest.raises(HostError) as raised:
        if does == "looks":
            look(Wanted(()), here([]))
        elif does == "prepares":
            prepare(Preparing(HostRecord("anna"), header), here([]))
        else:
            measure_round(block(run), here([]))
    assert raised.value.message == "its cache folder cannot be used"
    assert "/proc/x" in raised.value.hint
    assert "set FETCHOFF_CACHE" in raised.value.hint


def test_whether_a_host_has_decided_is_judged_on_the_core_where_nobody_is_measured(
    run: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another host of the machine may be measured by then."""
    every, judged_on = os.sched_getaffinity(0), []
    cores = tuple(usable_cores())

    def is_decided_on(*_: object) -> bool:
        judged_on.append(os.sched_getaffinity(0))
        return False

    @contextlib.contextmanager
    def running(*_: object, **__: object) -> Iterator[SimpleNamespace]:
        yield SimpleNamespace(run_round=lambda _: None)

    monkeypatch.setattr(work, "is_decided_on", is_decided_on)
    monkeypatch.setattr(work, "running", running)
    monkeypatch.setattr(work, "alone", lambda **_: contextlib.nullcontext())
    measure_round(block(run), Here(cores, lambda _: None, lambda: os.sched_setaffinity(0, every)))
    assert judged_on == [{cores[0]}]
    assert os.sched_getaffinity(0) == every


def test_a_full_disk_within_a_round_names_no_path_and_what_goes_on_with_it(
    run: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Full:
        def __init__(self, folder: RunFolder) -> None:
            self.folder = folder

        def run_round(self, number: int) -> None:
            monkeypatch.setattr(os, "write", no_room)
            self.folder.append(SectionDone(number, 0, "get-0", 1.0, host="anna"))

    def no_room(*_: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    @contextlib.contextmanager
    def running(folder: RunFolder, *_: object, **__: object) -> Iterator[Full]:
        yield Full(folder)

    monkeypatch.setattr(work, "running", running)
    monkeypatch.setattr(work, "alone", lambda **_: contextlib.nullcontext())
    with pytest.raises(HostError) as raised:
        measure_round(block(run), here([]))
    assert raised.value.message == "its run folder cannot be used: No space left on device"
    assert str(tmp_path) not in raised.value.message + raised.value.hint
    assert "'fetchoff fleet resume'" in raised.value.hint


@pytest.mark.parametrize(
    "error",
    [
        OriginError("the origin ended", KEPT),
        OriginError("nginx ended", f'its output: "full"; {KEPT}'),
        LinkError("the link emulator ended", KEPT),
        AdapterError("it says nothing", "look at it"),
    ],
)
def test_what_fails_within_a_round_names_the_command_that_goes_on_with_a_fleet(
    error: FetchoffError, run: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`fetchoff resume` refuses the run."""

    @contextlib.contextmanager
    def running(*_: object, **__: object) -> Iterator[None]:
        raise error
        yield

    monkeypatch.setattr(work, "running", running)
    monkeypatch.setattr(work, "alone", lambda **_: contextlib.nullcontext())
    with pytest.raises(FetchoffError) as raised:
        measure_round(block(run), here([]))
    assert raised.value.message == error.message
    assert raised.value.hint == error.hint.replace("fetchoff resume", "fetchoff fleet resume")


@pytest.mark.parametrize("is_elsewhere", [False, True])
def test_the_folder_of_a_host_is_resumed_by_nobody_else(
    is_elsewhere: bool, run: str, tmp_path: Path
) -> None:
    """What it measured would be no record of the host."""
    path = folder_of(run, "anna")
    if is_elsewhere:
        header = json.loads((path / HEADER).read_text())
        (path / HEADER).write_text(json.dumps(header | {"machine": "a digest"}))
        path = path.rename(tmp_path / "elsewhere")
    before = {file: file.read_bytes() for file in path.iterdir()}
    with pytest.raises(InputError, match="is what one host of a fleet has measured") as raised:
        resume.command(path)
    assert "fetchoff fleet resume" in raised.value.hint
    assert {file: file.read_bytes() for file in path.iterdir()} == before


def test_a_line_that_is_not_whole_is_not_told(run: str) -> None:
    pretended.measure(block(run), here([]))
    path = folder_of(run, "anna")
    before = told_of(path, 0, is_decided=False)
    with (path / JOURNAL).open("ab") as journal:
        journal.write(b'{"kind":"ended"')
    assert told_of(path, 0, is_decided=False) == before


def test_code_is_what_modules_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever they lie, and without what else lies there."""
    for name in ("one", "two"):
        (tmp_path / name / "sub").mkdir(parents=True)
        (tmp_path / name / "sub" / "module.py").write_text("A = 1")
    assert code_in(tmp_path / "one", monkeypatch) == code_in(tmp_path / "two", monkeypatch)
    before = code_in(tmp_path / "two", monkeypatch)
    (tmp_path / "two" / "_data").mkdir()
    (tmp_path / "two" / "_data" / "adapter.py").write_text("B = 1")
    (tmp_path / "two" / "module.pyc").write_bytes(b"compiled")
    assert code_in(tmp_path / "two", monkeypatch) == before
    (tmp_path / "two" / "sub" / "module.py").write_text("A = 2")
    assert code_in(tmp_path / "two", monkeypatch) != before


def code_in(package: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(fetchoff, "__file__", str(package / "__init__.py"))
    return code()


def test_a_folder_is_made_anew_as_long_as_nothing_was_measured(run: str) -> None:
    """The courses that it is given may change until then."""
    path = folder_of(run, "anna")
    header = RunFolder.open(path).header
    asked = Preparing(HostRecord("anna", clients=pretended.CLIENTS, courses=("get-1",)), header)
    prepare(asked, here([]))
    made = RunFolder.open(path).header
    assert [course.id for course in made.experiment.courses] == ["get-1"]
    pretended.measure(block(run), here([]))
    with pytest.raises(HostError, match="holds measurements of this run already"):
        prepare(asked, here([]))


def test_waiting_for_the_machine_is_no_part_of_explaining(
    run: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hosts of one machine take turns, and each has its own time."""
    slow = client("c/slow")
    asked = COURSE, replace(slow, launch=Launch(("true",)))
    pretended.measure(block(run), here([]))

    @contextlib.contextmanager
    def busy(*, waits: bool, say: Callable[[str], None]) -> Iterator[None]:
        say(f"this machine is being measured on already: {waits}")
        raise AdapterError("not in a test")
        yield

    monkeypatch.setattr(explain, "alone", busy)
    monkeypatch.setattr(explaining, "chosen", lambda *_: iter([asked]))
    nothing = Analysis("", "", "", "", 1.0, 1, 0.01, 0.02, 0.99, (), (), {}, {})
    monkeypatch.setattr(work, "analysis_of", lambda _: nothing)
    steps: list[Step] = []
    assert explain_slowest(Explaining(run, "anna", code()), here(steps)) == ()
    assert steps == [
        Step("", work.WAITING, waits=True),
        Step("", "c/slow cannot be explained on w: not in a test"),
    ]


def test_clients_that_have_changed_since_are_not_explained(
    run: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What they do now says nothing of what was measured. The others are explained."""
    pretended.measure(block(run), here([]))
    about = Description("1", "", "", frozenset())
    clients = {name: replace(client(name), description=about) for name in ("b/even", "c/slow")}
    path = folder_of(run, "anna") / HEADER
    then = [asdict(as_built(name, "then")) for name in clients]
    path.write_text(json.dumps(json.loads(path.read_text()) | {"clients": then}))
    now = {"b/even": as_built("b/even", "then"), "c/slow": as_built("c/slow", "now")}
    monkeypatch.setattr(unchanged, "recorded", lambda header: header.clients)
    monkeypatch.setattr(unchanged, "states", lambda records: [clients[one.id] for one in records])
    monkeypatch.setattr(unchanged, "client_record", lambda one: now[one.id])
    asked: list[str] = []

    def explain_ranked(*given: Any) -> SimpleNamespace:
        asked.extend(one.id for one in given[2])
        return SimpleNamespace(explanations=())

    monkeypatch.setattr(work, "explain_ranked", explain_ranked)
    steps: list[Step] = []
    assert explain_slowest(Explaining(run, "anna", code()), here(steps)) == ()
    assert asked == ["b/even"]
    (told,) = steps
    assert told.step == "note: c/slow is not explained: c/slow has changed since this run began"


def as_built(name: str, built: str) -> ClientRecord:
    return ClientRecord(name, name, name, "product", "", "", "1", "", "", "source", "", "", built)


def test_a_host_with_other_code_explains_nothing(run: str) -> None:
    pretended.measure(block(run), here([]))
    with pytest.raises(HostError, match="has other code than the driver's"):
        explain_slowest(Explaining(run, "anna", "that of another commit"), here([]))


def test_a_round_is_whole_with_all_its_courses() -> None:
    asked = pretended.experiment(rounds=3)
    records = list(pretended.round_of(asked, "anna", 0))
    assert is_whole(records, asked, 0)
    assert not is_whole(records[:-1], asked, 0)
    assert not is_whole(records, asked, 1)
