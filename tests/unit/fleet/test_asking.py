"""Asking all hosts the same: each by itself, with deadlines, and again where one comes back."""

from __future__ import annotations

import pytest
from tests.unit.fleet.fakes import KILLED, WAITS_S, FakeCluster, FakeTask, Fate

from fetchoff.fleet.asking import AWAY_S, answered, ask
from fetchoff.fleet.seam.cluster import RESTARTS, Here, HostAway, HostFault, Job
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


def test_who_dies_of_its_job_again_and_again_is_not_asked_for_ever() -> None:
    """Its last answer says of what."""
    cluster = FakeCluster(("a", "b"), {"b": [Fate.KILLED] * 100})
    found = asked(cluster, a=1, b=2)
    assert isinstance(found["b"], HostAway)
    assert found["b"].message == KILLED
    assert [host for host, _ in cluster.started].count("b") == RESTARTS + 1


class Slow(FakeCluster):
    """Giving a host its job takes longer than one may be away, and `b` goes away meanwhile."""

    def start(self, host: str, job: Job, longest_s: float) -> FakeTask:
        task = super().start(host, job, longest_s)
        if len(self.started) == len(self.hosts):
            self.time_s += 2 * AWAY_S
            self.away_until["b"] = self.time_s + 5
        return task


def test_who_is_away_for_a_moment_is_waited_for_however_long_others_take() -> None:
    cluster = Slow(("a", "b", "c"), {"b": [Fate.DIES_BEFORE]})
    assert asked(cluster, a=1, b=2, c=3) == {"a": 2, "b": 4, "c": 6}


def test_who_says_nothing_is_not_waited_for() -> None:
    cluster = FakeCluster(("a", "b"), {"b": [Fate.SILENT]})
    found = asked(cluster, a=1, b=2)
    assert isinstance(found["b"], HostFault)
    assert "did not answer within 30 s: it may still be busy with" in found["b"].message
    assert found["b"].hint
    assert cluster.time_s < LONGEST_S + AWAY_S + 5


def test_who_is_not_there_at_all() -> None:
    assert isinstance(asked(FakeCluster(("a",)), a=1, b=2)["b"], HostAway)


def test_who_waits_for_others_has_all_the_time_it_needs() -> None:
    """Hosts of one machine take turns."""
    assert WAITS_S > LONGEST_S + AWAY_S
    cluster = FakeCluster(("a", "b"), {"b": [Fate.WAITS]})
    assert asked(cluster, a=1, b=2) == {"a": 2, "b": 4}
    assert cluster.time_s > WAITS_S


class Interrupted(FakeCluster):
    """The user presses Ctrl-C while it is waited for."""

    def pause(self) -> None:
        raise KeyboardInterrupt


def test_nobody_does_what_nobody_waits_for_any_more() -> None:
    cluster = Interrupted(("a", "b"), {"b": [Fate.SILENT]})
    with pytest.raises(KeyboardInterrupt):
        asked(cluster, a=1, b=2)
    assert {task.host for task in cluster.tasks if task.dropped} == {"a", "b"}
