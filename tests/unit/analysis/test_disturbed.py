"""Turns on a core that something else slowed do not count; what a client does itself does."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest
from tests.unit.analysis.planted import experiment

from fetchoff.analysis import disturbed
from fetchoff.analysis.analyse import RunFacts, analyse
from fetchoff.analysis.disturbed import Sifted, dearer_with, left_out
from fetchoff.analysis.series import series_of
from fetchoff.model.experiment import Role
from fetchoff.model.finding import NotMeasured, ProbesApart, TurnsDisturbed
from fetchoff.model.observation import Invocation, Outcome, Record, SectionDone, Seen, Turns
from fetchoff.model.workload import Placement

QUICK, SLOW = 800_000, 1_040_000


def turns(
    key: str, wall_us: Sequence[float], probe_ps: Sequence[int], *, round_: int = 0, host: str = ""
) -> Turns:
    """Turns of ten exchanges, each exchange of which takes `wall_us`, two thirds of it CPU time."""
    count = len(wall_us)
    wall = tuple(round(10_000 * us) for us in wall_us)
    return Turns(
        *(round_, 0, "get", key, 0, 10, 1, 15 * count + 1),
        host=host,
        cycle=tuple(range(count)),
        position=(0,) * count,
        exchanges=(10,) * count,
        wall_ns=wall,
        cpu_ns=tuple(2 * ns // 3 for ns in wall),
        origin_ns=tuple(ns // 3 for ns in wall),
        others_ns=(0,) * count,
        lead_exchanges=(5,) * count,
        lead_cpu_ns=(100,) * count,
        held_cpu_ns=tuple(range(1, count + 1)),
        after_ns=90,
        process_cpu_ns=0,
        spun_ns=0,
        seen=Seen(requests=15 * count + 1),
        probe_ps=tuple(probe_ps),
    )


def sifted(given: Sequence[Turns]) -> Sifted:
    return disturbed.undisturbed(
        given, {key: key.split("#")[0] for key in (t.entrant for t in given)}
    )


def undisturbed(given: Sequence[Turns]) -> tuple[Turns, ...]:
    return sifted(given).turns


def apart(given: Sequence[Turns]) -> Mapping[str, float]:
    return sifted(given).apart


def wall_us(one: Turns) -> list[float]:
    return [ns / 10_000 for ns in one.wall_ns]


def test_a_turn_on_a_slowed_core_does_not_count() -> None:
    given = [turns("a", [100, 140, 101], [QUICK, SLOW, QUICK]), turns("b", [50] * 3, [QUICK] * 3)]
    after = undisturbed(given)
    assert [wall_us(one) for one in after] == [[100, 101], [50, 50, 50]]
    assert left_out(given, after) == (1, 6)


def test_what_the_others_would_cost_with_all_turns() -> None:
    """Of a client in batches, all of them count."""
    given = [
        turns("a/x", [100, 100, 150, 100], [QUICK, QUICK, SLOW, QUICK]),
        turns("a/y", [200, 200, 300, 200], [QUICK, QUICK, SLOW, QUICK]),
    ]
    assert dearer_with(given, undisturbed(given)) == pytest.approx(0.125)
    assert dearer_with(given, given) == 0.0
    assert dearer_with([], []) == 0.0


def test_a_pause_of_the_client_itself_counts() -> None:
    given = [turns("a", [100, 400, 100], [QUICK, round(1.02 * QUICK), QUICK])]
    assert undisturbed(given) == tuple(given)


def test_each_turn_keeps_the_pause_after_it() -> None:
    """A collector in the background runs after the turn whose exchanges left it the work."""
    given = turns("a", [1, 2, 3, 4, 5], [SLOW, QUICK, SLOW, QUICK, QUICK])
    assert given.pauses_ns == (2, 3, 4, 5, 90)
    (after,) = undisturbed([given])
    assert wall_us(after) == [2, 4, 5]
    assert (after.pauses_ns, after.held_cpu_ns) == ((3, 5, 90), (2, 3, 5))


def test_old_records_have_no_probes_and_count() -> None:
    given = [replace(turns("a", [100, 140], [0, 0]), probe_ps=())]
    assert undisturbed(given) == tuple(given)


@pytest.mark.parametrize("probes", [[SLOW] * 3, [SLOW, SLOW, QUICK, SLOW] * 2])
def test_a_client_that_slows_its_core_itself_keeps_its_turns(probes: list[int]) -> None:
    """Or its dear turns would be taken for a disturbance."""
    own = turns("a", [100] * len(probes), probes)
    given = [own, *(turns(f"b{n}", [50] * 9, [QUICK] * 9) for n in range(3))]
    assert undisturbed(given)[0] == own


def test_a_client_that_happened_to_be_disturbed_is_not_measured_by_slow_probes() -> None:
    """All of its few turns were slow, and a third of the others'."""
    own = turns("a", [140] * 3, [SLOW] * 3)
    others = [turns(f"b{n}", [50, 50, 70] * 3, [QUICK, QUICK, SLOW] * 3) for n in range(3)]
    after = undisturbed([own, *others])
    assert [one.entrant for one in after] == ["b0", "b1", "b2"]
    assert left_out([own, *others], after) == (12, 30)


