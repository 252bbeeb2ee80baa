"""The driver on a pretended cluster: every block once, whatever becomes of hosts and itself."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest
from benches.fleet import pretended
from tests.unit.fleet.fakes import KILLED, WAITS_S, FakeCluster, FakeTask, Fate, Heard, Pretended

from fetchoff.app.own_code import code
from fetchoff.fleet.driver import Driver, Limits, NoHostLeft
from fetchoff.fleet.seam.cluster import RESTARTS, ClusterGone, Here, Job
from fetchoff.fleet.seam.told import Block, Told
from fetchoff.fleet.standing import standings_of, unfinished
from fetchoff.model.experiment import Experiment
from fetchoff.model.host import FleetMode
from fetchoff.model.observation import Batch, Cost, Ended, HostLost, Record, RoundDone, SectionDone
from fetchoff.store.journal import JOURNAL
from fetchoff.store.records import to_line
from fetchoff.store.run_folder import RunFolder

HOSTS = ("anna", "berta", "carl")
ROUNDS = 5
DEAR = Cost(10**9, 10**9, 10**8, 10**9)
LIMITS = Limits(away_s=20, round_s=100)
TOO_LATE = "a round took longer than 100 s (--longest-round S gives it more time)"


class Fleet:
    """A run folder, what measures, and what the driver says of it."""

    def __init__(
        self,
        folder: Path,
        asked: Experiment | None = None,
        hosts: tuple[str, ...] = HOSTS,
        mode: FleetMode = FleetMode.REPLICATE,
    ) -> None:
        self.path = folder / "run"
        asked = asked or pretended.experiment(rounds=ROUNDS)
        self.measure = Pretended(pretended.header("run", asked, hosts, mode))
        self.heard = Heard()
        RunFolder.create(self.path, self.measure.header).close()

    def drive(self, cluster: FakeCluster) -> Ended:
        """Run it, or go on with it."""
        folder = RunFolder.open(self.path, to_append=True)
        try:
            return Driver(folder, cluster, self.measure, self.heard, LIMITS).run()
        finally:
            folder.close()

    def records(self) -> list[Record]:
        return list(RunFolder.open(self.path).records())

    def of(self, host: str) -> list[Record]:
        """What the driver has of a host's journal."""
        return [r for r in self.records() if not isinstance(r, Ended | HostLost) and r.host == host]

    def losses(self) -> list[str]:
        return [r.host for r in self.records() if isinstance(r, HostLost)]

    def assert_all_fetched_once(self, hosts: tuple[str, ...] = HOSTS) -> None:
        for host in hosts:
            fetched, kept = self.of(host), self.measure.journals[host]
            assert fetched == kept[: len(fetched)]
            assert len(fetched) == len(kept) or host in self.losses()
            done = [(r.round, r.workload) for r in self.of(host) if isinstance(r, SectionDone)]
            assert len(done) == len(set(done))
        assert set(self.measure.measured.values()) == {1}


class Doubtful(Pretended):
    """Hosts that never find that all is decided."""

    def __call__(self, block: Block, here: Here) -> Told:
        return replace(super().__call__(block, here), is_decided=False)


def lost_in(folder: RunFolder) -> list[str]:
    return unfinished(standings_of(folder), folder)


@pytest.fixture
def fleet(tmp_path: Path) -> Fleet:
    return Fleet(tmp_path)


def test_every_host_measures_every_round(fleet: Fleet) -> None:
    ended = fleet.drive(FakeCluster(HOSTS))
    assert ended == Ended("rounds", ROUNDS)
    assert set(fleet.measure.measured) == {(h, n) for h in HOSTS for n in range(ROUNDS)}
    fleet.assert_all_fetched_once()
    assert fleet.records()[-1] == ended
    assert fleet.heard.waves == ROUNDS
    assert fleet.losses() == []


