"""Courses from names."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.conftest import WORKLOAD

from fetchoff.app.courses import courses, must_be_measurable
from fetchoff.model.errors import InputError, UnknownName
from fetchoff.model.link import LOOPBACK
from fetchoff.model.workload import Placement

LINK = 'schema = 1\nabout = "mine"\n[both]\ndelay_ms = 7\n'


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    """A workload's and a link's."""
    workload, link = tmp_path / "tiny.toml", tmp_path / "mine.toml"
    workload.write_text(WORKLOAD)
    link.write_text(LINK)
    return str(workload), str(link)


def ids(*names: str, over: tuple[str, ...] = ()) -> list[str]:
    return [course.id for course in courses(names, over)]


def test_over_loopback_unless_it_says_otherwise() -> None:
    (course,) = courses(["small-get"])
    assert (course.id, course.workload.id, course.link) == ("small-get", "small-get", LOOPBACK)
    assert ids("small-get/loopback") == ["small-get"]


def test_a_name_with_its_link() -> None:
    (course,) = courses(["download@10M/london"])
    assert (course.id, course.workload.id) == ("download@10M/london", "download@10M")
    assert course.link.round_trip_ms == 120


@pytest.mark.parametrize(
    ("names", "over", "expected"),
    [
        (["small-get"], ["london"], ["small-get/london"]),
        (["small-get"], ["loopback", "lan"], ["small-get", "small-get/lan"]),
        (["small-get/lan"], ["london"], ["small-get/lan"]),
        (
            ["small-get", "small-post/lan"],
            ["london", "wifi"],
            ["small-get/london", "small-get/wifi", "small-post/lan"],
        ),
    ],
)
def test_links_are_for_those_without_one(
    names: list[str], over: list[str], expected: list[str]
) -> None:
    assert ids(*names, over=tuple(over)) == expected


def test_files(files: tuple[str, str]) -> None:
    workload, link = files
    assert ids(workload) == ["tiny"]
    assert ids(workload, over=(link,)) == ["tiny/mine"]
    (course,) = courses([workload], [link])
    assert course.link.up.delay_ms == 7


def test_a_value_after_a_path(tmp_path: Path) -> None:
    path = tmp_path / "gets.toml"
    path.write_text(f"value = 50\n{WORKLOAD.replace('/bytes/16', '/bytes/{value}')}")
    (course,) = courses([f"{path}@300"])
    assert (course.id, course.workload.exchanges[0].target) == ("gets@300", "/bytes/300")
    assert ids(f"{path}@300/london") == ["gets@300/london"]


def test_a_placement_after_a_name(files: tuple[str, str]) -> None:
    shared, free, value = courses(["small-get", "small-get+free", "download@10M+shared-core"])
    assert (free.id, free.workload.placement) == ("small-get+free", Placement.FREE)
    assert free.workload.exchanges == shared.workload.exchanges
    assert (value.id, value.workload.placement) == (
        "download@10M+shared-core",
        Placement.SHARED_CORE,
    )
    assert ids(f"{files[0]}+separate-cores") == ["tiny+separate-cores"]
    assert ids("small-get+free/loopback") == ["small-get+free"]


def test_over_a_link_a_workload_has_no_placement_to_name() -> None:
    with pytest.raises(InputError, match=r"'small-get\+free/lan': over a link") as caught:
        courses(["small-get+free/lan"])
    assert "name 'small-get' with -w" in caught.value.hint


def test_one_placement_is_asked_for() -> None:
    assert courses(["small-get"], placement=Placement.FREE)
    with pytest.raises(
        InputError, match=r"'small-get\+free' has its placement in its name"
    ) as caught:
        courses(["small-get", "small-get+free"], placement=Placement.FREE)
    assert "name 'small-get' with -w" in caught.value.hint


def test_a_placement_stands_after_a_value() -> None:
    with pytest.raises(InputError, match="the placement stands last") as caught:
        courses(["small-gets+free@50"])
    assert caught.value.hint == "write it as 'small-gets@50+free'"


@pytest.mark.parametrize(
    ("names", "over", "twice"),
    [
        (["small-get", "small-get"], [], "small-get"),
        (["small-get", "small-get/loopback"], [], "small-get"),
        (["small-get", "small-get/lan"], ["lan"], "small-get/lan"),
        (["small-get"], ["lan", "lan"], "small-get/lan"),
    ],
)
def test_each_once(names: list[str], over: list[str], twice: str) -> None:
    with pytest.raises(InputError, match=f"workload '{twice}' is given more than once"):
        courses(names, over)


def test_a_file_that_is_called_as_one_that_ships(files: tuple[str, str], tmp_path: Path) -> None:
    (tmp_path / "lan.toml").write_text(LINK)
    with pytest.raises(InputError, match="workload 'small-get/lan' is given more than once"):
        courses(["small-get"], ["lan", str(tmp_path / "lan.toml")])


@pytest.mark.parametrize(
    ("name", "over", "said"),
    [
        ("small-get/londn", [], "unknown link 'londn'"),
        ("smal-get/london", [], "unknown workload 'smal-get'"),
        ("small-get", ["londn"], "unknown link 'londn'"),
        ("small-get/london/lan", [], "unknown workload 'small-get/london'"),
    ],
)
def test_what_is_not_there(name: str, over: list[str], said: str) -> None:
    with pytest.raises(UnknownName) as unknown:
        courses([name], over)
    assert said in unknown.value.message


def test_nothing_is_measured_over_a_link_with_names() -> None:
    must_be_measurable(courses(["small-get"], ["lan"]))
    with pytest.raises(InputError, match="link 'dead-ipv6' has names") as refused:
        must_be_measurable(courses(["small-get"], ["lan", "dead-ipv6"]))
    assert "fetchoff explain" in refused.value.hint
