"""Several hosts in one journal: each by itself, and what all of them say together."""

from __future__ import annotations

from dataclasses import replace

import pytest
from benches.fleet import pretended
from tests.unit.analysis import planted
from tests.unit.analysis.raced import COURSE, Raced, ill
from tests.unit.analysis.raced_fleet import (
    HOSTS,
    ROUNDS,
    WOBBLE,
    A,
    B,
    analysed,
    host,
    raced,
    records_of,
    row_of,
    told,
)
from tests.unit.analysis.test_hosts import on
from tests.unit.analysis.told import fleet_of, nobody

from fetchoff.analysis.analyse import RunFacts
from fetchoff.analysis.fleet import is_decided_on, rounds_of
from fetchoff.model.analysis import Analysis
from fetchoff.model.estimate import Verdict
from fetchoff.model.experiment import Experiment
from fetchoff.model.finding import Finding, LinkAtFault
from fetchoff.model.fleet import FleetAnalysis, HostsDiffer
from fetchoff.model.host import PARTS, FleetMode, HostRecord, judged_on
from fetchoff.model.observation import Ended, HostLost, Outcome, Record
from fetchoff.report.wording.fleet import (
    differ,
    in_general,
    lacks,
    left_out,
    on_each,
    summary,
    without_figures,
)


def test_faster_on_all_hosts() -> None:
    found = analysed({name: raced(-0.5) for name in HOSTS})
    row = row_of(found)
    assert told(row.wall) == "faster on all 4 hosts"
    assert row.wall.over is not None and row.wall.over.verdict is Verdict.FASTER
    assert row.wall.differ is not None and not row.wall.differ.shown
    assert row.tiers == (1, 1)
    assert summary(found, found.results[0]) == (
        "Hosts were not shown to differ. On hosts in general b/y is the fastest: "
        "0.607 times the wall time of a/x."
    )


def test_faster_on_some_and_level_on_others() -> None:
    found = analysed(
        {"anna": raced(-0.5), "berta": raced(-0.5), "carl": raced(0.0), "dora": raced(0.4)}
    )
    row = row_of(found)
    assert told(row.wall) == "faster on anna and berta, level on carl, slower on dora"
    assert row.wall.over is not None and row.wall.over.verdict is Verdict.UNDECIDED
    assert row.wall.differ is not None and row.wall.differ.shown
    assert differ(row.wall.differ).startswith("yes, by ")
    assert "Hosts differ in the wall time of 1 client relative to a/x." in summary(
        found, found.results[0]
    )


def test_many_hosts_are_counted() -> None:
    across = row_of(analysed({f"h{n}": raced(-0.5 if n else 0.5) for n in range(6)})).wall
    assert on_each(across, tuple(f"h{n}" for n in range(6))) == "faster on 5 hosts, slower on h0"


def test_both_hosts_and_one() -> None:
    two = analysed({name: raced(-0.5) for name in HOSTS[:2]})
    assert told(row_of(two).wall) == "faster on both hosts"
    assert row_of(two).wall.over is None
    assert in_general(two, two.results[0]) == "hosts in general: needs 3 hosts with figures, has 2"
    one = analysed({"anna": raced(-0.5)})
    assert told(row_of(one).wall) == "faster"
    assert row_of(one).wall.differ is None


def test_one_host_is_judged_as_a_run_of_one_machine() -> None:
    own = raced(-0.05)
    records = records_of({"anna": own}, ended="decided")
    one = row_of(analysed({"anna": own}, records)).wall.on_each[0]
    alone = own.standings([*own.records(), Ended("decided", ROUNDS)])[B].wall
    assert one == alone


def test_each_of_several_hosts_has_its_share_of_the_error() -> None:
    found = analysed({name: raced(-0.5) for name in HOSTS})
    relative = row_of(found).wall.on_each[0]
    assert relative is not None
    assert 1 - relative.ratio.level == pytest.approx(found.alpha / PARTS / len(HOSTS))
    over = row_of(found).wall.over
    assert over is not None
    assert 1 - over.ratio.level == pytest.approx(found.alpha / PARTS)


