"""Asking all hosts the same: each by itself, with deadlines, and again where one comes back."""

from __future__ import annotations

from tests.unit.fleet.fakes import FakeCluster, Fate

from fetchoff.fleet.asking import AWAY_S, answered, ask
from fetchoff.fleet.seam.cluster import Here, HostAway, HostFault, Job
from fetchoff.model.errors import HostError

LONGEST_S = 30.0


def double(number: int, _here: Here) -> int:
    if number < 0:
        raise HostError("cannot be doubled", "ask for more")
    return 2 * number


def asked(cluster: FakeCluster, **numbers: int) -> dict[str, object]:
    return ask(cluster, {host: Job(double, n) for host, n in numbers.items()}, LONGEST_S)


def test_each_says_its_own() -> None:
    assert asked(FakeCluster(("a", "b")), a=1, b=2) == {"a": 2, "b": 4}


def test_errors_are_those_of_their_host() -> None:
    results, errors = answered(asked(FakeCluster(("a", "b")), a=1, b=-1))
    assert results == {"a": 2}
    assert (errors["b"].message, errors["b"].hint) == ("cannot be doubled", "ask for more")


def test_who_comes_back_is_asked_again() -> None:
    cluster = FakeCluster(("a", "b"), {"b": [Fate.DIES_AFTER, Fate.DIES_BEFORE]})
    assert asked(cluster, a=1, b=2) == {"a": 2, "b": 4}
    assert [host for host, _ in cluster.started] == ["a", "b", "b", "b"]


def test_who_stays_away_is_not_waited_for() -> None:
    cluster = FakeCluster(("a", "b"), {"b": [Fate.GONE]})
    found = asked(cluster, a=1, b=2)
    assert isinstance(found["b"], HostAway)
    assert AWAY_S < cluster.time_s < 2 * AWAY_S


def test_who_says_nothing_is_not_waited_for() -> None:
    cluster = FakeCluster(("a", "b"), {"b": [Fate.SILENT]})
    found = asked(cluster, a=1, b=2)
    assert isinstance(found["b"], HostFault)
    assert cluster.time_s < LONGEST_S + AWAY_S + 5


def test_who_is_not_there_at_all() -> None:
    assert isinstance(asked(FakeCluster(("a",)), a=1, b=2)["b"], HostAway)
