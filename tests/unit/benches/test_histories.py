"""The bench of histories: what it calls wrong, and its releases that are slower."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

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
    write(kept, replace(one, withheld=1))
    assert status(monkeypatch, "--trials", 0, "--add-to", kept) == expected
    said = capsys.readouterr().out
    assert f"equals that are called different: {expected} of 1" in said
    assert "1 of them withheld" in said
    if one.has_step:
        assert f"the step is found: {len(one.steps[:1])} of 1" in said


def test_a_history_that_comes_to_no_end_fails_the_bench(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def failing(*_: object, **__: object) -> None:
        raise bench.SearchFailed("it ended with 5")

    monkeypatch.setattr(bench, "_searched", failing)
    assert status(monkeypatch, "--trials", 1) == 1
    assert "came to no end: 1" in capsys.readouterr().out


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