@pytest.mark.parametrize("fate", [Fate.DIES_BEFORE, Fate.DIES_AFTER])
def test_a_host_that_comes_back_is_asked_again(fleet: Fleet, fate: Fate) -> None:
    """If it died after it had measured, it tells what it has."""
    cluster = FakeCluster(HOSTS, {"berta": [fate, Fate.WELL, fate]})
    assert fleet.drive(cluster).reason == "rounds"
    fleet.assert_all_fetched_once()
    asked = [request.round for host, request in cluster.started if host == "berta"]
    assert asked == [0, 0, 1, 1, 2, 3, 4]
    assert fleet.losses() == []


def test_a_host_that_stays_away_is_lost_and_not_replaced(fleet: Fleet) -> None:
    cluster = FakeCluster(HOSTS, {"carl": [Fate.WELL, Fate.WELL, Fate.GONE]})
    assert fleet.drive(cluster) == Ended("rounds", ROUNDS)
    assert fleet.losses() == ["carl"]
    assert fleet.heard.losses == [("carl", "it has been away for 20 s")]
    assert {n for host, n in fleet.measure.measured if host == "carl"} == {0, 1}
    fleet.assert_all_fetched_once()


def test_a_host_that_comes_back_after_it_was_lost_goes_on(fleet: Fleet) -> None:
    cluster = FakeCluster(HOSTS, {"carl": [Fate.WELL, Fate.DIES_AFTER]}, back_s=LIMITS.away_s + 3)
    assert fleet.drive(cluster) == Ended("rounds", ROUNDS)
    assert fleet.losses() == ["carl"]
    assert fleet.heard.returns == ["carl"]
    fleet.assert_all_fetched_once()
    assert {n for host, n in fleet.measure.measured if host == "carl"} == set(range(ROUNDS))


class Slow(FakeCluster):
    """Once, giving the last host its round takes longer than one may be away. The first goes away
    meanwhile, for a moment."""

    is_slow = True

    def start(self, host: str, job: Job, longest_s: float) -> FakeTask:
        if host == HOSTS[-1] and self.is_slow:
            self.is_slow = False
            self.time_s += 2 * LIMITS.away_s
            self.away_until[HOSTS[0]] = self.time_s + 5
        return super().start(host, job, longest_s)


def test_a_pass_that_takes_long_loses_nobody(fleet: Fleet) -> None:
    """Nobody looked for them meanwhile, so nobody knows that they were away."""
    cluster = Slow(HOSTS, {HOSTS[0]: [Fate.DIES_BEFORE]})
    assert fleet.drive(cluster) == Ended("rounds", ROUNDS)
    assert fleet.losses() == []
    fleet.assert_all_fetched_once()


def test_a_round_has_a_deadline(fleet: Fleet) -> None:
    """A host that is there and never answers, as a task of Dask that is never run."""
    cluster = FakeCluster(HOSTS, {"anna": [Fate.WELL, Fate.SILENT]})
    assert fleet.drive(cluster).reason == "rounds"
    assert fleet.heard.losses == [("anna", TOO_LATE)]
    assert any(task.dropped for task in cluster.tasks if task.host == "anna")
    assert len(fleet.measure.journals["berta"]) > len(fleet.measure.journals["anna"])


def test_a_host_that_ends_its_round_because_it_is_late_is_lost(fleet: Fleet) -> None:
    cluster = FakeCluster(HOSTS, {"anna": [Fate.LATE]})
    assert fleet.drive(cluster).reason == "rounds"
    assert fleet.heard.losses == [("anna", TOO_LATE)]
    stored = [r.reason for r in fleet.records() if isinstance(r, HostLost)]
    assert stored == ["a round took longer than 100 s"]


def test_waiting_for_the_machine_is_no_part_of_a_round(fleet: Fleet) -> None:
    assert LIMITS.round_s + LIMITS.away_s < WAITS_S
    cluster = FakeCluster(HOSTS, {"carl": [Fate.WELL, Fate.WAITS]})
    assert fleet.drive(cluster) == Ended("rounds", ROUNDS)
    assert cluster.now_s() > WAITS_S
    assert fleet.losses() == []


