"""Base and head of a gate: clients of their own, whatever the user has set up."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.command import FAKES
from tests.unit.analysis.raced import Raced
from tests.unit.analysis.test_gate import (
    BASE,
    HEAD,
    LOST,
    broken,
    experiment_of,
    measured,
    race,
)
from tests.unit.report import factory
from tests.unit.report.gated import CHECK, GATE

from fetchoff.app import gate_files
from fetchoff.app.choose import chosen
from fetchoff.app.gate import findings_on, gate_of, on_record, put_on_record, sides, with_record
from fetchoff.app.gate_files import Wanted
from fetchoff.build import trees
from fetchoff.build.build_dir import BuildDir
from fetchoff.model.check import CheckKind, CheckOutcome
from fetchoff.model.errors import InputError, StoreError
from fetchoff.model.finding import (
    Advice,
    CheckFailed,
    ChecksUnclear,
    ClocksApart,
    Finding,
    NotMeasured,
    Throttled,
    TiersUnproven,
)
from fetchoff.model.gate import End, Gate
from fetchoff.model.observation import Record, RoundDone, SectionDone
from fetchoff.report.files.gate import document
from fetchoff.report.wording import gate as wording

pytestmark = pytest.mark.usefixtures("own_cache")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    folder = tmp_path / "library-1.1"
    folder.mkdir()
    (folder / "setup.py").write_text("")
    return folder


def test_head_is_bases_client_built_from_a_tree(tree: Path) -> None:
    base, head = sides("python/httpx", None, [], [tree])
    assert (str(base.id), str(head.id)) == ("python/httpx", "python/httpx@head")
    assert base.trees == ()
    assert [one.name for one in head.trees or ()] == ["library-1.1"]
    assert BuildDir.of(base).folder != BuildDir.of(head).folder


def test_what_was_found_comes_with_the_workload() -> None:
    """Of base and head, of self-checks that can't tell, and of quotas; not what is of a ranking."""
    stopped = Finding(Throttled(1, 0.05, 1, 5), advice=Advice.LARGER_QUOTA)
    unclear = Finding(ChecksUnclear(2, 12), advice=Advice.MORE_ROUNDS)
    apart = Finding(ClocksApart(0.12, withheld=True), ("a/x@head",))
    trend = replace(
        CHECK, kind=CheckKind.TREND, client="a/x@head", workload="small-get", metric="cpu"
    )
    result = factory.result("small-get")
    row = replace(result.standings[0], findings=(apart,))
    result = replace(
        result,
        standings=(row,),
        checks=(trend, replace(trend, client="", outcome=CheckOutcome.INCONCLUSIVE)),
        findings=(unclear, Finding(TiersUnproven(1, 2)), stopped),
    )
    other = replace(result, workload="small-post", standings=(), checks=(), findings=())
    assert [*findings_on([result, other])] == [
        ("small-get", apart),
        ("small-get", Finding(CheckFailed(trend, 0), ("a/x@head",))),
        ("small-get", unclear),
        ("small-get", stopped),
    ]


def gate_on(raced: Raced, records: Sequence[Record]) -> Gate:
    """The gate of a run with these records."""
    sides = tuple(SimpleNamespace(id=key, version="1", trees=()) for key in (BASE, HEAD))
    header = SimpleNamespace(
        experiment=experiment_of(raced), clients=sides, run_id="id", started="2026-11-24"
    )
    folder = SimpleNamespace(header=header, records=lambda: records)
    return gate_of(folder, raced.analysis(records))  # type: ignore[arg-type]


def test_the_seconds_of_a_gate_are_those_of_its_budget() -> None:
    """With starting processes, which no section counts: a second for each of them here."""
    raced = race(0.0, 3)
    records = measured(raced)
    rounds = {one.round for one in records if isinstance(one, SectionDone)}
    whole = [*records, *(RoundDone(number, 2.0) for number in rounds)]
    assert gate_on(raced, whole).seconds == 2.0 * len(rounds)