@pytest.mark.parametrize("times", [1.4, 0.8])
@pytest.mark.parametrize(("odd", "others"), [(1, 8), (2, 8), (1, 1), (3, 1)])
def test_where_probes_depend_on_clients_all_turns_count(
    times: float, odd: int, others: int
) -> None:
    """As on a processor of Intel with probes that went through memory: whoever differs."""
    own = [turns(f"a{n}", [100] * 20, [round(times * QUICK)] * 20) for n in range(odd)]
    rest = [turns(f"b{n}", [50] * 20, [QUICK] * 18 + [SLOW] * 2) for n in range(others)]
    assert undisturbed([*own, *rest]) == (*own, *rest)
    assert apart([*own, *rest])


def test_it_is_told_by_how_much_probes_are_apart() -> None:
    own = [turns(f"a{n}", [100] * 12, [round(1.4 * QUICK)] * 12) for n in range(2)]
    rest = [turns(f"b{n}", [50] * 12, [QUICK] * 11 + [SLOW]) for n in range(8)]
    assert apart([*own, *rest]) == pytest.approx({"a0": 1.4, "a1": 1.4})


def test_who_was_in_slow_rounds_is_not_apart() -> None:
    """Two thirds of everybody's turns were slow in three rounds of nine, and all of theirs."""
    mixed = [SLOW, SLOW, QUICK]
    given = [
        turns(f"b{n}", [50] * 3, mixed if round_ % 3 == 0 else [QUICK] * 3, round_=round_)
        for n in range(10)
        for round_ in range(9)
    ]
    given += [turns(f"a{n}", [50] * 3, [SLOW] * 3, round_=r) for n in range(2) for r in (0, 3, 6)]
    assert apart(given) == {}


def test_probes_are_not_apart_by_chance_on_a_machine_that_is_slow_half_of_the_time() -> None:
    chance, found = random.Random(3), 0
    for _ in range(200):
        given = [
            turns(f"a{n}", [50] * 3, chance.choices([QUICK, SLOW], k=3), round_=round_)
            for n in range(10)
            for round_ in range(4)
        ]
        found += bool(apart(given))
    assert found == 0


def test_probes_are_compared_within_rounds() -> None:
    """The two take part in rounds in which the core was slow for everybody."""
    given = [
        turns(f"a{n}", [50] * 6, [SLOW if round_ % 2 else QUICK] * 6, round_=round_)
        for n in range(8)
        for round_ in range(8)
        if n >= 2 or round_ % 2
    ]
    assert apart(given) == {}


def test_who_had_turns_in_slow_rounds_only_does_not_slow_the_core() -> None:
    """Of a client that takes part seldom. In the rounds that it was in, others were as slow."""
    rare = [turns("a", [140] * 9, [SLOW] * 9, round_=n) for n in (0, 3)]
    slow = [turns("b", [70] * 9, [SLOW] * 9, round_=n) for n in (0, 3)]
    quick = [turns("b", [50] * 9, [QUICK] * 9, round_=n) for n in (1, 2, 4, 5)]
    assert undisturbed([*rare, *slow, *quick]) == tuple(quick)