def test_a_run_that_ended_without_a_host_goes_on_with_it(fleet: Fleet) -> None:
    """Only what it lacks is measured, and only by it."""
    cluster = FakeCluster(HOSTS, {"carl": [Fate.WELL, Fate.WELL, Fate.GONE]})
    assert fleet.drive(cluster) == Ended("rounds", ROUNDS)
    before = RunFolder.open(fleet.path)
    assert (before.ended, before.ends) == (Ended("rounds", ROUNDS), 1)
    assert lost_in(before) == ["carl"]
    again = FakeCluster(HOSTS)
    assert fleet.drive(again) == Ended("rounds", ROUNDS)
    assert [(host, request.round) for host, request in again.started] == [
        ("carl", number) for number in range(2, ROUNDS)
    ]
    after = RunFolder.open(fleet.path)
    assert (after.ended, after.ends) == (Ended("rounds", ROUNDS), 2)
    assert lost_in(after) == []
    assert len(fleet.of("carl")) == len(fleet.measure.journals["carl"])
    fleet.assert_all_fetched_once()


def test_a_run_that_goes_on_has_not_ended(fleet: Fleet) -> None:
    """As long as it goes on: its driver may be killed again."""
    fleet.drive(FakeCluster(HOSTS, {"carl": [Fate.GONE]}))
    with pytest.raises(ClusterGone):
        fleet.drive(FakeCluster(HOSTS, ends_at=3.0))
    cut = RunFolder.open(fleet.path)
    assert (cut.ended, cut.ends) == (None, 1)
    assert fleet.drive(FakeCluster(HOSTS)) == Ended("rounds", ROUNDS)
    fleet.assert_all_fetched_once()


def test_nothing_is_left_of_a_host_that_came_back_in_time(fleet: Fleet) -> None:
    fleet.drive(FakeCluster(HOSTS, {"carl": [Fate.DIES_AFTER]}, back_s=LIMITS.away_s + 3))
    assert fleet.losses() == ["carl"]
    assert lost_in(RunFolder.open(fleet.path)) == []


@pytest.mark.parametrize(
    ("fate", "of_what"), [(Fate.DIES_BEFORE, "it went away"), (Fate.KILLED, KILLED)]
)
def test_a_host_that_dies_of_each_round_is_not_asked_for_ever(
    fate: Fate, of_what: str, fleet: Fleet
) -> None:
    cluster = FakeCluster(HOSTS, {"anna": [fate] * 100})
    assert fleet.drive(cluster).reason == "rounds"
    reason = f"a round was cut off {RESTARTS + 1} times, the last time: {of_what}"
    assert fleet.heard.losses == [("anna", reason)]
    assert fleet.losses() == ["anna"]
    of_anna = [request for host, request in cluster.started if host == "anna"]
    assert len(of_anna) == RESTARTS + 1


def test_what_is_wrong_with_a_host_is_told_and_stops_nobody_else(fleet: Fleet) -> None:
    fleet.measure.faults["berta"] = "python/requests has changed since this run began"
    assert fleet.drive(FakeCluster(HOSTS)).reason == "rounds"
    assert fleet.heard.losses == [("berta", "python/requests has changed since this run began")]
    assert ("anna", ROUNDS - 1) in fleet.measure.measured


def test_hosts_are_told_the_code_of_their_driver(fleet: Fleet) -> None:
    cluster = FakeCluster(HOSTS)
    fleet.drive(cluster)
    assert {request.code for _, request in cluster.started} == {code()}


def test_without_any_host_it_can_be_resumed(fleet: Fleet) -> None:
    gone = {host: [Fate.WELL, Fate.GONE] for host in HOSTS}
    with pytest.raises(NoHostLeft) as raised:
        fleet.drive(FakeCluster(HOSTS, gone))
    assert f"fetchoff fleet resume {fleet.path}" in raised.value.hint
    assert not any(isinstance(record, Ended) for record in fleet.records())
    assert fleet.drive(FakeCluster(HOSTS)) == Ended("rounds", ROUNDS)
    fleet.assert_all_fetched_once()


