"""The order of releases, by the ways of each registry."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fetchoff.model.release import Release, newest_first


@pytest.mark.parametrize(
    "ascending",
    [
        "0.9 1.0.dev3 1.0a1 1.0b2 1.0rc1 1.0 1.0.post1 1.0.1 1.2 1.10",
        "3.0.0-RC1 3.0.0 3.12.13 4.9.0 4.10.0-RC1 4.10.0 5.0.0-alpha.2 5.0.0-alpha.14 5.0.0",
        "4.0.0.Beta3 4.0.0.CR1 4.0.0.Final 4.0.1.Final",
        "12.0.0-beta.1 12.0.0-beta.4 12.0.0 12.6.1",
        "12.0.0.alpha0 12.0.0.beta4 12.0.0",
        "7.43.0 7.43.0.1 7.43.0.6 7.44.0",
        "31.0-jre 31.1-jre",
        "1.0.0-canary.5 1.0.0-next.7 1.0.0-preview 1.0.0",
        "0.19.2 0.20.0-0 0.20.0 0.21.0",
        "1.2.0-0 1.2.0-1 1.2.0-alpha.1 1.2.0-rc.1 1.2.0-test.1 1.2.0-test.2 1.2.0 1.2.1",
        "4.11.0-jre 4.12.0-rc1 4.12.0-jre",
    ],
)
def test_they_are_in_order(ascending: str) -> None:
    releases = [Release(version) for version in ascending.split()]
    assert [r.version for r in reversed(newest_first(releases))] == ascending.split()


@pytest.mark.parametrize(
    "version",
    [
        *("1.0a1", "1.0.dev3", "2.0.0-rc.1", "4.0.0.CR1", "5.0.0-alpha.2"),
        *("0.20.0-0", "1.2.0-test.1", "1.2.0-fix.1", "v1.2.0-insiders"),
    ],
)
def test_pre_releases(version: str) -> None:
    assert Release(version).is_pre


@pytest.mark.parametrize(
    "version",
    [
        *("1.0", "4.1.0.Final", "31.1-jre", "1.0.post1", "8.4.0", "2017"),
        *("4.12.0-jre", "33.0.0-android", "4.0.0-Final", "5.3.0-RELEASE", "1.0.0-jdk15on"),
        *("9.4.46.v20220331", "2.0.0+incompatible"),
    ],
)
def test_releases(version: str) -> None:
    assert not Release(version).is_pre


def test_zeros_at_the_end_make_no_difference() -> None:
    assert Release("1.0").order == Release("1.0.0").order


@given(st.lists(st.tuples(*[st.integers(0, 99)] * 3), min_size=2, unique=True))
def test_numbers_are_numbers(numbers: list[tuple[int, int, int]]) -> None:
    releases = [Release(".".join(map(str, each))) for each in sorted(numbers)]
    assert all(a.order < b.order for a, b in pairwise(releases))


@given(st.text())
def test_any_text_has_a_place(text: str) -> None:
    assert Release(text).order == Release(text).order
    Release(text).is_pre  # noqa: B018
