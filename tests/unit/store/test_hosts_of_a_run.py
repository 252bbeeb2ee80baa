"""Run folders of several hosts: whose records are where, however they were told and cut."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

import pytest
from benches.fleet import pretended

from fetchoff.model.errors import StoreError
from fetchoff.model.observation import Ended, HostLost, Record
from fetchoff.store.journal import JOURNAL
from fetchoff.store.records import to_line
from fetchoff.store.run_folder import RunFolder, must_hold_no_run

HOSTS = ("anna", "berta")
ROUNDS = 3
LOST = HostLost(1, "it has been away for 60 s", host="berta")
ENDED = Ended("rounds", ROUNDS)
ASKED = pretended.experiment(rounds=5)


def told(host: str, number: int) -> list[Record]:
    return list(pretended.round_of(ASKED, host, number))


def lines(records: Sequence[Record]) -> list[bytes]:
    return [to_line(record) for record in records]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A run in which the hosts told their rounds by turns, and one was lost meanwhile."""
    folder = RunFolder.create(tmp_path / "run", pretended.header("run", ASKED, HOSTS))
    for number in range(ROUNDS):
        for host in HOSTS:
            folder.append_of_host(host, lines(told(host, number)))
            folder.append_of_host(host, [])
            if number == 1 and host == "anna":
                folder.append(LOST)
    assert folder.of_host("anna") == [r for n in range(ROUNDS) for r in told("anna", n)]
    assert folder.ended is None
    folder.append(ENDED)
    assert folder.ended == ENDED
    folder.close()
    return folder.path


@pytest.mark.parametrize("to_append", [False, True])
def test_each_host_has_its_own_in_order(to_append: bool, path: Path) -> None:
    folder = RunFolder.open(path, to_append=to_append)
    folder.close()
    assert folder.of_host("anna") == [r for n in range(ROUNDS) for r in told("anna", n)]
    assert folder.of_host("berta") == [
        *told("berta", 0),
        LOST,
        *told("berta", 1),
        *told("berta", 2),
    ]
    assert folder.of_host("nobody") == []
    assert folder.ended == ENDED
    assert len(folder.records()) == len((path / JOURNAL).read_bytes().splitlines())


def test_a_run_that_goes_on_has_not_ended(path: Path) -> None:
    folder = RunFolder.open(path, to_append=True)
    folder.append_of_host("berta", [])
    assert (folder.ended, folder.ends) == (ENDED, 1)
    folder.append_of_host("berta", lines(told("berta", ROUNDS)))
    assert (folder.ended, folder.ends) == (None, 1)
    folder.close()
    assert RunFolder.open(path).ended is None
    folder = RunFolder.open(path, to_append=True)
    folder.append(ENDED)
    folder.close()
    again = RunFolder.open(path)
    assert (again.ended, again.ends) == (ENDED, 2)


def test_what_is_appended_after_a_cut_is_found(path: Path) -> None:
    whole = (path / JOURNAL).read_bytes()
    (path / JOURNAL).write_bytes(whole[:-70])  # the end of the run, and a piece of its last round
    folder = RunFolder.open(path, to_append=True)
    before = folder.of_host("berta")
    assert folder.ended is None
    folder.append_of_host("berta", lines(told("berta", 7)))
    assert folder.of_host("berta") == [*before, *told("berta", 7)]
    folder.close()
    assert RunFolder.open(path).of_host("berta") == [*before, *told("berta", 7)]


def test_a_damaged_line_is_named(path: Path) -> None:
    kept = (path / JOURNAL).read_bytes().splitlines(keepends=True)
    kept[4] = b'{"kind": "batch"}\n'
    (path / JOURNAL).write_bytes(b"".join(kept))
    with pytest.raises(StoreError, match=":5 is damaged"):
        RunFolder.open(path)


def test_a_line_that_is_damaged_later_is_named_by_its_place(path: Path) -> None:
    folder = RunFolder.open(path)
    kept = (path / JOURNAL).read_bytes()
    (path / JOURNAL).write_bytes(b"?" + kept[1:])
    with pytest.raises(StoreError, match=r"byte 0, is damaged"):
        folder.of_host("anna")


def test_who_goes_on_with_a_run_of_hosts_is_named(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    goes_on = f"'fetchoff fleet resume {path}'"
    with pytest.raises(StoreError, match="already holds a run") as refused:
        must_hold_no_run(path)
    assert goes_on in refused.value.hint
    folder = RunFolder.open(path, to_append=True)
    monkeypatch.setattr(os, "write", lambda _, data: len(data) // 2)
    with pytest.raises(StoreError, match="No space left on device") as full:
        folder.append_of_host("anna", lines(told("anna", ROUNDS)))
    monkeypatch.undo()
    folder.close()
    assert goes_on in full.value.hint


def test_who_goes_on_with_what_a_host_keeps_is_named(path: Path) -> None:
    document = json.loads((path / "run.json").read_text())
    (path / "run.json").write_text(json.dumps(document | {"hosts": [], "machine": "a digest"}))
    with pytest.raises(StoreError, match="already holds a run") as refused:
        must_hold_no_run(path)
    assert "'fetchoff fleet resume RUN'" in refused.value.hint


def test_records_of_nobody_that_takes_part_are_nobodys(path: Path) -> None:
    """As when a run.json and a journal of different runs lie together."""
    document = json.loads((path / "run.json").read_text())
    document["hosts"] = document["hosts"][:1]
    (path / "run.json").write_text(json.dumps(document))
    folder = RunFolder.open(path)
    assert folder.of_host("berta") == []
    assert len(folder.of_host("anna")) == sum(len(told("anna", n)) for n in range(ROUNDS))