def test_a_scheduler_that_dies_loses_nothing(fleet: Fleet) -> None:
    with pytest.raises(ClusterGone):
        fleet.drive(FakeCluster(HOSTS, ends_at=3.0))
    fleet.drive(FakeCluster(HOSTS))
    fleet.assert_all_fetched_once()


@pytest.mark.parametrize("seed", range(20))
def test_a_driver_that_dies_anywhere_is_resumed(fleet: Fleet, seed: int) -> None:
    """Its journal may end anywhere, also within a line: the host tells what is missing."""
    chance = random.Random(seed)
    fleet.drive(FakeCluster(HOSTS))
    journal = fleet.path / "batches.jsonl"
    data = journal.read_bytes()
    for _ in range(3):
        journal.write_bytes(data[: chance.randrange(len(data))])
        fleet.drive(FakeCluster(HOSTS, {chance.choice(HOSTS): [Fate.DIES_AFTER]}))
        fleet.assert_all_fetched_once()


def test_all_at_random(tmp_path: Path) -> None:
    for seed in range(30):
        chance = random.Random(seed)
        fleet = Fleet(tmp_path / str(seed))
        common = [Fate.WELL] * 4 + [Fate.DIES_BEFORE, Fate.DIES_AFTER]
        fates = {host: [chance.choice(common) for _ in range(12)] for host in HOSTS}
        fleet.drive(FakeCluster(HOSTS, fates, back_s=chance.choice([2.0, 30.0])))
        fleet.assert_all_fetched_once()


def test_a_budget_is_that_of_each_host(tmp_path: Path) -> None:
    """A round takes two seconds: four of them fit into nine."""
    asked = replace(pretended.experiment(rounds=20), budget_s=9.0)
    fleet = Fleet(tmp_path, asked)
    assert fleet.drive(FakeCluster(HOSTS)) == Ended("budget", 4)


def test_a_budget_is_spent_by_whole_rounds(tmp_path: Path) -> None:
    """A round takes two seconds by its sections, and one more around them."""
    fleet = Fleet(tmp_path, replace(pretended.experiment(rounds=20), budget_s=13.0))
    fleet.measure.rounds = _with_what_is_around
    assert fleet.drive(FakeCluster(HOSTS)) == Ended("budget", 4)
    fleet.assert_all_fetched_once()


def _with_what_is_around(asked: Experiment, host: str, number: int) -> Iterable[Record]:
    yield from pretended.round_of(asked, host, number)
    yield RoundDone(number, 3.0, host=host)


@pytest.mark.parametrize(
    ("budget_s", "numbers"),
    [(40.0, [0, 1, 2, 4, 5, 7, 8, 10, 11, 13, 14]), (66.0, [0, 1, 2, 3, 4, 6])],
)
def test_a_host_leaves_out_the_rounds_that_a_run_would(
    tmp_path: Path, budget_s: float, numbers: list[int]
) -> None:
    """With a client that compiles a round takes 20 seconds, without it two: there are three of
    those with it, or one."""
    plain = pretended.experiment(rounds=20)
    seldom = tuple(replace(e, seldom=e.client == "c/slow") for e in plain.entrants)
    fleet = Fleet(tmp_path, replace(plain, entrants=seldom, budget_s=budget_s))
    fleet.measure.rounds = _longer_with_all
    assert fleet.drive(FakeCluster(HOSTS)) == Ended("budget", len(numbers))
    fleet.assert_all_fetched_once()
    for host in HOSTS:
        done = [r.round for r in fleet.of(host) if isinstance(r, SectionDone)]
        assert done == sorted(2 * numbers)
    assert fleet.drive(FakeCluster(HOSTS)) == Ended("budget", len(numbers))


def _longer_with_all(asked: Experiment, host: str, number: int) -> Iterable[Record]:
    seconds = 10.0 if all(entrant.takes_part(number) for entrant in asked.entrants) else 1.0
    for record in pretended.round_of(asked, host, number):
        yield replace(record, seconds=seconds) if isinstance(record, SectionDone) else record


