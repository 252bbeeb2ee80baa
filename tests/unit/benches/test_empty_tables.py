"""Benches of many clients: where none of them can be measured, that is no success."""

from __future__ import annotations

import sys

import pytest
from benches.memory import bench as memory
from benches.steadiness import bench as steadiness

from fetchoff.catalog.manifests import discover
from fetchoff.model.client import Client, Readiness

CLIENT = "c/libcurl"


def unavailable() -> list[Client]:
    return [Client(discover()[CLIENT], Readiness.UNAVAILABLE, reason="there is no command 'cc'")]


def test_memory_of_no_client(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["bench", CLIENT])
    monkeypatch.setattr(memory, "with_set_up", lambda _: unavailable())
    assert memory.main() == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.endswith(f"{CLIENT}: there is no command 'cc'\n{NOTHING}")


def test_steadiness_of_no_client(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["bench", "--clients", CLIENT])
    monkeypatch.setattr(steadiness, "set_up", lambda _: unavailable())
    assert steadiness.main() == 1
    assert capsys.readouterr().err == f"{CLIENT}: there is no command 'cc'\n{NOTHING}"


NOTHING = "error: no client could be measured\n"
