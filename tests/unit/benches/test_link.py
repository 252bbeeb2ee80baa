"""`make bench-link`: what it could not measure is no goal that was met."""

from __future__ import annotations

import math
import sys

import pytest
from benches.link import bench
from benches.link.bench import round_trips


def test_a_packet_that_is_lost_on_an_idle_link_misses_a_goal() -> None:
    met = {line.what: line.met for line in round_trips("tun", ["1100", "1200"], 1.0, "")}
    assert set(met.values()) == {True}
    p50, p99, lost = round_trips("tun", ["1100", "-", "1200"], 1.0, "")
    assert (p50.measured, p99.measured) == (1.1, 1.2)
    assert (p50.met, p99.met) == (True, True)
    assert (lost.measured, lost.met) == (1, False)


@pytest.mark.parametrize("times", [["-", "-"], []])
def test_where_no_packet_comes_back_every_goal_is_missed(times: list[str]) -> None:
    lines = list(round_trips("tun", times, 1.0, ""))
    assert [line.met for line in lines] == [False, False, False]
    assert math.isnan(lines[0].measured)


def test_nothing_measured_is_no_success(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As an ordinary user, who may not have the modes that root has."""
    monkeypatch.setattr(sys, "argv", ["bench", "--mode", "0"])
    monkeypatch.setattr(bench, "build", lambda: None)
    monkeypatch.setattr(bench, "install", lambda _: None)
    monkeypatch.setattr(bench, "_modes", lambda _: iter(()))
    assert bench.main() == 2
    assert "nothing was measured" in capsys.readouterr().err
