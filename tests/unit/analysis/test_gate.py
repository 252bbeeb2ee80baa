"""Gates on made-up rounds: what they say, when they stop, what they make of base twice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from tests.unit.analysis.raced import COURSE, Raced, ill

from fetchoff.analysis.gate import again, budget_needed, end_of, judged, lost, track_record
from fetchoff.analysis.limits import finding_of, kept
from fetchoff.analysis.stopping import is_decided
from fetchoff.model.experiment import Experiment, Role
from fetchoff.model.finding import Clock
from fetchoff.model.gate import Answer, End, Lost
from fetchoff.model.observation import Batch, Ended, Invocation, Outcome, Record, SectionDone

MARGIN = 0.02
BASE, HEAD, TWIN = "a/x", "a/x@head", "a/x#twin"
DEVIATION = 0.01


def race(true: float, seed: int, of_twin: float = 0.0) -> Raced:
    """Forty rounds; head takes `true` more than base, a second process of base `of_twin` more."""
    random = np.random.default_rng(seed)
    common = 0.05 * random.standard_normal(40)

    def costs(more: float) -> list[float]:
        return list(common + np.log1p(more) + DEVIATION * random.standard_normal(40))

    return Raced({BASE: costs(0), HEAD: costs(true), TWIN: costs(of_twin)})


def experiment_of(raced: Raced) -> Experiment:
    entrants = (
        replace(one, client=BASE, role=Role.CONTROL) if one.key == TWIN else one
        for one in raced.experiment.entrants
    )
    return replace(
        raced.experiment,
        entrants=tuple(entrants),
        pair_only=True,
        limit=MARGIN,
        margin=MARGIN,
        jointly=True,
    )


def measured(raced: Raced) -> list[Record]:
    """The records of a gate that stops as soon as it may."""
    experiment, records = experiment_of(raced), list[Record]()
    for number in range(experiment.looks[-1]):
        records += raced.round(number)
        if number + 1 in experiment.looks and is_decided(experiment, records, number + 1):
            return records
    return [*records, Ended("rounds", experiment.looks[-1])]


def end(raced: Raced) -> End:
    return end_of(judged(experiment_of(raced), measured(raced)))


@pytest.mark.parametrize(
    ("true", "right"),
    [(0.0, End.NOT_SLOWER), (-0.03, End.NOT_SLOWER), (0.03, End.SLOWER), (0.08, End.SLOWER)],
)
def test_a_change_is_judged(true: float, right: End) -> None:
    found = [end(race(true, seed)) for seed in range(40)]
    assert sum(one is right for one in found) >= 38


def test_a_clear_change_takes_few_rounds() -> None:
    raced = race(0.3, seed=1)
    rows = judged(experiment_of(raced), measured(raced))
    assert {row.answer for row in rows} == {Answer.SLOWER}
    assert {row.rounds for row in rows} == {5}


def test_faster_is_told_and_does_not_fail() -> None:
    raced = race(-0.05, seed=1)
    rows = judged(experiment_of(raced), measured(raced))
    assert {row.answer for row in rows} == {Answer.FASTER}
    assert end_of(rows) is End.NOT_SLOWER


def test_one_that_is_slower_fails_whatever_the_others_are() -> None:
    rows = judged(experiment_of(race(0.0, 1)), measured(race(0.0, 1)))
    assert end_of((rows[0], replace(rows[1], answer=Answer.SLOWER))) is End.SLOWER
    assert end_of((rows[0], replace(rows[1], answer=Answer.CANNOT_TELL))) is End.CANNOT_TELL


def test_the_rows_have_the_costs_of_both_sides() -> None:
    raced = Raced({BASE: [0.0] * 5, HEAD: [np.log(1.5)] * 5, TWIN: [0.0] * 5})
    wall, cpu = judged(experiment_of(raced), raced.records())
    assert (wall.workload, wall.clock, cpu.clock) == (COURSE.id, Clock.WALL, Clock.CPU)
    assert wall.base_us.point == pytest.approx(100)
    assert wall.head_us.point == pytest.approx(150, rel=1e-4)
    assert wall.ratio.point == pytest.approx(1.5, rel=1e-4)


def test_what_is_untold_says_which_budget_would_tell() -> None:
    raced = race(0.0, seed=3)
    experiment = experiment_of(raced)
    records = [record for number in range(6) for record in raced.round(number)]
    rows = judged(experiment, [*records, Ended("budget", 6)])
    assert end_of(rows) is End.CANNOT_TELL
    needed = budget_needed(records, rows)
    assert needed is not None and needed > 6  # a round took a second
    whole = measured(raced)
    assert budget_needed(whole, judged(experiment, whole)) is None


def test_the_advised_budget_is_for_the_share_that_a_comparison_has() -> None:
    """What seems to be slower must be shown over all: of twelve comparisons that takes longer."""
    raced = race(0.04, seed=2)
    experiment = experiment_of(raced)
    records = [record for number in range(6) for record in raced.round(number)]
    records.append(Ended("budget", 6))
    enough = {}
    for courses in (1, 6):
        names = [f"get-{number}" for number in range(courses)]
        copies = tuple(
            replace(COURSE, workload=replace(COURSE.workload, id=name)) for name in names
        )
        several: list[Record] = [
            replace(one, workload=name)
            for one in records
            if isinstance(one, Batch | Invocation | SectionDone)
            for name in names
        ]
        rows = judged(replace(experiment, courses=copies), [*several, records[-1]])
        assert rows[0].answer is Answer.CANNOT_TELL and rows[0].ratio.point > 1 + MARGIN
        enough[courses] = rows[0].enough
    assert enough[6] is not None and enough[1] is not None
    assert enough[6] > enough[1]


def test_a_gate_that_has_told_needs_no_budget() -> None:
    raced = race(0.0, seed=3)
    experiment = experiment_of(raced)
    records = [record for number in range(6) for record in raced.round(number)]
    wall, cpu = judged(experiment, [*records, Ended("budget", 6)])
    assert Answer.CANNOT_TELL in {wall.answer, cpu.answer}
    rows = (replace(wall, answer=Answer.CANNOT_TELL), replace(cpu, answer=Answer.SLOWER))
    assert budget_needed(records, rows) is None


def with_clock_off(records: Sequence[Record], whose: str) -> list[Record]:
    """The adapter's own clock is 12 % off the harness's."""
    return [
        replace(one, cost=replace(one.cost, own_wall_ns=round(0.88 * one.cost.wall_ns)))
        if isinstance(one, Batch) and one.entrant == whose
        else one
        for one in records
    ]


def test_a_gate_does_not_end_with_what_will_be_withheld() -> None:
    """By wall time alone head is slower, and the clocks are too far apart for that verdict."""
    raced = replace(race(0.0, seed=1), waits={HEAD: 1.06})
    experiment = experiment_of(raced)
    eight = [record for number in range(8) for record in raced.round(number)]
    assert is_decided(experiment, eight, 8)
    off = with_clock_off(eight, HEAD)
    assert {row.answer for row in judged(experiment, off)} == {Answer.CANNOT_TELL}
    assert not is_decided(experiment, off, 8)


def test_a_gate_ends_when_the_clock_that_tells_has_told() -> None:
    raced = replace(race(0.0, seed=1), waits={HEAD: 1.014})
    experiment = experiment_of(raced)
    off = with_clock_off(raced.records(), HEAD)
    assert is_decided(experiment, off, 40)
    assert not is_decided(experiment, raced.records(), 40)


@pytest.mark.parametrize("whose", [BASE, HEAD])
def test_clocks_that_are_further_apart_than_a_change_leave_no_answer_in_wall_time(
    whose: str,
) -> None:
    raced = race(0.06, seed=1)
    wall, cpu = judged(experiment_of(raced), with_clock_off(measured(raced), whose))
    assert (wall.answer, wall.enough, cpu.answer) == (Answer.CANNOT_TELL, None, Answer.SLOWER)
    assert (wall.clocks_apart, cpu.clocks_apart) == (True, False)


def test_equal_processes_of_base_are_not_called_different() -> None:
    called = 0
    for seed in range(60):
        raced = race(0.0, seed)
        called += any(one.differs for one in again(experiment_of(raced), measured(raced)))
    assert called <= 3


def test_processes_of_base_that_differ_are_called_so() -> None:
    raced = race(0.0, seed=1, of_twin=0.05)
    found = again(experiment_of(raced), measured(raced))
    assert [one.clock for one in found] == [Clock.WALL, Clock.CPU]
    assert all(one.differs for one in found)


def test_a_gate_ends_where_a_client_answered_wrong() -> None:
    ended = ill(0, HEAD, Outcome.FAILED, "wrong", answered_wrong=True)
    raced = replace(race(0.0, 1), ended=ended)
    records = [record for number in range(5) for record in raced.round(number)]
    assert is_decided(experiment_of(raced), records, 5)


LOST = "it ended with exit status 1"


def broken(*who: str, number: int = 5) -> dict[tuple[int, str], Invocation]:
    """Who broke down in a round."""
    return {
        key: one
        for client in who
        for key, one in ill(number, client, Outcome.FAILED, f"{client}: {LOST}").items()
    }


@pytest.mark.parametrize(
    ("ended", "right"),
    [
        (broken(HEAD), End.CANNOT_TELL),
        (broken(BASE), End.NOT_SLOWER),
        (broken(BASE, HEAD), End.NOT_SLOWER),
        (broken(BASE) | broken(HEAD, number=4), End.NOT_SLOWER),  # base does so as often
        (broken(TWIN), End.NOT_SLOWER),
    ],
)
def test_not_slower_is_not_said_of_a_head_that_breaks_down_more_often(
    ended: dict[tuple[int, str], Invocation], right: End
) -> None:
    raced = replace(race(0.0, 3), ended=ended)
    experiment, records = experiment_of(raced), measured(raced)
    rows, rounds = judged(experiment, records), lost(experiment, records)
    assert end_of(rows) is End.NOT_SLOWER
    assert end_of(rows, rounds) is right
    assert budget_needed(records, rows, rounds) is None


def test_slower_stays_slower_whoever_breaks_down() -> None:
    raced = replace(race(0.3, 3), ended=broken(HEAD, number=1))
    experiment, records = experiment_of(raced), measured(raced)
    assert end_of(judged(experiment, records), lost(experiment, records)) is End.SLOWER


def test_lost_rounds_are_told_by_their_numbers() -> None:
    raced = replace(race(0.0, 3), ended=broken(BASE, number=1) | broken(HEAD) | broken(BASE))
    experiment = experiment_of(raced)
    records = [record for number in range(7) for record in raced.round(number)]
    told = Lost(COURSE.id, (1, 5), (5,), 7, f"{HEAD}: {LOST}", given_up=("base",))
    assert lost(experiment, records) == (told,)
    assert lost(experiment_of(race(0.0, 3)), race(0.0, 3).records()) == ()


def of_base(ended: dict[tuple[int, str], Invocation]) -> dict[tuple[int, str], Invocation]:
    """As a run records them: the second process of base is of the client that base is."""
    return {key: replace(one, client=BASE) for key, one in ended.items()}


@pytest.mark.parametrize(
    ("ended", "base", "controls"),
    [
        (broken(TWIN, number=1) | broken(TWIN, number=3), (), (1, 3)),
        (broken(BASE, number=1) | broken(TWIN, number=3), (1,), (3,)),
        (broken(BASE, number=1) | broken(BASE, number=3), (1, 3), ()),
    ],
)
def test_a_base_that_is_given_up_is_named_also_where_its_second_process_broke_down(
    ended: dict[tuple[int, str], Invocation], base: tuple[int, ...], controls: tuple[int, ...]
) -> None:
    """Both are one program, so the run ends; no budget would change that."""
    raced = replace(race(0.0, 3), ended=of_base(ended))
    experiment = experiment_of(raced)
    records = [record for number in range(4) for record in raced.round(number)]
    rows, (found,) = judged(experiment, records), lost(experiment, records)
    assert (found.base, found.head, found.controls) == (base, (), controls)
    assert found.given_up == ("base",)
    assert end_of(rows, [found]) is End.CANNOT_TELL
    enough = [replace(row, enough=9) for row in rows]
    assert budget_needed(records, enough) is not None
    assert budget_needed(records, enough, [found]) is None


def test_a_head_that_is_given_up_is_named() -> None:
    raced = replace(race(0.0, 3), ended=broken(HEAD, number=1) | broken(HEAD, number=2))
    records = [record for number in range(4) for record in raced.round(number)]
    (found,) = lost(experiment_of(raced), records)
    assert (found.head, found.given_up) == ((1, 2), ("head",))


def test_who_is_given_up_for_what_does_not_count_is_named_with_what_happened() -> None:
    """Of a round that was interrupted and measured again, well, no invocation counts."""
    raced = race(0.0, 3)
    experiment = experiment_of(raced)
    records = [
        replace(one, attempt=1)
        for one in raced.records()
        if isinstance(one, Batch | Invocation | SectionDone)
    ]
    first = [*broken(BASE, number=0).values(), *broken(BASE, number=1).values()]
    (found,) = lost(experiment, [*first, *records])
    assert (found.base, found.given_up, found.message) == ((), ("base",), f"{BASE}: {LOST}")


def test_no_budget_is_advised_for_a_workload_on_which_base_is_given_up() -> None:
    """The run goes on with another one, so it doesn't end for that reason."""
    raced = replace(race(0.0, 3), ended=broken(BASE, number=0) | broken(BASE, number=1))
    good, bad = (
        replace(COURSE, workload=replace(COURSE.workload, id=name)) for name in ("good", "bad")
    )
    experiment = replace(experiment_of(raced), courses=(good, bad))
    records: list[Record] = []
    for number in range(40):
        records += [of(one, good.id) for one in race(0.0, 3).round(number)]
        records += [of(one, bad.id) for one in raced.round(number) if number < 3]
    assert is_decided(experiment, records, 40)
    records.append(Ended("decided", 40))
    rows, found = judged(experiment, records), lost(experiment, records)
    untold = {row.workload for row in rows if row.answer is Answer.CANNOT_TELL}
    assert (untold, [one.workload for one in found]) == ({bad.id}, [bad.id])
    assert budget_needed(records, rows) is not None
    assert budget_needed(records, rows, found) is None


def of(record: Record, workload: str) -> Record:
    assert isinstance(record, Batch | Invocation | SectionDone)
    return replace(record, workload=workload)


def test_no_budget_is_advised_to_a_head_that_breaks_down() -> None:
    raced = replace(race(0.0, seed=3), ended=broken(HEAD))
    experiment = experiment_of(raced)
    records = [record for number in range(6) for record in raced.round(number)]
    rows = judged(experiment, [*records, Ended("budget", 6)])
    assert budget_needed(records, rows) is not None
    assert budget_needed(records, rows, lost(experiment, records)) is None


def test_the_limit_of_a_gate_is_no_finding_beside_it() -> None:
    raced = race(0.2, seed=1)
    experiment = experiment_of(raced)
    standings = tuple(raced.standings().values())
    found = kept(experiment, COURSE.id, BASE, standings)
    assert found
    assert finding_of(experiment, found) is None
    assert finding_of(replace(experiment, jointly=False), found) is not None


def test_a_record_has_its_bound() -> None:
    assert track_record([False] * 99 + [True]).differed == 1
    assert track_record([False] * 200).bound < 0.02
