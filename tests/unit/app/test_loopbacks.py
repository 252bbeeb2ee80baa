"""Which loopback a run gets, and what is said where it is not its own."""

from __future__ import annotations

import pytest

from fetchoff.app import loopbacks
from fetchoff.app.loopbacks import FACT, on_loopback
from fetchoff.app.measure import programs_of
from fetchoff.model.course import Course
from fetchoff.model.errors import FetchoffError, InputError, LinkError
from fetchoff.model.experiment import Entrant, Experiment
from fetchoff.model.link import Link
from fetchoff.model.loopback import Loopback
from fetchoff.model.workload import Exchange, Workload

GET = Workload("w", "", (Exchange("GET", "/"),))
FAR = Link("far", "")
REFUSED = LinkError("the link emulator ended; its last words: not permitted", "run as root")


def experiment(*links: Link, origin: str = "built-in") -> Experiment:
    courses = tuple(Course(GET, link) for link in links) or (Course(GET),)
    return Experiment((Entrant("a/b", "a/b", "a/b"),), courses, "a/b", 1, origin=origin)


@pytest.fixture
def permitted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loopbacks, "lacking", lambda: None)


@pytest.fixture
def refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loopbacks, "lacking", lambda: REFUSED)


@pytest.fixture
def untried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody may try to make one."""

    def lacking() -> FetchoffError | None:
        raise AssertionError("it was tried")

    monkeypatch.setattr(loopbacks, "lacking", lacking)


@pytest.mark.usefixtures("permitted")
@pytest.mark.parametrize("asked", [None, Loopback.OWN])
def test_its_own_where_that_is_permitted(asked: Loopback | None) -> None:
    found = on_loopback(experiment(), asked)
    assert found.experiment.loopback is Loopback.OWN
    assert found.facts[FACT] == "its own, receive buffers of 2,097,152 bytes"
    assert found.notes == ()


@pytest.mark.usefixtures("refused")
def test_the_machines_where_it_is_not_and_a_note_says_so() -> None:
    found = on_loopback(experiment())
    assert found.experiment.loopback is Loopback.MACHINE
    assert found.facts[FACT].startswith("the machine's")
    assert found.facts[FACT].endswith("not permitted")
    (note,) = found.notes
    assert note.startswith("measured on the machine's loopback")
    assert note.endswith("not permitted")


@pytest.mark.usefixtures("refused")
def test_who_insists_gets_it_or_an_error() -> None:
    with pytest.raises(LinkError, match="not permitted"):
        on_loopback(experiment(), Loopback.OWN)


@pytest.mark.usefixtures("untried")
def test_the_machines_where_that_is_asked_for() -> None:
    found = on_loopback(experiment(), Loopback.MACHINE)
    assert found.experiment.loopback is Loopback.MACHINE
    assert found.facts[FACT].endswith(": as asked")
    assert found.notes == ()


@pytest.mark.usefixtures("untried")
@pytest.mark.parametrize(
    "other",
    [experiment(FAR), experiment(origin="nginx"), experiment(origin="http://127.0.0.1:1")],
    ids=["over a link", "real server", "URL"],
)
def test_others_have_no_use_for_it(other: Experiment) -> None:
    found = on_loopback(other)
    assert found.experiment == other
    assert found.facts == {}
    with pytest.raises(InputError, match="--loopback own needs the built-in origin"):
        on_loopback(other, Loopback.OWN)


@pytest.mark.usefixtures("permitted")
def test_one_course_without_a_link_is_enough() -> None:
    assert on_loopback(experiment(FAR, Course(GET).link)).experiment.loopback is Loopback.OWN


def test_what_is_not_its_own_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FETCHOFF_LINK", "/bin/false")
    found = loopbacks.lacking()
    assert found is not None
    assert "ended with exit status 1" in found.message


@pytest.mark.usefixtures("permitted")
def test_the_program_that_makes_it_is_recorded() -> None:
    """So that a run is resumed with the same one."""
    own, machines = on_loopback(experiment()), on_loopback(experiment(), Loopback.MACHINE)
    assert [one.name for one in programs_of(own.experiment)] == ["fetchoff-origin", "fetchoff-link"]
    assert [one.name for one in programs_of(machines.experiment)] == ["fetchoff-origin"]
