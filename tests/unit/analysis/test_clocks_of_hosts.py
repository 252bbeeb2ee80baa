"""What hosts say where adapters' own clocks are apart from the harness's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from tests.unit.analysis.raced_fleet import (
    HOSTS,
    WOBBLE,
    A,
    B,
    analysed,
    host,
    raced,
    records_of,
    row_of,
)

from fetchoff.model.estimate import Verdict
from fetchoff.model.observation import Batch, Record
from fetchoff.report.wording.fleet import (
    summary,
)


def off(client: str, share: float, *, on: str) -> Callable[[Record], Record]:
    """An adapter's own clock is off by so much on one host."""

    def changed(record: Record) -> Record:
        if not isinstance(record, Batch) or (record.entrant, record.host) != (client, on):
            return record
        own_wall_ns = round((1 - share) * record.cost.wall_ns)
        return replace(record, cost=replace(record.cost, own_wall_ns=own_wall_ns))

    return changed


@pytest.mark.parametrize(
    ("client", "share", "verdict"),
    [
        (B, 0.05, Verdict.FASTER),
        (B, 0.15, Verdict.UNDECIDED),
        (A, 0.15, Verdict.UNDECIDED),
    ],
    ids=["close", "its own clock", "the baseline's"],
)
def test_hosts_in_general_say_nothing_that_a_host_withholds_for_its_clocks(
    client: str, share: float, verdict: Verdict
) -> None:
    fleet = {name: raced(-0.1) for name in HOSTS}
    records = [off(client, share, on="carl")(record) for record in records_of(fleet)]
    found = analysed(fleet, records)
    row = row_of(found)
    assert row.wall.over is not None and row.cpu.over is not None
    assert (row.wall.over.verdict, row.cpu.over.verdict) == (verdict, Verdict.FASTER)
    own = row.wall.on_each[HOSTS.index("carl")]
    assert own is not None and own.verdict is verdict
    is_told = verdict is Verdict.FASTER
    assert [row.tiers for row in found.results[0].rows] == (
        [(1, 1), (2, 2)] if is_told else [None, None]
    )
    assert ("is the fastest" in summary(found, found.results[0])) is is_told


C = "c/z"


@pytest.mark.parametrize(
    ("client", "share", "tiers", "said"),
    [
        (B, 0.0, {B: (1, 1), A: (2, 2), C: (3, 3)}, "b/y is the fastest: 0.905 times"),
        (B, 0.15, {B: None, A: (1, 1), C: (2, 2)}, "a/x is the fastest that could be placed"),
        (A, 0.15, {B: None, A: (1, 1), C: (2, 2)}, "a/x is the fastest that could be placed"),
        (C, 0.15, {B: (1, 1), A: (2, 2), C: (3, 3)}, "b/y is the fastest: 0.905 times"),
    ],
    ids=["none", "of the fast", "of the baseline", "of the slow"],
)
def test_tiers_rest_on_what_clocks_let_be_said(
    client: str, share: float, tiers: dict[str, tuple[int, int] | None], said: str
) -> None:
    own = raced(-0.1)
    own = replace(own, costs={**own.costs, C: [0.4 + wobble for wobble in reversed(WOBBLE)]})
    fleet = dict.fromkeys(HOSTS, own)
    hosts = [host(name, (A, B, C)) for name in HOSTS]
    records = [off(client, share, on="carl")(record) for record in records_of(fleet)]
    found = analysed(fleet, records, hosts=hosts)
    assert {row.client: row.tiers for row in found.results[0].rows} == tiers
    assert said in summary(found, found.results[0])


def test_two_clients_whose_difference_clocks_hide_are_not_told_apart_by_their_tiers() -> None:
    """Each is far enough from the baseline, but not from each other."""
    own = raced(-0.5)
    own = replace(own, costs={**own.costs, C: [-0.4 + wobble for wobble in reversed(WOBBLE)]})
    fleet = dict.fromkeys(HOSTS, own)
    hosts = [host(name, (A, B, C)) for name in HOSTS]
    for share, tiers in ((0.0, (2, 2)), (0.15, (1, 1))):
        records = [off(B, share, on="carl")(record) for record in records_of(fleet)]
        found = analysed(fleet, records, hosts=hosts)
        told_ = {row.client: row.tiers for row in found.results[0].rows}
        assert (told_[B], told_[C]) == ((1, 1), tiers)


@pytest.mark.parametrize(("share", "verdict"), [(0.0, Verdict.FASTER), (0.15, Verdict.UNDECIDED)])
def test_hosts_in_general_say_nothing_closer_than_a_hosts_clocks(
    share: float, verdict: Verdict
) -> None:
    """Though each host has a verdict: this one finds more than the others."""
    fleet = {f"h{n}": raced(-0.1 if n else -0.19) for n in range(8)}
    wall = row_of(analysed(fleet, [off(B, share, on="h0")(r) for r in records_of(fleet)])).wall
    assert {one.verdict for one in wall.on_each if one is not None} == {Verdict.FASTER}
    assert wall.over is not None and wall.over.verdict is verdict


@pytest.mark.parametrize(("share", "shown"), [(0.0, True), (0.15, False)])
def test_hosts_do_not_differ_by_less_than_their_clocks(share: float, shown: bool) -> None:
    near = {name: raced(-0.5 if name == "carl" else -0.45) for name in HOSTS}
    records = [off(B, share, on="carl")(record) for record in records_of(near)]
    differ = row_of(analysed(near, records)).wall.differ
    assert differ is not None and differ.p < 1e-3
    assert differ.shown is shown