def test_a_gate_whose_head_breaks_down_in_one_round_names_it() -> None:
    raced = replace(race(0.0, 3), ended=broken(HEAD))
    records = measured(raced)
    gate = gate_on(raced, records)
    rounds = len([one for one in records if isinstance(one, SectionDone)])
    assert (gate.end, gate.budget_needed) == (End.CANNOT_TELL, None)
    told = f"On get, head broke down in round 6 of {rounds}, and base in none: {HEAD}: {LOST}."
    assert told in wording.sentences(gate)
    assert document.document(gate)["lost_rounds"] == [
        {
            "workload": "get",
            "base": [],
            "head": [5],
            "of_rounds": rounds,
            "message": f"{HEAD}: {LOST}",
            "controls": [],
            "given_up": [],
        }
    ]


def test_what_the_user_has_set_up_is_neither_used_nor_touched(tree: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(tree, other)
    (other / "mine.py").write_text("")
    (usual,) = chosen(["python/httpx"])
    set_up = trees.take("python/httpx", other)
    trees.choose(usual, [set_up])
    base, head = sides("python/httpx", None, [], [tree])
    assert trees.chosen(usual) == (set_up,)
    assert trees.chosen(base) == ()
    assert trees.chosen(head) != (set_up,)
    for side in (
        *sides("python/httpx", "python/urllib3", [], []),
        *sides("python/urllib3", "python/httpx", [], []),
    ):
        assert trees.chosen(side) == ()


def test_both_sides_may_be_built_from_trees(tree: Path, tmp_path: Path) -> None:
    before = tmp_path / "before"
    shutil.copytree(tree, before)
    (before / "old.py").write_text("")
    base, head = sides("python/httpx", None, [before], [tree])
    assert (str(base.id), str(head.id)) == ("python/httpx@base", "python/httpx@head")
    assert base.trees != head.trees


def test_two_folders_are_told_apart(tmp_path: Path) -> None:
    for name in ("main", "feature"):
        shutil.copytree(FAKES / "_kit", tmp_path / name / "_kit")
        shutil.copytree(FAKES / "honest", tmp_path / name / "honest")
    base, head = sides(str(tmp_path / "main/honest"), str(tmp_path / "feature/honest"), [], [])
    assert (str(base.id), str(head.id)) == ("fake/honest@main", "fake/honest@feature")


def test_nothing_to_compare_with() -> None:
    with pytest.raises(InputError, match="nothing to compare 'python/httpx' with"):
        sides("python/httpx", None, [], [])


def test_a_client_that_is_not_built_from_trees(tree: Path) -> None:
    with pytest.raises(InputError, match="cannot be built from a source tree"):
        sides("php/curl", None, [], [tree])


def test_caches_and_environments_are_no_sources(tree: Path) -> None:
    for name, mark in (("target", "CACHEDIR.TAG"), (".venv", "pyvenv.cfg")):
        (tree / name).mkdir()
        (tree / name / mark).write_text("")
    taken = trees.folder_of(trees.take("python/httpx", tree))
    assert [path.name for path in taken.iterdir()] == ["setup.py"]


def test_the_record_tells_of_the_gates_before_and_of_this_one(tmp_path: Path) -> None:
    path = tmp_path / "record.jsonl"
    put_on_record(GATE, path)
    record = with_record(replace(GATE, run_id="next"), on_record(path)).record
    assert record is not None
    assert (record.gates, record.differed) == (2, 0)


def test_a_gate_that_must_not_be_believed_is_not_on_record(tmp_path: Path) -> None:
    path = tmp_path / "record.jsonl"
    withheld = Finding(NotMeasured("why"), advice=Advice.STOP_OTHER_WORK)
    gate = replace(GATE, withheld=withheld, record=None)
    assert with_record(gate, on_record(path)).record is None
    put_on_record(gate, path)
    assert not path.exists()


def test_files_are_written_where_they_are_wanted(tmp_path: Path) -> None:
    names = ("markdown", "junit", "benchmark_action", "bencher")
    gate_files.write(GATE, Wanted(*(tmp_path / "out" / name for name in names)))
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == sorted(names)
    with pytest.raises(StoreError, match="cannot be written"):
        gate_files.write(GATE, Wanted(markdown=tmp_path / "out" / "junit" / "no.md"))
