"""Links in words."""

from __future__ import annotations

import pytest

from fetchoff.model.link import LOOPBACK, Bursts, Link, Profile
from fetchoff.report.wording.links import loss, rate, round_trip, summary


@pytest.mark.parametrize(
    ("up", "down", "words"),
    [
        (Profile(), Profile(), "0 ms there and back, no limit to the rate"),
        (
            Profile(45, rate_mbit_s=100),
            Profile(45, rate_mbit_s=100),
            "90 ms there and back, 100 Mbit/s",
        ),
        (
            Profile(7, 1.5, 0.768),
            Profile(7, 1.5),
            "14 ms ± 3 there and back, 0.768 Mbit/s up, no limit down",
        ),
        (
            Profile(1, loss=0.01),
            Profile(1, loss=0.01),
            "2 ms there and back, no limit to the rate, 1 % of the packets lost",
        ),
        (
            Profile(1),
            Profile(1, bursts=Bursts(0.001, 0.25)),
            "2 ms there and back, no limit to the rate, 0 % up, 0.398 % down of the packets lost",
        ),
    ],
)
def test_in_one_line(up: Profile, down: Profile, words: str) -> None:
    assert summary(Link("l", "", up, down)) == words


def test_loopback() -> None:
    assert summary(LOOPBACK) == LOOPBACK.about
    assert round_trip(LOOPBACK) == loss(LOOPBACK) == ""
    assert rate(LOOPBACK.up) == "no limit"


def test_a_rare_loss_has_no_exponent() -> None:
    way = Profile(1, loss=1e-7)
    assert loss(Link("l", "", way, way)) == "0.00001 %"
