"""Run folders: appended to, cut anywhere, opened again."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from tests.unit.store.full import no_room

from fetchoff.contract.cases import all_cases
from fetchoff.model.course import Course
from fetchoff.model.errors import InputError, StoreError
from fetchoff.model.experiment import Experiment, Role, with_controls
from fetchoff.model.observation import (
    Batch,
    Cost,
    Ended,
    Invocation,
    Outcome,
    Record,
    SectionDone,
    Seen,
)
from fetchoff.model.workload import MultipartBody, Settings, TimeoutsMs
from fetchoff.store.journal import JOURNAL
from fetchoff.store.records import to_line
from fetchoff.store.run_folder import FROM_A_COPY, ClientRecord, Header, RunFolder
from fetchoff.store.run_folder import HEADER as HEADER_FILE

CLIENT = ClientRecord("a/x", "a/x", "a", "product", "", "", "1", "r", "", "a.py", "print('ü')\n")
HEADER = Header(
    run_id="1",
    title="title",
    started="2026-01-01T00:00:00+00:00",
    fetchoff="0",
    experiment=Experiment(
        with_controls((("a/x", "a", Role.RANKED),)),
        tuple(Course(case.workload) for case in all_cases()),
        "a/x",
        7,
    ),
    clients=(CLIENT,),
    environment={"kernel": "Linux"},
    notes=("note",),
    absent=(("b/y", "why"),),
)
RECORDS: tuple[Record, ...] = (
    Batch(0, 0, "w", 0, 0, "a/x", 9, 9, 9, 9, 0, Cost(1, 2, 3, 4), Seen(9, 1, 5, 6, 7)),
    Batch(0, 0, "w", 0, 1, "a/x#twin", 9, 9, 9, 9, 0, Cost(1, 2, 3, 4, 0, 5), Seen(9, 1, 5, 6, 7)),
    Invocation(0, 0, "w", "a/x", "a/x", Outcome.OK, ledger={"statuses": {"200": 9}}),
    Invocation(0, 0, "w", "a/y", "a/y", Outcome.FAILED, "it said “no”\n{}"),
    SectionDone(0, 0, "w", 1.5),
    Ended("budget", 1),
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A run folder with all of RECORDS."""
    folder = RunFolder.create(tmp_path / "run", HEADER)
    for record in RECORDS:
        folder.append(record)
    folder.close()
    return folder.path


def test_opened_again(path: Path) -> None:
    folder = RunFolder.open(path)
    assert folder.header == HEADER
    assert tuple(folder.records()) == RECORDS


def test_a_run_of_before_there_were_limits(path: Path) -> None:
    """What was not asked then is not asked; what was not noted is taken for right."""
    header = json.loads((path / HEADER_FILE).read_text())
    del header["experiment"]["limit"], header["experiment"]["least_rounds"]
    (path / HEADER_FILE).write_text(json.dumps(header))
    lines = [json.loads(line) for line in (path / JOURNAL).read_text().splitlines()]
    for line in lines:
        line.pop("answered_wrong", None)
    (path / JOURNAL).write_text("".join(json.dumps(line) + "\n" for line in lines))
    folder = RunFolder.open(path)
    assert folder.header.experiment.limit is None
    assert folder.header.experiment.least_rounds == 1
    assert tuple(folder.records()) == RECORDS


def test_a_limit_survives_the_header(tmp_path: Path) -> None:
    experiment = replace(HEADER.experiment, pair_only=True, limit=0.03)
    RunFolder.create(tmp_path / "run", replace(HEADER, experiment=experiment)).close()
    assert RunFolder.open(tmp_path / "run").header.experiment == experiment


def test_every_workload_survives_the_header(tmp_path: Path) -> None:
    base = HEADER.experiment.workloads[0]
    odd = (
        replace(base, id="options", settings=Settings(options=(("a", True), ("b", 1), ("c", "1")))),
        replace(base, id="timeouts", settings=Settings(timeout_ms=TimeoutsMs(1, None, 3))),
        replace(
            base,
            id="no files",
            exchanges=(replace(base.exchanges[0], body=MultipartBody((("a", "b"),))),),
        ),
    )
    experiment = replace(HEADER.experiment, courses=tuple(map(Course, odd)))
    header = replace(HEADER, experiment=experiment)
    RunFolder.create(tmp_path / "run", header).close()
    read = RunFolder.open(tmp_path / "run").header
    assert read == header
    options = read.experiment.workloads[0].settings.options
    assert [type(value) for _, value in options] == [bool, int, str]


def test_a_homepage_that_is_none_is_damage(path: Path) -> None:
    """A report links to it, and a run folder may be anybody's."""
    document = json.loads((path / HEADER_FILE).read_text())
    document["clients"][0]["homepage"] = "javascript:alert(1)"
    (path / HEADER_FILE).write_text(json.dumps(document))
    with pytest.raises(StoreError, match=r"clients\.0\.homepage: .* must begin with http"):
        RunFolder.open(path)


def test_cut_at_every_byte(path: Path) -> None:
    whole = (path / JOURNAL).read_bytes()
    ends = [0]
    for record in RECORDS:
        ends.append(ends[-1] + len(to_line(record)))
    for length in range(len(whole) + 1):
        (path / JOURNAL).write_bytes(whole[:length])
        left = sum(end <= length for end in ends) - 1
        assert tuple(RunFolder.open(path).records()) == RECORDS[:left]
        assert (path / JOURNAL).read_bytes() == whole[:length]


