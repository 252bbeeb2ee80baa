"""When what was measured over a link does not count."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fetchoff.model.link import Emulated, Link, Profile
from fetchoff.run.section import fault_of

NEAR = Link("near", "", Profile(1), Profile(1))
FAR = Link("far", "", Profile(100), Profile(50))
WELL = Emulated(packets=1000, lost=10, dropped=50, unasked=0, late_p99_us=0, cpu_ns=1, elapsed_ns=1)


@pytest.mark.parametrize("link", [NEAR, FAR])
def test_losses_and_drops_that_were_asked_for_are_no_fault(link: Link) -> None:
    assert fault_of(WELL, link) == ""


@pytest.mark.parametrize("link", [NEAR, FAR])
def test_losses_that_nobody_asked_for(link: Link) -> None:
    said = "the link lost 2 packets that nobody asked it to lose"
    assert fault_of(replace(WELL, unasked=2), link) == said


@pytest.mark.parametrize(
    ("link", "late_us", "said"),
    [
        (NEAR, 1000, ""),
        (NEAR, 1001, "1 in 100 packets left the link 1.0 ms late"),
        (FAR, 4500, ""),  # 3 % of its round trip
        (FAR, 4600, "1 in 100 packets left the link 4.6 ms late"),
    ],
)
def test_packets_that_were_late(link: Link, late_us: int, said: str) -> None:
    assert fault_of(replace(WELL, late_p99_us=late_us), link) == said
