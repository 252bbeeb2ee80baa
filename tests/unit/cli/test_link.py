"""What `fetchoff link` says at the end."""

from __future__ import annotations

from dataclasses import replace

from fetchoff.cli.link import closing
from fetchoff.model.link import Emulated, Link

LINK = Link("far", "")
USED = Emulated(
    packets=5678,
    lost=12,
    dropped=3,
    unasked=0,
    late_p99_us=64,
    cpu_ns=250_000_000,
    elapsed_ns=1,
    packets_up=1234,
)
FIGURES = (
    "far: 1,234 packets up, 4,444 down, 12 lost, 3 dropped from a full queue; "
    "the emulator took 0.25 s of CPU time and "
)


def test_it_kept_up() -> None:
    assert closing(LINK, USED) == f"{FIGURES}kept up"


def test_it_did_not_keep_up() -> None:
    late = replace(USED, late_p99_us=5000)
    assert closing(LINK, late) == (
        f"{FIGURES}did not keep up: 1 in 100 packets left the link 5.0 ms late"
    )
    lost = replace(USED, unasked=7)
    assert "lost 7 packets that nobody asked it to lose" in closing(LINK, lost)