@pytest.mark.parametrize("missing", [1, 40])
def test_going_on_after_a_cut(missing: int, path: Path) -> None:
    whole = (path / JOURNAL).read_bytes()
    (path / JOURNAL).write_bytes(whole[:-missing])
    folder = RunFolder.open(path, to_append=True)
    assert whole.startswith((path / JOURNAL).read_bytes())
    folder.append(RECORDS[-1])
    folder.close()
    left = len(RECORDS) - 1 if missing < len(to_line(RECORDS[-1])) else len(RECORDS) - 2
    assert tuple(RunFolder.open(path).records()) == (*RECORDS[:left], RECORDS[-1])


def test_one_at_a_time(path: Path) -> None:
    first = RunFolder.open(path, to_append=True)
    with pytest.raises(StoreError, match="is in use by another process"):
        RunFolder.open(path, to_append=True)
    assert len(RunFolder.open(path).records()) == len(RECORDS)
    first.close()
    RunFolder.open(path, to_append=True).close()


def test_no_run_is_overwritten(path: Path) -> None:
    with pytest.raises(StoreError, match="already holds a run") as refused:
        RunFolder.create(path, HEADER)
    assert f"'fetchoff resume {path}'" in refused.value.hint
    (path / HEADER_FILE).write_text("{")
    with pytest.raises(StoreError, match="already holds a run"):
        RunFolder.create(path, HEADER)
    (path / HEADER_FILE).write_text(json.dumps(asdict(HEADER)))
    assert tuple(RunFolder.open(path).records()) == RECORDS


def test_full_disk(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = RunFolder.open(path, to_append=True)
    whole = (path / JOURNAL).read_bytes()
    really_write = os.write
    monkeypatch.setattr(os, "write", lambda fd, data: really_write(fd, data[:10]))
    with pytest.raises(StoreError, match="No space left on device") as caught:
        folder.append(RECORDS[0])
    monkeypatch.undo()
    assert caught.value.exit_code == 6
    assert tuple(folder.records()) == RECORDS
    folder.close()
    again = RunFolder.open(path, to_append=True)
    assert tuple(again.records()) == RECORDS
    assert (path / JOURNAL).read_bytes() == whole
    again.close()


def test_not_a_run(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is not a run"):
        RunFolder.open(tmp_path)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b'{"title": "\xff"}', "can't decode byte 0xff"),
        (b"", "Invalid JSON"),
        (b'{"run_id": "1", "tit', "Invalid JSON"),
        (b'{"run_id": 7}', "run_id: Input should be a valid string"),
    ],
)
def test_a_damaged_header(content: bytes, said: str, path: Path) -> None:
    (path / HEADER_FILE).write_bytes(content)
    with pytest.raises(StoreError, match=rf"run\.json is damaged: .*{said}") as damaged:
        RunFolder.open(path)
    assert damaged.value.hint == FROM_A_COPY


def test_a_run_in_which_nothing_was_measured_yet(path: Path) -> None:
    """It was killed before its first record, or copied without its journal."""
    (path / JOURNAL).unlink()
    assert RunFolder.open(path).records() == []


@pytest.mark.parametrize("to_append", [False, True])
def test_a_journal_that_cannot_be_read(to_append: bool, path: Path) -> None:
    (path / JOURNAL).unlink()
    (path / JOURNAL).mkdir()
    with pytest.raises(StoreError, match=r"batches\.jsonl.*: Is a directory"):
        RunFolder.open(path, to_append=to_append)


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreError, match="file/run cannot be written: Not a directory") as refused:
        RunFolder.create(tmp_path / "file" / "run", HEADER)
    assert "--out" in refused.value.hint


@pytest.mark.parametrize("was_there", [True, False])
def test_a_header_for_which_there_is_no_room_leaves_nothing(
    was_there: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run"
    if was_there:
        path.mkdir()
    monkeypatch.setattr(Path, "replace", no_room)
    with pytest.raises(StoreError, match="run cannot be written: No space left on device"):
        RunFolder.create(path, HEADER)
    assert list(tmp_path.rglob("*")) == ([path] if was_there else [])


def test_a_run_of_which_there_is_nothing_is_removed(tmp_path: Path) -> None:
    RunFolder.create(tmp_path / "run", HEADER).discard()
    assert not (tmp_path / "run").exists()


def test_a_folder_that_was_there_before_stays(tmp_path: Path) -> None:
    """An empty one that the user has made for --out."""
    (tmp_path / "run").mkdir()
    RunFolder.create(tmp_path / "run", HEADER).discard()
    assert list((tmp_path / "run").iterdir()) == []


def test_only_a_run_that_was_just_made_is_new(tmp_path: Path) -> None:
    made = RunFolder.create(tmp_path / "run", HEADER)
    assert made.is_new
    made.close()
    assert not RunFolder.open(tmp_path / "run").is_new


def test_what_else_is_in_its_folder_stays(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "notes.txt").write_text("mine")
    RunFolder.create(tmp_path / "run", HEADER).discard()
    assert [path.name for path in (tmp_path / "run").iterdir()] == ["notes.txt"]


@pytest.mark.parametrize("line", [0, 2, len(RECORDS) - 1])
def test_a_damaged_line_is_named(line: int, path: Path) -> None:
    lines = (path / JOURNAL).read_bytes().splitlines(keepends=True)
    lines[line] = lines[line][: len(lines[line]) // 2] + b"\n"
    (path / JOURNAL).write_bytes(b"".join(lines))
    with pytest.raises(StoreError, match=f":{line + 1} is damaged"):
        RunFolder.open(path)
