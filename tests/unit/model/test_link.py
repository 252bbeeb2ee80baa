"""Links and courses: what follows from the figures that are asked for."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fetchoff.model.course import Course, course_id, parts_of
from fetchoff.model.experiment import Experiment
from fetchoff.model.link import LOOPBACK, Bursts, Emulated, Link, Profile, together
from fetchoff.model.workload import Exchange, Workload

GET = Workload("w@10M", "", (Exchange("GET", "/"),))
FAR = Link("far", "", Profile(40, rate_mbit_s=10), Profile(50, rate_mbit_s=100))

probabilities = st.floats(0, 1)
names = st.text(st.characters(exclude_characters="/"), min_size=1).filter(
    lambda name: name != LOOPBACK.id
)


@given(st.builds(Bursts, st.floats(1e-6, 1), st.floats(1e-6, 1), probabilities, probabilities))
def test_of_bursts_between_the_losses_within_and_outside_are_lost(bursts: Bursts) -> None:
    least, most = sorted((bursts.within, bursts.outside))
    assert least - 1e-12 <= bursts.share <= most + 1e-12


@pytest.mark.parametrize(
    ("profile", "share", "is_random"),
    [
        (Profile(20, rate_mbit_s=10), 0, False),
        (Profile(loss=0.01), 0.01, True),
        (Profile(bursts=Bursts(0.01, 0.24)), 0.04, True),
        (Profile(bursts=Bursts(0.01, 0.24, within=0.5, outside=0.25)), 0.26, True),
        (Profile(bursts=Bursts(0, 0, outside=0.5)), 0.5, True),
        (Profile(20, jitter_ms=1), 0, True),
    ],
)
def test_what_a_seed_decides(profile: Profile, share: float, is_random: bool) -> None:
    assert profile.loss_share == pytest.approx(share)
    assert profile.is_random == is_random
    assert Link("l", "", up=profile).is_random == Link("l", "", down=profile).is_random == is_random


def test_what_is_left_without_chance() -> None:
    lossy = Profile(20, jitter_ms=5, rate_mbit_s=10, queue_packets=7, loss=0.1)
    calm = Profile(20, rate_mbit_s=10, queue_packets=7)
    link = Link("l", "", lossy, Profile(bursts=Bursts(0.1, 0.2)))
    assert link.deterministic == Link("l", "", calm, Profile())
    assert FAR.deterministic == FAR


def test_loopback_is_not_emulated() -> None:
    assert not LOOPBACK.is_emulated
    assert FAR.is_emulated
    assert FAR.round_trip_ms == 90


def test_longer_than_any_client_needs() -> None:
    """One round trip for every 16 kB, at the slower rate: three times as long."""
    content_bytes = 1_638_400
    expected_s = 3 * (content_bytes * 8 / 10e6 + 110 * 0.090)
    assert FAR.slowest_s(content_bytes) == pytest.approx(expected_s)
    assert Link("l", "", Profile(100)).slowest_s(0) == pytest.approx(3 * 10 * 0.1)


def test_only_links_between_the_same_two_ends_follow_each_other() -> None:
    others = [replace(FAR, mtu=1400), replace(FAR, congestion="bbr"), LOOPBACK]
    assert len({link.network_key for link in (FAR, *others)}) == 4
    assert replace(FAR, id="near", up=Profile()).network_key == FAR.network_key


def test_a_course_is_named_after_both() -> None:
    assert Course(GET).id == "w@10M"
    assert Course(GET, FAR).id == "w@10M/far"


@given(names, names)
def test_the_parts_of_a_course(workload: str, link: str) -> None:
    assert parts_of(course_id(workload, link)) == (workload, link)
    assert parts_of(course_id(workload, LOOPBACK.id)) == (workload, LOOPBACK.id)


def test_an_experiment_names_its_workloads_and_links_once() -> None:
    other = replace(GET, id="other")
    courses = (Course(GET), Course(GET, FAR), Course(other, FAR))
    experiment = Experiment((), courses, "", 1)
    assert experiment.workloads == (GET, other)
    assert experiment.links == (FAR,)


def test_what_was_counted_in_several_batches_together() -> None:
    one = Emulated(100, 1, 2, 0, 64, 10, 20, 40, late_us=(((64, 40),), ((64, 60),)))
    two = Emulated(50, 0, 0, 3, 4096, 5, 30, 20, late_us=(((64, 10), (4096, 10)), ((32, 30),)))
    late_us = (((64, 50), (4096, 10)), ((32, 30), (64, 60)))
    assert together([one, two]) == Emulated(150, 1, 2, 3, 4096, 15, 50, 60, late_us)
    assert together([]) == Emulated(0, 0, 0, 0, 0, 0, 0)
