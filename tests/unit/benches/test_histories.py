"""The bench of histories: what it calls wrong, and its releases that are slower."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from argparse import Namespace
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from benches.histories import bench
from benches.histories.bench import CLIENTS, Searched
from benches.histories.slower import SPUN_NS, slowed
from benches.verdicts.trials import write

from fetchoff.catalog.manifests import discover

EQUAL = Searched("a/b", 1, {"no step": 1}, 1, ["equivalent"] * 2, 9.0)
STEPPED = replace(EQUAL, has_step=True, steps=(("1.4", "1.5"),))


def status(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> int:
    monkeypatch.setattr(sys, "argv", ["bench", "--clients", "php/curl", *map(str, arguments)])
    return bench.main()


@pytest.mark.parametrize(
    ("one", "expected"),
    [
        (EQUAL, 0),
        (STEPPED, 0),
        (replace(STEPPED, steps=()), 0),  # not found: no error, but told
        (replace(EQUAL, verdicts=["equivalent", "slower"]), 1),
        (replace(EQUAL, steps=(("1.4", "1.5"),)), 1),
        (replace(STEPPED, steps=(("1.4", "1.5"), ("1.7", "1.8"))), 1),
        (replace(STEPPED, verdicts=["faster", "equivalent"]), 1),
    ],
)
def test_a_false_step_fails_the_bench(
    one: Searched,
    expected: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    kept = tmp_path / "kept.jsonl"
    write(kept, replace(one, comparisons=2, withheld=1))
    assert status(monkeypatch, "--trials", 0, "--add-to", kept) == expected
    said = capsys.readouterr().out
    assert f"equals that are called different: {expected} of 1" in said
    assert "1 of them withheld" in said
    if one.has_step:
        assert f"the step is found: {len(one.steps[:1])} of 1" in said


NOTHING = replace(EQUAL, kinds={}, comparisons=0, verdicts=[], told=0, told_of_equals=0)
TOO_FEW = replace(EQUAL, verdicts=["undecided"] * 2, told=0, told_of_equals=0)
WITHHELD = replace(EQUAL, verdicts=[], withheld=1, told=0, told_of_equals=0)
TOLD = replace(EQUAL, told=1, told_of_equals=1)
UNLIKE = replace(STEPPED, verdicts=[], told=1, told_of_equals=0)  # both sides of the step alone


@pytest.mark.parametrize(
    ("found", "expected", "shares"),
    [
        ([NOTHING, TOO_FEW, WITHHELD], 1, ["different: of none"]),
        ([NOTHING, TOLD, WITHHELD, TOLD], 0, ["different: 0 of 2"]),
        ([TOLD, TOO_FEW, replace(TOLD, verdicts=["slower"] * 2)], 1, ["different: 1 of 2"]),
        ([TOLD, UNLIKE], 0, ["different: 0 of 1", "different: of none", "found: 1 of 1"]),
        ([TOLD, replace(UNLIKE, told=0)], 1, ["found: of none"]),
        ([TOLD, UNLIKE, replace(STEPPED, told=2, told_of_equals=1)], 0, ["found: 2 of 2"]),
    ],
)
def test_what_could_tell_nothing_is_not_counted_as_right(
    found: list[Searched],
    expected: int,
    shares: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A history that compared nothing, or nothing that is to be believed, or with too few rounds.
    Where nothing else is left, the bench has shown nothing."""
    kept = tmp_path / "kept.jsonl"
    for one in found:
        write(kept, one)
    assert status(monkeypatch, "--trials", 0, "--add-to", kept) == expected
    said = capsys.readouterr().out
    assert all(share in said for share in shares), said


def ended(monkeypatch: pytest.MonkeyPatch, status: int, *compared: tuple[bool, float]) -> Searched:
    """What is made of a history. `compared`: whether each comparison is withheld, and the upper end
    of its intervals."""

    def side(high: float) -> dict[str, object]:
        ratio = {"point": 1.0, "low": 0.9, "high": None if math.isinf(high) else high}
        return {"ratio": ratio, "verdict": "undecided"}

    document = {
        "stretches": [],
        "compared": [
            {
                "older": {"version": "1.0"},
                "newer": {"version": "1.9"},
                "wall": side(math.inf),
                "cpu": side(high),
                "withheld": withheld,
            }
            for withheld, high in compared
        ],
    }
    done = SimpleNamespace(returncode=status, stdout=json.dumps(document), stderr="error: why")
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: done)
    arguments = Namespace(workload="small-get", budget=9.0)
    return bench._searched("a/b", Path("folder"), 1, arguments, has_step=False)


def test_a_comparison_tells_if_it_is_believed_and_has_an_interval(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = ended(monkeypatch, 0, (False, 1.1), (True, 1.1), (False, math.inf))
    assert (found.comparisons, found.withheld, found.told, found.told_of_equals) == (3, 1, 1, 1)
    assert ended(monkeypatch, 0, (False, math.inf)).told == 0


def test_a_history_that_compared_nothing_came_to_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """It ends with 4, as does one that a broken adapter ended between two comparisons."""
    assert ended(monkeypatch, 4).comparisons == 0
    with pytest.raises(bench.SearchFailed, match="ended with 4: error: why"):
        ended(monkeypatch, 4, (False, 1.1))
    with pytest.raises(bench.SearchFailed, match="ended with 5"):
        ended(monkeypatch, 5)


def test_a_history_that_comes_to_no_end_fails_the_bench(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def failing(*_: object, **__: object) -> None:
        raise bench.SearchFailed("it ended with 5")

    monkeypatch.setattr(bench, "_searched", failing)
    assert status(monkeypatch, "--trials", 1) == 1
    assert "came to no end: 1" in capsys.readouterr().out


def test_no_history_is_no_success(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert status(monkeypatch, "--trials", 0) == 1
    assert "no history was searched" in capsys.readouterr().out


def test_an_unknown_client_is_refused_before_others_are_measured(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bench, "_searched", lambda *_, **__: pytest.fail("it was measured"))
    assert status(monkeypatch, "--clients", "php/curl,php/crul") == 2
    assert "no such client: php/crul\n" in capsys.readouterr().err


@pytest.mark.parametrize("client", CLIENTS.split(","))
def test_each_client_has_a_place_for_a_loop(client: str) -> None:
    manifest = discover()[client]
    source = (manifest.folder / manifest.source).read_text(encoding="utf-8")
    slower = slowed(client, source)
    assert str(SPUN_NS) in slower
    assert len(slower.splitlines()) > len(source.splitlines())


def test_what_cannot_be_made_slower_is_named() -> None:
    with pytest.raises(ValueError, match="go/net-http"):
        slowed("go/net-http", "")
    with pytest.raises(ValueError, match="is not in its adapter"):
        slowed("php/curl", "")