def test_intervals_allow_for_hosts_that_stopped_when_they_had_decided(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wide = row_of(analysed({name: raced(-0.5) for name in HOSTS})).wall.over
    monkeypatch.setattr("fetchoff.stats.hosts.BIAS", 0.0)
    plain = row_of(analysed({name: raced(-0.5) for name in HOSTS})).wall.over
    assert wide is not None and plain is not None
    assert wide.ratio.low < plain.ratio.low < plain.ratio.high < wide.ratio.high


def test_of_hosts_in_general_nothing_is_said_before_the_end() -> None:
    fleet = {name: raced(-0.5) for name in HOSTS}
    found = analysed(fleet, records_of(fleet, ended=""))
    assert row_of(found).wall.over is None
    assert in_general(found, found.results[0]) == "hosts in general: told when the run has ended"
    assert told(row_of(found).wall) == "faster on all 4 hosts"


def test_whether_hosts_differ_is_decided_once_when_the_run_has_ended() -> None:
    fleet = {name: raced(-0.5 if name == HOSTS[0] else 0.5) for name in HOSTS}
    for ended, shown, said in (
        ("", None, "Whether hosts differ is told when the run has ended."),
        ("budget", True, "Hosts differ in the wall time of 1 client relative to a/x."),
    ):
        found = analysed(fleet, records_of(fleet, ended=ended))
        asked = row_of(found).wall.differ
        assert asked is not None
        assert asked.p < 1e-6
        assert asked.shown is shown
        assert differ(asked) == ("yes, by 65 %" if ended else "not yet told")
        assert summary(found, found.results[0]) == said


def test_hosts_that_differ_a_little_do_not_differ_by_nothing() -> None:
    assert differ(HostsDiffer(4, 0.004, 0.9, 1e-6, shown=True)) == "yes, by less than 1 %"
    assert differ(HostsDiffer(4, 0.08, 0.9, 1e-6, shown=True)) == "yes, by 8 %"


def test_hosts_far_apart_in_speed_agree_in_ratios() -> None:
    """A machine that takes seven times as long is compared with itself only."""
    slow = Raced(
        {A: [2.0] * ROUNDS, B: [1.5 + wobble for wobble in WOBBLE]},
    )
    found = row_of(analysed({"anna": raced(-0.5), "berta": slow, "carl": raced(-0.5)}))
    assert found.wall.differ is not None and not found.wall.differ.shown
    assert found.wall.over is not None
    assert found.wall.over.ratio.point == pytest.approx(0.607, rel=0.01)


def test_a_client_that_a_host_does_not_have() -> None:
    fleet = {name: raced(-0.5) for name in HOSTS}
    records = [
        r for r in records_of(fleet) if not (getattr(r, "host", "") == "carl" and _is_of(r, B))
    ]
    hosts = [host(name, (A,) if name == "carl" else (A, B)) for name in HOSTS]
    row = row_of(analysed(fleet, records, hosts=hosts))
    assert told(row.wall) == "faster on anna, berta and dora, not measured on carl"


def test_a_host_without_the_baseline_is_not_compared() -> None:
    fleet = {name: raced(-0.5) for name in HOSTS}
    records = [
        r for r in records_of(fleet) if not (getattr(r, "host", "") == "carl" and _is_of(r, A))
    ]
    hosts = [host(name, (B,) if name == "carl" else (A, B)) for name in HOSTS]
    (result,) = analysed(fleet, records, hosts=hosts).results
    assert result.others == ("carl",)
    assert result.hosts == ("anna", "berta", "dora")


def _is_of(record: Record, client: str) -> bool:
    return client in (getattr(record, "entrant", ""), getattr(record, "client", ""))


def test_a_host_whose_checks_fail_is_withheld_by_itself() -> None:
    asked = planted.experiment()
    off = planted.of_turns(lambda turns: replace(turns, process_cpu_ns=2 * turns.process_cpu_ns))
    records: list[Record] = []
    for seed, name in enumerate(HOSTS):
        own = planted.sound(seed)
        own = [off(r) for r in own] if name == "berta" else own
        records += on(name, own)
    hosts = [HostRecord(name, {}, planted.CLIENTS, (), ("get",)) for name in HOSTS]
    facts = RunFacts("id", "title", "2026-11-24", asked, (), (), {}, ())
    all_records = [*records, Ended("budget", 6)]
    found = fleet_of(facts, hosts, FleetMode.REPLICATE, all_records, nobody)
    (result,) = found.results
    assert list(result.withheld) == ["berta"]
    (told,) = left_out(result)
    assert told.startswith("berta is left out: self-check failed: the origin's and the harness's")
    assert result.hosts == ("anna", "carl", "dora")
    assert any(row.wall.over is not None for row in result.rows)


def test_a_host_whose_link_was_not_as_asked_has_failed_no_check() -> None:
    fault = Finding(LinkAtFault("london", ("round trip 23.1 ms, 20 asked for",)))
    (result,) = analysed({name: raced(-0.5) for name in HOSTS}).results
    assert left_out(replace(result, withheld={"anna": fault})) == [
        "anna is left out: the link london is not what was asked for: round trip 23.1 ms, 20 asked "
        "for"
    ]


def test_who_was_lost_is_told_until_it_goes_on() -> None:
    fleet = {name: raced(-0.5) for name in HOSTS}
    records = records_of(fleet)
    lost = HostLost(3, "it has been away for 60 s", host="carl")
    ends = analysed(fleet, [*records[:-1], lost, records[-1]])
    assert {one.host.id: one.lost for one in ends.hosts if one.lost} == {
        "carl": "it has been away for 60 s"
    }
    went_on = analysed(fleet, [lost, *records])
    assert not any(one.lost for one in went_on.hosts)


def share_of(found: FleetAnalysis) -> float:
    """Of the error rate, what hosts in general are told at, in parts of its third."""
    over = row_of(found).wall.over
    assert over is not None
    return (1 - over.ratio.level) / (found.alpha / PARTS)


def test_a_run_that_may_go_on_keeps_half_of_what_is_left_for_its_next_end() -> None:
    """However often it ends without hosts that were lost, all of it is spent but once."""
    fleet = {name: raced(-0.5) for name in HOSTS}
    *measured, end = records_of(fleet)
    lost = HostLost(ROUNDS, "it has been away for 60 s", host="carl")
    assert share_of(analysed(fleet, [*measured, end])) == pytest.approx(1)
    assert share_of(analysed(fleet, [*measured, lost, end])) == pytest.approx(1 / 2)
    assert share_of(analysed(fleet, [*measured, lost, end, lost, end])) == pytest.approx(1 / 4)
    later = on("carl", fleet["carl"].round(0))
    came_back = [*measured, lost, end, lost, end, *later, end]
    assert share_of(analysed(fleet, came_back)) == pytest.approx(1 / 4)


def test_for_a_host_that_was_lost_the_run_has_not_ended() -> None:
    """It may go on, so it spends no more error than its looks so far."""
    fleet = {name: raced(-0.5) for name in HOSTS}
    *measured, end = records_of(fleet)
    lost = HostLost(ROUNDS, "it has been away for 60 s", host="carl")
    facts = RunFacts("id", "", "2026-11-24", fleet["anna"].experiment, (), (), {}, ())
    ends: dict[str, str] = {}
    fleet_of(
        facts,
        [host(name) for name in HOSTS],
        FleetMode.REPLICATE,
        [*measured, lost, end],
        lambda name, own: ends.update({name: own.ended_reason}),
    )
    assert ends.pop("carl") == "interrupted"
    assert set(ends.values()) == {"decided"}


def test_a_host_that_measured_nothing_is_there_without_results() -> None:
    fleet = {name: raced(-0.5) for name in HOSTS}
    records = [r for r in records_of(fleet) if getattr(r, "host", "") != "dora"]
    found = analysed(fleet, records, hosts=[host(name) for name in HOSTS])
    assert [one.rounds for one in found.hosts] == [ROUNDS, ROUNDS, ROUNDS, 0]
    assert not found.hosts[-1].has_results
    assert found.results[0].hosts == HOSTS[:3]


def test_divided_courses_are_each_of_one_host() -> None:
    asked = pretended.experiment(rounds=5)
    head = pretended.header("run", asked, ("anna", "berta"), FleetMode.SHARD)
    records: list[Record] = []
    for one in head.hosts:
        own = replace(asked, courses=tuple(c for c in asked.courses if c.id in one.courses))
        for number in range(5):
            records += pretended.round_of(own, one.id, number)
    facts = RunFacts("id", "title", "2026-11-24", asked, (), (), {}, ())
    found = fleet_of(facts, head.hosts, FleetMode.SHARD, [*records, Ended("rounds", 5)], nobody)
    assert [result.hosts for result in found.results] == [("anna",), ("berta",)]
    assert all(row.wall.over is None for result in found.results for row in result.rows)
    assert "costs of hosts are not compared" in in_general(found, found.results[0])


def test_a_host_is_decided_by_its_own_records() -> None:
    asked: Experiment = raced(-0.5).experiment
    own = raced(-0.5).records()
    assert rounds_of(own, (COURSE.id,)) == ROUNDS
    judged = judged_on(asked, host("anna"), 1, FleetMode.REPLICATE)
    assert is_decided_on(judged, own)
    assert not is_decided_on(judged, own[:6])
    near = raced(0.004).records()
    assert not is_decided_on(judged_on(asked, host("anna"), 1000, FleetMode.REPLICATE), near)


def test_a_client_that_answered_wrong_on_one_host_is_not_ranked_there() -> None:
    fleet = {name: raced(-0.5) for name in HOSTS}
    wrong = ill(2, B, Outcome.INVALID, "other content", answered_wrong=True)
    fleet["dora"] = raced(-0.5, ended=wrong)
    row = row_of(analysed(fleet))
    assert on_each(row.wall, HOSTS, row.missing) == (
        "faster on anna, berta and carl, answered wrong on dora"
    )
    assert lacks(row, HOSTS) == {"dora": "answered wrong: in round 3: other content"}


def test_a_client_that_answered_wrong_everywhere_is_there_and_nobody_is_the_fastest() -> None:
    wrong = ill(2, B, Outcome.INVALID, "other content", answered_wrong=True)
    found = analysed({name: raced(-0.5, ended=wrong) for name in HOSTS})
    (result,) = found.results
    assert [row.client for row in result.rows] == [A, B]
    assert lacks(row_of(found), HOSTS) == {
        "*": "answered wrong on all 4 hosts: in round 3: other content"
    }
    assert without_figures(result) == [
        "b/y: answered wrong on all 4 hosts: in round 3: other content"
    ]
    assert summary(found, result) == "Only a/x has figures, so there is nothing to rank."
    assert all(row.tiers is None for row in result.rows)


def test_clients_that_no_host_has_are_there_with_the_reason() -> None:
    fleet = {name: raced(-0.5) for name in HOSTS}
    nowhere = tuple((f"go/{name}", "no go (get it)") for name in ("one", "two"))
    experiment = fleet["anna"].experiment
    facts = RunFacts("id", "title", "2026-11-24", experiment, (), nowhere, {}, ())
    hosts = [replace(host(name), absent=nowhere) for name in HOSTS]
    own: dict[str, list[str]] = {}

    def see(name: str, said: Analysis) -> None:
        own[name] = [row.client for row in said.results[0].standings]

    found = fleet_of(facts, hosts, FleetMode.REPLICATE, records_of(fleet), see)
    (result,) = found.results
    assert [row.client for row in result.rows] == [B, A, "go/one", "go/two"]
    assert without_figures(result) == [
        "go/one, go/two: not measured on all 4 hosts: no go (get it)"
    ]
    assert "b/y is the fastest: 0.607 times" in summary(found, result)
    assert own["anna"] == [B, A, "go/one", "go/two"]  # each once


def test_why_a_host_has_no_figures_is_what_that_host_says() -> None:
    fleet = {name: raced(-0.5) for name in HOSTS}
    fleet["anna"] = raced(-0.5, ended=ill(2, B, Outcome.INVALID, "other", answered_wrong=True))
    records = [
        r for r in records_of(fleet) if not (getattr(r, "host", "") == "carl" and _is_of(r, B))
    ]
    absent = HostRecord("carl", {}, (A,), ((B, "no cc"),), (COURSE.id,))
    hosts = [absent if name == "carl" else host(name) for name in HOSTS]
    row = row_of(analysed(fleet, records, hosts=hosts))
    assert lacks(row, HOSTS) == {
        "anna": "answered wrong: in round 3: other",
        "carl": "not measured: no cc",
    }


def test_a_host_that_had_decided_did_not_end_by_what_ended_the_others() -> None:
    unclear = [0.3 if number % 2 else -0.3 for number in range(ROUNDS)]
    fleet = {"anna": raced(-0.5), "berta": Raced({A: [0.0] * ROUNDS, B: unclear})}
    asked = fleet["anna"].experiment
    seen: dict[str, str] = {}
    facts = RunFacts("id", "title", "2026-11-24", asked, (), (), {}, ())
    fleet_of(
        facts,
        [host(name) for name in fleet],
        FleetMode.REPLICATE,
        records_of(fleet),
        lambda name, own: seen.update({name: own.ended_reason}),
    )
    assert seen == {"anna": "decided", "berta": "budget"}