def test_a_round_without_a_quick_turn_does_not_count_for_a_process() -> None:
    """In a slow minute, each client becomes dearer by a factor of its own."""
    quick = turns("a", [100] * 6, [QUICK] * 6)
    given = [quick, turns("a", [140, 140], [SLOW, SLOW], round_=1)]
    assert undisturbed(given) == (quick,)
    assert left_out(given, undisturbed(given)) == (2, 8)


def test_hosts_have_quick_cores_of_their_own() -> None:
    """A core that is slower by nature is not disturbed."""
    given = [
        turns("a", [100, 140, 100], [QUICK, SLOW, QUICK], host="one"),
        turns("a", [200] * 3, [2 * QUICK] * 3, host="two"),
    ]
    assert [len(one.exchanges) for one in undisturbed(given)] == [2, 3]


def test_a_client_that_leaves_the_core_colder_has_quick_probes_of_its_own() -> None:
    """Those of one take 3 % longer than those of another, disturbed or not."""
    colder, slower, disturbed_ = (round(times * QUICK) for times in (1.031, 1.12, 1.15))
    given = [
        turns("a", [100] * 4, [colder, slower, disturbed_, colder]),
        turns("a#twin", [100], [colder]),
        turns("b", [50] * 4, [QUICK, QUICK, slower, QUICK]),
    ]
    assert [len(one.exchanges) for one in undisturbed(given)] == [3, 1, 3]


def difference(rng: random.Random, share: float) -> float:
    """What a run says of two equal clients, as a logarithm, on a machine that is slow in spells.

    `share`: of the time. Slow turns cost 15 % more; turns vary by 1 % besides.
    """
    is_slow, given = False, []
    for number in range(12):
        probes: dict[str, list[int]] = {"a": [], "b": []}
        for _ in range(4):
            for key in rng.sample("ab", 2):
                if rng.random() < 0.3:
                    is_slow = rng.random() < share
                probes[key].append(round((SLOW if is_slow else QUICK) * rng.gauss(1, 0.005)))
        for key, took in probes.items():
            us = [100 * rng.gauss(1, 0.01) * (1.15 if ps > 920_000 else 1) for ps in took]
            given.append(turns(key, us, took, round_=number))
    costs: dict[str, dict[int, float]] = {"a": {}, "b": {}}
    for one in undisturbed(given):
        costs[one.entrant][one.round] = float(np.log(np.mean(wall_us(one))))
    common = costs["a"].keys() & costs["b"].keys()
    return float(np.mean([costs["b"][n] - costs["a"][n] for n in common]))


@pytest.mark.parametrize("share", [0.1, 0.4, 0.5, 0.6, 0.7])
def test_equal_clients_are_equal_however_often_the_machine_is_slow(share: float) -> None:
    """Whose limit was its own quick quarter, and none above a half, differed by up to 9 %."""
    rng = random.Random(3)
    found = [difference(rng, share) for _ in range(100)]
    assert max(map(abs, found)) < 0.02


def records(rng: random.Random, rounds: int) -> list[Record]:
    """Client a costs 100 us and b 50; one turn in eight is slowed by 40 %, for whoever has it.

    Every third turn of b has a collection that costs as much as the rest of it.
    """
    found: list[Record] = []
    for number in range(rounds):
        for key, cost_us, collects in (("a", 100.0, 0), ("b", 50.0, 3)):
            slow = [rng.random() < 1 / 8 for _ in range(6)]
            own = [cost_us * (2 if collects and n % collects == 0 else 1) for n in range(6)]
            walls = [us * (1.4 if is_slow else 1) for us, is_slow in zip(own, slow, strict=True)]
            probes = [SLOW if is_slow else QUICK for is_slow in slow]
            found.append(turns(key, walls, probes, round_=number))
            found.append(Invocation(number, 0, "get", key, key, Outcome.OK))
        found.append(SectionDone(number, 0, "get", 1.0))
    return found


