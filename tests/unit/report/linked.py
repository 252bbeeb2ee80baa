"""A made-up run over a link, in which some clients have a small window or a small pool."""

from __future__ import annotations

import random
from dataclasses import replace

from tests.unit.report import factory
from tests.unit.report.paired import pairs_of

from fetchoff.model.analysis import (
    Analysis,
    InFlight,
    LinkUse,
    OverLink,
    RankingRow,
    RoundLeftOut,
    WorkloadResult,
)
from fetchoff.model.finding import (
    Advice,
    Finding,
    Holdup,
    LinkAtFault,
    Pool,
    RoundsExcluded,
    Window,
)
from fetchoff.model.link import Calibration, Link, Passage, Profile

WINDOWS = {"python/httpx": 65_000.0, "javascript/undici": 260_000.0}
POOLS = {"ruby/excon": 2.1, "perl/furl": 1.0}
WAY = Profile(delay_ms=45, rate_mbit_s=100, queue_bytes=250_000)
LINK = Link(
    id="atlantic",
    about="across the Atlantic: 90 ms there and back, 100 Mbit/s",
    up=replace(WAY, rate_mbit_s=20, queue_bytes=None),
    down=WAY,
    source=f"made up for a test {factory.SCRIPT}",
)
FOUND = Calibration(
    *("atlantic", "tun", "cubic", 100, 90.164, 90.221),
    up=Passage(19.94, 100, 0),
    down=Passage(99.87, 100, 0),
)
SLOW = Passage(80.4, 100, 0)
FAULT = "80.4 Mbit/s go down instead of 100"
BEST_MBIT_S = 55.1
LATE = "1 in 100 packets left the link 4.1 ms late"


def over_link(workload: str, *faults: str, lost_rounds: int = 0) -> WorkloadResult:
    """A workload over a link, which was found to be at fault, or in some rounds could not keep up.

    Some clients have a small window, or a small pool.
    """
    plain = factory.result(workload, withheld=bool(faults))
    wrong = Finding(LinkAtFault("atlantic", faults), advice=Advice.SLOWER_LINK)
    left_out = tuple(RoundLeftOut(number, LATE) for number in range(lost_rounds))
    use = LinkUse(factory.ROUNDS, 1_048_576, 0, 12, 0, 128, 4.25, 0.18)
    standings = tuple(_in_flight(s, workload) for s in plain.standings)
    lost = Finding(RoundsExcluded(lost_rounds, factory.ROUNDS, (LATE,)))
    found = replace(FOUND, faults=faults, down=SLOW) if faults else FOUND
    link = OverLink(LINK, found, use, left_out)
    return replace(
        plain,
        link=link,
        standings=standings,
        withheld=wrong if faults else None,
        findings=(*([lost] if lost_rounds else []), *plain.findings),
    )


def _in_flight(standing: RankingRow, workload: str) -> RankingRow:
    if standing.costs is None:
        return standing
    if standing.costs.throughput is None:
        pool = POOLS.get(standing.client, 5.83)
        small = Finding(Pool(pool, 6, Holdup.POOL_OR_QUEUE), (standing.client,))
        found = (small,) if pool < 3 else ()
        return replace(standing, in_flight=InFlight(None, None, pool, 6), findings=found)
    window = WINDOWS.get(standing.client, 620_000.0)
    mbit_s = 8e-3 * window / LINK.round_trip_ms
    held = Finding(Window(window, mbit_s, BEST_MBIT_S), (standing.client,))
    found = (held,) if window < 300_000 else ()
    return replace(standing, in_flight=InFlight(window, 1_088_000.0), findings=found)


def over_links() -> Analysis:
    """A run over a link: two workloads, one of them with rounds left out, and a faulty link."""
    results = (
        over_link("download@10M/atlantic", lost_rounds=2),
        over_link("hundred-gets@6/atlantic", FAULT),
    )
    whole = factory.analysis()
    return replace(
        whole,
        title="across an emulated Atlantic",
        results=results,
        points={r.workload: factory.points(r.standings, random.Random(7)) for r in results},
        pairwise={r.workload: pairs_of(r) for r in results},
    )
