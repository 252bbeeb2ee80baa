"""A link in words: in a line of the terminal, and in the box of the page."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from tests.unit.report import factory, linked
from tests.unit.report.test_columns import cells
from tests.unit.report.test_page import Elements

from fetchoff.model.analysis import BatchesLeftOut, OverLink
from fetchoff.model.lateness import TOO_FEW_LEFT
from fetchoff.model.link import Bursts, Link, Passage, Profile
from fetchoff.report.page import html
from fetchoff.report.wording import over_link, sentences

DOWNLOAD = linked.over_link("download@10M/atlantic", lost_rounds=2)
assert DOWNLOAD.link is not None
LINK: OverLink = DOWNLOAD.link


def asked(link: Link, over: OverLink = LINK) -> OverLink:
    return replace(over, asked=link)


def told(over: OverLink) -> dict[str, tuple[str, str]]:
    return {row.name: (row.asked, row.found) for row in over_link.box_of(over).rows}


def test_asked_and_found_in_a_line() -> None:
    assert over_link.line(LINK) == (
        "link atlantic: round trip 90 ms, found 90.2 (p99 90.2); "
        "20 Mbit/s up, found 19.94; 100 Mbit/s down, found 99.87"
    )


def test_losses_are_in_the_line_where_there_are_any() -> None:
    lossy = replace(LINK.asked, down=replace(linked.WAY, rate_mbit_s=None, loss=0.01))
    found = replace(linked.FOUND, down=Passage(None, 2000, 23))
    line = over_link.line(replace(LINK, asked=lossy, found=found))
    assert line.endswith("; 1 % lost down, found 1.15 % of 2,000")
    assert "Mbit/s down" not in line


def test_a_link_that_was_never_calibrated_shows_what_was_requested() -> None:
    uncalibrated = replace(LINK, found=None)
    assert over_link.line(uncalibrated) == (
        "link atlantic: round trip 90 ms; 20 Mbit/s up; 100 Mbit/s down"
    )
    assert {found for _, found in told(uncalibrated).values()} == {"–", ""}


def test_asked_beside_found_in_the_box() -> None:
    assert told(LINK) == {
        "round trip": ("90 ms", "90.16 ms, p99 90.22"),
        "rate up": ("20 Mbit/s", "19.94 Mbit/s"),
        "rate down": ("100 Mbit/s", "99.87 Mbit/s"),
        "lost up": ("none", "none of 100"),
        "lost down": ("none", "none of 100"),
        "queue up": ("100 ms of the rate", ""),
        "queue down": ("250,000 bytes", ""),
        "congestion": ("cubic", "cubic"),
    }


@pytest.mark.parametrize(
    ("way", "name", "text"),
    [
        (Profile(45, 5, 10), "round trip", "90 ms ± 10"),
        (Profile(45, 0, 10, queue_packets=64), "queue", "64 packets"),
        (Profile(45, 0, 10), "queue", "100 ms of the rate"),
        (Profile(45, loss=0.005), "lost down", "0.5 %"),
        (Profile(45, bursts=Bursts(0.01, 0.49)), "lost up", "2 %"),
        (Profile(45), "rate up", "no limit"),
    ],
)
def test_profiles_in_words(way: Profile, name: str, text: str) -> None:
    assert told(asked(replace(linked.LINK, up=way, down=way)))[name][0] == text


def test_there_is_no_queue_without_a_rate() -> None:
    plain = replace(linked.LINK, up=Profile(45), down=Profile(45))
    assert not [name for name in told(asked(plain)) if name.startswith("queue")]


def test_what_the_emulator_did() -> None:
    use = replace(LINK.use, lost=1051, dropped=0, unasked=3, late_p99_us=9100)
    assert over_link.used(use) == (
        "1,048,576 packets came to it; 1,051 were lost as asked, "
        "3 were lost though nobody asked for it. In the worst round 1 in 100 left 9.1 ms late. "
        "The emulator was busy for 4.2 s, 18 % of the time."
    )
    assert "; none was lost." in over_link.used(replace(use, lost=0, unasked=0))
    assert "0.042 s, less than 1 % of the time" in over_link.used(
        replace(use, cpu_s=0.042, cpu_per_wall=0.0018)
    )


def test_whether_it_kept_up() -> None:
    assert over_link.kept_up(LINK) == "It did not keep up in 2 of 7 rounds, which do not count."
    assert over_link.kept_up(replace(LINK, left_out=())) == "It kept up in every round."
    some = replace(
        LINK,
        use=replace(LINK.use, batches=1400),
        batches_left_out=(BatchesLeftOut(2, "late"), BatchesLeftOut(1, "lost")),
    )
    assert over_link.kept_up(some) == (
        "It did not keep up in 2 of 7 rounds and in 3 of 1,400 batches, which do not count."
    )
    fell = replace(some, batches_left_out=(*some.batches_left_out, BatchesLeftOut(2, TOO_FEW_LEFT)))
    assert over_link.kept_up(fell) == (
        "It did not keep up in 2 of 7 rounds and in 3 of 1,400 batches, which do not count. Nor do "
        "2 others: fewer than half of the client's batches in the round were left."
    )


def test_a_course_has_its_link_in_its_title() -> None:
    assert sentences.title(DOWNLOAD) == "download@10M over atlantic"
    assert sentences.title(factory.result("small-get")) == "small-get"


def test_what_is_in_flight_has_a_column_over_links_alone() -> None:
    sizes = cells(DOWNLOAD)["in flight", "kB of 1,088"]
    assert {"620", "260", "65"} == set(sizes)
    many = cells(linked.over_link("hundred-gets@6/atlantic"))["in flight", "of 6 asked"]
    assert {"5.8", "2.1", "1.0"} == set(many)
    assert not [name for name, _ in cells(factory.result("json-get")) if name == "in flight"]


def test_the_page_tells_of_links() -> None:
    elements = Elements(html.text(linked.over_links()))
    text = re.sub(r"\s+", " ", elements.text)
    assert "download@10M over atlantic" in text
    assert f"Not what was asked for: {linked.FAULT}." in text
    assert "2 of 7 rounds do not count" in text
    assert factory.SCRIPT in text
    ids = [attributes["id"] for _, attributes in elements.tags if "id" in attributes]
    assert len(ids) == len(set(ids))


def test_a_page_without_links_has_no_box() -> None:
    assert 'class="link"' not in html.text(factory.analysis())


def test_nothing_about_a_link_has_an_exponent() -> None:
    found = replace(linked.FOUND, down=Passage(123_456.0, 2_000_000, 1))
    fast = replace(LINK, found=found)
    assert ", found 123,500" in over_link.line(fast)
    assert told(fast)["rate down"][1] == "123,500 Mbit/s"
    assert told(fast)["lost down"][1] == "0.00005 % of 2,000,000"
    used = over_link.used(replace(LINK.use, late_p99_us=123_000, cpu_s=321.0))
    assert "left 120 ms late" in used
    assert "busy for 320 s" in used
