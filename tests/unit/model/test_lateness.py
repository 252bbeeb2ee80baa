"""What late packets can have cost, and when a batch does not count for them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fetchoff.model.lateness import fault_of, late_share, spoilt
from fetchoff.model.link import Emulated, Link, Profile, Steps
from fetchoff.model.observation import Batch, Cost, Seen

NEAR = Link("near", "", Profile(1), Profile(1))
FAR = Link("far", "", Profile(100), Profile(50))
ATLANTIC = Link("atlantic", "", Profile(45), Profile(45))
WELL = Emulated(packets=1000, lost=10, dropped=50, unasked=0, late_p99_us=0, cpu_ns=1, elapsed_ns=1)
MS = 10**6
ON_TIME: Steps = ((64, 99), (1024, 1))
MARGIN, BAND = 0.02, 0.25
LATE = "packets left the link late"
CLIENTS = {"a/x": "a/x", "a/x#twin": "a/x", "a/y": "a/y"}


def batch(wall_ms: float, up: Steps, down: Steps = ON_TIME, unasked: int = 0) -> Batch:
    """A batch that took so long, with packets that left so late."""
    emulated = replace(WELL, late_us=(up, down), unasked=unasked)
    ns = round(wall_ms * MS)
    cost = Cost(ns, ns // 10, ns // 20, ns)
    return Batch(0, 0, "w/l", 0, 0, "a/x", 1, 1, 1, 1, 0, cost, Seen(1), emulated)


def whys(*batches: Batch, link: Link = ATLANTIC, at_stake: float = MARGIN) -> list[str]:
    return list(spoilt(batches, CLIENTS, link, at_stake))


def with_late(*late: tuple[int, int], packets: int = 100) -> Steps:
    return ((64, packets - sum(count for _, count in late)), *late)


@pytest.mark.parametrize("link", [NEAR, ATLANTIC])
def test_packets_on_time_cost_nothing_however_short_the_batch(link: Link) -> None:
    assert late_share(batch(2, ON_TIME).emulated or WELL, link, 2 * MS) == 0
    assert whys(batch(2, ON_TIME), link=link) == [""]


@pytest.mark.parametrize(
    ("wall_ms", "at_stake", "counts"),
    [
        (90, BAND, True),  # 2 ms of 90 do not touch a quarter
        (90, MARGIN, False),
        (1080, MARGIN, True),
        (20, BAND, False),
    ],
)
def test_one_late_packet_matters_by_what_is_at_stake(
    wall_ms: float, at_stake: float, counts: bool
) -> None:
    late = batch(wall_ms, with_late((2048, 1)))
    assert whys(late, at_stake=at_stake) == ["" if counts else LATE]


LATE_ONCE = with_late((2048, 1))  # tolerated in a batch that usually takes 410 ms


@pytest.mark.parametrize(("usual_ms", "why"), [(409, LATE), (410, "")])
@pytest.mark.parametrize("wall_ms", [1, 300, 600, 5000])
def test_what_a_batch_took_has_no_part_in_whether_it_counts(
    wall_ms: float, usual_ms: float, why: str
) -> None:
    others = [batch(usual_ms, ON_TIME)] * 2
    assert whys(batch(wall_ms, LATE_ONCE), *others) == [why, "", ""]


def test_what_is_usual_is_what_all_batches_take_those_that_do_not_count_too() -> None:
    walls_ms = (330, 570, 400, 420, 3000)
    assert whys(*(batch(ms, LATE_ONCE) for ms in walls_ms)) == [""] * 5
    assert whys(*(batch(ms, LATE_ONCE, unasked=ms // 3000) for ms in walls_ms))[:4] == [""] * 4
    assert whys(*(batch(ms, LATE_ONCE) for ms in (*walls_ms, 330, 330))) == [LATE] * 7


def test_a_batch_of_more_exchanges_is_expected_to_take_longer() -> None:
    usual = batch(250, ON_TIME)
    thrice = replace(batch(300, LATE_ONCE), exchanges=3)
    assert whys(batch(250, LATE_ONCE), thrice, usual, usual) == [LATE, "", "", ""]


def test_each_client_has_its_own_usual_time_on_each_host_and_controls_have_the_clients() -> None:
    def of(entrant: str, wall_ms: float, host: str = "") -> Batch:
        return replace(batch(wall_ms, LATE_ONCE), entrant=entrant, host=host)

    batches = (of("a/x", 500), of("a/x", 500), of("a/x#twin", 100), of("a/y", 400))
    assert whys(*batches, of("a/x", 400, "h1")) == ["", "", "", LATE, LATE]


def test_packets_that_are_under_way_together_do_not_add_up() -> None:
    """A stop of 4 ms in a download makes a hundred packets late, and the download once."""
    stop = with_late((4096, 100), packets=4000)
    assert late_share(batch(500, stop).emulated or WELL, ATLANTIC, 500 * MS) < 0.02


def test_packets_that_wait_for_each_other_do() -> None:
    """A hundred round trips of 2 ms, each with a packet that is 2 ms late on its way."""
    late = batch(400, with_late((2048, 100)))
    assert late_share(late.emulated or WELL, NEAR, 400 * MS) > 0.5


def test_a_loss_that_nobody_asked_for_spoils_a_batch_whatever_is_at_stake() -> None:
    lossy = batch(10_000, ON_TIME, unasked=1)
    (why,) = whys(lossy, at_stake=BAND)
    assert why == "the link lost packets that nobody asked it to lose"


def test_over_loopback_and_before_it_was_kept_nothing_is_spoilt() -> None:
    assert whys(replace(batch(1, ON_TIME), emulated=None), link=NEAR) == [""]
    assert whys(replace(batch(1, ON_TIME), emulated=WELL), link=NEAR) == [""]
    assert whys() == []


@given(
    st.dictionaries(st.sampled_from([64, 1024, 2048, 8192, 65536]), st.integers(1, 1000)),
    st.sampled_from([Profile(0), Profile(0.25), Profile(45, jitter_ms=45)]),
    st.floats(1, 10_000),
)
def test_it_costs_the_latest_at_least_and_all_of_them_at_most(
    late: dict[int, int], way: Profile, wall_ms: float
) -> None:
    """Also over links whose round trips take no time, or sometimes none."""
    wall_ns = round(wall_ms * MS)
    emulated = replace(WELL, late_us=(tuple(late.items()), ()))
    share = late_share(emulated, Link("l", "", way, way), wall_ns)
    later = {bound: count for bound, count in late.items() if bound > 1024}
    most = sum(bound * count for bound, count in later.items())
    assert max(later, default=0) <= share * wall_ns / 1e3 * (1 + 1e-9)
    assert share * wall_ns / 1e3 <= most * (1 + 1e-9)


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
def test_a_command_whose_packets_were_late(link: Link, late_us: int, said: str) -> None:
    assert fault_of(replace(WELL, late_p99_us=late_us), link) == said
