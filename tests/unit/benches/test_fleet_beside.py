"""What an exchange costs in a fleet beside a run: what doesn't count is named."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from math import log
from pathlib import Path
from typing import Any

import pytest
from benches.fleet import beside
from benches.fleet.beside import Unsound, figures_of, measured, printed

CLIENTS = ["a", "b"]


def document(withheld: str = "", **costs: float) -> dict[str, Any]:
    """Results of a workload with these figures; 0: a client without any."""
    standings = [
        {"client": client, "costs": {"cpu_us": {"point": cost}} if cost else None}
        for client, cost in costs.items()
    ]
    return {"results": [{"withheld": withheld, "standings": standings}]}


def test_figures_of_a_sound_run() -> None:
    assert figures_of(document(a=10, b=20, floor=1), CLIENTS) == {"a": 10.0, "b": 20.0}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (document("a check failed", a=10, b=20), "its ranking is withheld: a check failed"),
        (document(a=10), "no figures of b"),
        (document(a=10, b=0), "no figures of b"),
        ({"results": []}, "it has 0 results"),
    ],
)
def test_an_unsound_run_has_none(given: Mapping[str, Any], said: str) -> None:
    with pytest.raises(Unsound, match=said):
        figures_of(given, CLIENTS)


def pairs_with(sound: Mapping[int, bool], capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """The exit status and the output of pairs of runs; of one that isn't sound, the fleet's lacks
    a client."""

    def measure(
        command: str, clients: list[str], _budget_s: float, _seed: int, out: Path
    ) -> dict[str, float]:
        pair = int(out.name.split("-")[0])
        if command == "fleet" and not sound[pair]:
            return figures_of(document(a=10), clients)
        return dict.fromkeys(clients, 22.0 if command == "fleet" else 20.0)

    logs = measured(CLIENTS, len(sound), 1.0, 1, measure)
    counted = sum(sound.values())
    assert logs == {client: [pytest.approx(log(1.1))] * counted for client in CLIENTS}
    return printed(logs, 0.02), capsys.readouterr().out


def test_a_pair_that_lacks_a_client_is_named_and_counts_for_none(
    capsys: pytest.CaptureFixture[str],
) -> None:
    status, said = pairs_with({0: True, 1: False, 2: True}, capsys)
    assert status == 0
    assert "pair 2 does not count: it has no figures of b" in said
    assert said.count("in a fleet ×1.1000 (1.1000 to 1.1000) of what `run` shows, by 2 pairs") == 2


@pytest.mark.parametrize("ends_with", [4, 10])
def test_a_run_that_comes_to_no_figures_does_not_end_the_bench(
    ends_with: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As where no client could be measured, or no host came."""

    def fetchoff(command: str, *_: str) -> None:
        if command == "fleet":
            raise subprocess.CalledProcessError(ends_with, "fetchoff")

    monkeypatch.setattr(beside, "fetchoff", fetchoff)
    monkeypatch.setattr(beside, "COMMANDS", {"fleet": ("fleet", "run")})
    assert measured(CLIENTS, 2, 1.0, 1) == {"a": [], "b": []}
    why = f"its fleet ended with exit status {ends_with}"
    assert capsys.readouterr().out.splitlines() == [
        f"pair 1 does not count: {why}",
        f"pair 2 does not count: {why}",
    ]


def test_without_any_pair_that_counts_nothing_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    status, said = pairs_with({0: False}, capsys)
    assert status == 1
    assert "no pair counts, so nothing is told" in said
    assert printed({"a": [], "b": []}, 0.02) == 1