def test_it_ends_when_every_host_has_decided(tmp_path: Path) -> None:
    asked = replace(pretended.experiment(rounds=40), decide_on=("wall", "cpu"))
    asked = replace(asked, looks=tuple(range(5, 41)))
    fleet = Fleet(tmp_path, asked)
    ended = fleet.drive(FakeCluster(HOSTS))
    assert ended.reason == "decided"
    assert 5 <= ended.rounds < 40


def test_a_host_that_has_decided_waits_for_the_others(tmp_path: Path) -> None:
    """It measures no more, also if another driver goes on."""
    most = 9
    asked = replace(pretended.experiment(rounds=most), decide_on=("wall", "cpu"))
    fleet = Fleet(tmp_path, replace(asked, looks=tuple(range(5, most + 1))))
    usual = pretended.round_of

    def doubtful_on_carl(asked: Experiment, host: str, number: int) -> Iterable[Record]:
        for record in usual(asked, host, number):
            if host == "carl" and isinstance(record, Batch) and number % 2:
                yield replace(record, cost=DEAR)
            else:
                yield record

    fleet.measure.rounds = doubtful_on_carl
    with pytest.raises(ClusterGone):
        fleet.drive(FakeCluster(HOSTS, ends_at=7.5))
    assert fleet.drive(FakeCluster(HOSTS)) == Ended("rounds", most)
    measured = Counter(host for host, _ in fleet.measure.measured)
    assert measured == {"anna": 5, "berta": 5, "carl": most}


def test_a_driver_that_was_told_by_nobody_reads_whether_all_is_decided(tmp_path: Path) -> None:
    """As when it was killed after the last round, and before it could end the run."""
    asked = replace(pretended.experiment(rounds=40), decide_on=("wall", "cpu"))
    fleet = Fleet(tmp_path, asked)
    ended = fleet.drive(FakeCluster(HOSTS))
    journal = fleet.path / JOURNAL
    *kept, end = journal.read_bytes().splitlines(keepends=True)
    assert end == to_line(ended)
    journal.write_bytes(b"".join(kept))
    cluster = FakeCluster(HOSTS)
    assert fleet.drive(cluster) == ended
    assert cluster.started == []


def test_a_host_says_itself_whether_all_is_decided(tmp_path: Path) -> None:
    asked = replace(pretended.experiment(rounds=6), decide_on=("wall", "cpu"))
    fleet = Fleet(tmp_path, asked)
    fleet.measure = Doubtful(fleet.measure.header)
    assert fleet.drive(FakeCluster(HOSTS)) == Ended("rounds", 6)


def test_it_ends_when_there_is_nobody_to_measure(tmp_path: Path) -> None:
    fleet = Fleet(tmp_path)
    usual = pretended.round_of

    def nothing(asked: Experiment, host: str, number: int) -> list[Record]:
        return [r for r in usual(asked, host, number) if isinstance(r, SectionDone)]

    fleet.measure.rounds = nothing
    assert fleet.drive(FakeCluster(HOSTS)) == Ended("no client left", 1)


def test_courses_are_divided(tmp_path: Path) -> None:
    asked = pretended.experiment(rounds=3, workloads=5)
    fleet = Fleet(tmp_path, asked, mode=FleetMode.SHARD)
    fleet.drive(FakeCluster(HOSTS))
    courses = {
        host: {r.workload for r in fleet.of(host) if isinstance(r, SectionDone)} for host in HOSTS
    }
    assert courses == {
        "anna": {"get-0", "get-3"},
        "berta": {"get-1", "get-4"},
        "carl": {"get-2"},
    }


def test_a_host_that_tells_records_of_another_is_out(fleet: Fleet) -> None:
    usual = pretended.round_of

    def mixed(asked: Experiment, host: str, number: int) -> list[Record]:
        return list(usual(asked, "anna" if host == "carl" else host, number))

    fleet.measure.rounds = mixed
    assert fleet.drive(FakeCluster(HOSTS)).reason == "rounds"
    assert fleet.losses() == ["carl"]
    assert fleet.of("carl") == []
    assert fleet.heard.losses == [("carl", "it told what is no record of it: a record of anna")]