def ratios(placement: Placement) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    asked = replace(experiment(), placement=placement)
    asked = replace(
        asked, entrants=tuple(replace(asked.entrants[0], key=k, client=k, process=k) for k in "ab")
    )
    series = series_of(asked, records(random.Random(1), 200), "get")
    return series.wall_ns[:, 1] / series.wall_ns[:, 0]


def test_what_is_left_has_the_client_s_own_cost_in_it() -> None:
    """b costs 50 us and a third more for its collections: 0.667 of a, whatever the machine does."""
    on_shared, on_separate = ratios(Placement.SHARED_CORE), ratios(Placement.SEPARATE_CORES)
    assert np.exp(np.log(on_shared).mean()) == pytest.approx(2 / 3, rel=0.01)
    # On separate cores, probes of the origin's core say nothing about the client's.
    assert np.log(on_shared).std() < np.log(on_separate).std()


def test_who_mostly_waits_keeps_its_turns() -> None:
    """Probes after 44 ms of waiting are slow, and a slow core costs it next to nothing."""
    waits = [
        replace(turns("b", [44_000] * 4, [SLOW] * 4, round_=n), cpu_ns=(20_000_000,) * 4)
        for n in range(5)
    ]
    works = [turns("a", [100] * 4, [QUICK, SLOW, QUICK, QUICK], round_=n) for n in range(5)]
    kept = undisturbed([replace(one, origin_ns=(5_000_000,) * 4) for one in waits] + works)
    assert [len(one.exchanges) for one in kept] == [4] * 5 + [3] * 5


def test_who_has_no_turn_that_counts_is_said_to_have_been_disturbed() -> None:
    """It has answered well, so "was not measured" would be no reason."""
    asked = experiment()
    asked = replace(
        asked,
        placement=Placement.SHARED_CORE,
        baseline="b",
        entrants=tuple(
            replace(asked.entrants[0], key=k, client=k, process=k, role=Role.RANKED) for k in "ab"
        ),
    )
    given: list[Record] = []
    for number in range(12):
        slow = number < 3
        for key in "ab" if slow else "b":
            probes = [SLOW if slow else QUICK] * 3
            given.append(turns(key, [100] * 3, probes, round_=number))
            given.append(Invocation(number, 0, "get", key, key, Outcome.OK))
        given.append(SectionDone(number, 0, "get", 1.0))
    facts = RunFacts("id", "title", "2026-11-25", asked, (), (), {}, ())
    (result,) = analyse(facts, given).results
    (row,) = (row for row in result.standings if row.client == "a")
    assert row.reason is not None
    assert row.reason.evidence == NotMeasured(disturbed=True)
    assert TurnsDisturbed(18, 45, rounds=3) in [found.evidence for found in result.findings]


def test_the_report_tells_of_probes_that_depend_on_clients() -> None:
    asked = experiment()
    keys = [f"{letter}{n}" for letter in "ab" for n in range(4)]
    asked = replace(
        asked,
        placement=Placement.SHARED_CORE,
        baseline="b0",
        entrants=tuple(
            replace(asked.entrants[0], key=k, client=k, process=k, role=Role.RANKED) for k in keys
        ),
    )
    given: list[Record] = []
    for number in range(6):
        for key in keys:
            odd = key in ("a0", "a1")
            given.append(turns(key, [100] * 3, [SLOW if odd else QUICK] * 3, round_=number))
            given.append(Invocation(number, 0, "get", key, key, Outcome.OK))
        given.append(SectionDone(number, 0, "get", 1.0))
    facts = RunFacts("id", "title", "2026-11-25", asked, (), (), {}, ())
    (result,) = analyse(facts, given).results
    (told,) = (found for found in result.findings if isinstance(found.evidence, ProbesApart))
    assert told.evidence == ProbesApart(("a0", "a1"), (1.3, 1.3))
    assert all(row.rounds == 6 for row in result.standings)
