"""Who is ranked: nobody who ever answered wrong, and who broke down only in the other rounds."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from tests.unit.analysis.raced import EXCHANGES, Raced, ill

from fetchoff.analysis.ranking_rows import share_of_user
from fetchoff.model.finding import Advice, FewRounds, Finding, OtherBaseline
from fetchoff.model.observation import (
    Batch,
    Invocation,
    Outcome,
    Record,
    SectionDone,
    Seen,
    Usage,
)
from fetchoff.report.wording import findings

CONTENT = "the content of GET / is not what the origin sent"
CRASH = "a/fast: ended with exit status 3"
RACED = Raced(
    {
        "a/slow": [0.90, 0.91, 0.89, 0.90, 0.92, 0.90, 0.91],
        "a/fast": [0.00, 0.01, 0.00, 0.02, 0.00, 0.01, 0.00],
        "a/middle": [0.40, 0.41, 0.40, 0.40, 0.39, 0.42, 0.40],
    }
)


def wrong(number: int, client: str) -> dict[tuple[int, str], Invocation]:
    return ill(number, client, Outcome.FAILED, CONTENT, answered_wrong=True)


def test_without_a_fault_the_fastest_is_first() -> None:
    standings = RACED.standings()
    assert list(standings) == ["a/fast", "a/middle", "a/slow"]
    assert standings["a/fast"].tiers == (1, 1)


def test_who_answered_wrong_in_two_of_seven_rounds_is_not_ranked() -> None:
    found = replace(RACED, ended=wrong(2, "a/fast") | wrong(5, "a/fast")).standings()
    assert list(found) == ["a/middle", "a/slow", "a/fast"]
    fast = found["a/fast"]
    assert (fast.outcome, findings.message(fast)) == (Outcome.FAILED, f"in rounds 3, 6: {CONTENT}")
    assert (fast.tiers, fast.costs, fast.wall, fast.rounds) == (None, None, None, 0)
    assert found["a/middle"].tiers == (1, 1)
    assert found["a/slow"].rounds == 7


def test_once_is_enough() -> None:
    fast = replace(RACED, ended=wrong(6, "a/fast")).standings()["a/fast"]
    assert (fast.tiers, findings.message(fast)) == (None, f"in round 7: {CONTENT}")


@pytest.mark.parametrize(
    ("outcome", "message"),
    [
        (Outcome.FAILED, CRASH),
        (Outcome.UNAVAILABLE, "no answer within 30 s"),
        (Outcome.INVALID, "not where it was placed: on core 0"),
    ],
)
def test_who_broke_down_is_ranked_by_its_other_rounds_and_it_is_told(
    outcome: Outcome, message: str
) -> None:
    fast = replace(RACED, ended=ill(3, "a/fast", outcome, message)).standings()["a/fast"]
    assert (fast.outcome, fast.tiers, fast.rounds) == (Outcome.OK, (1, 1), 6)
    assert findings.message(fast) == f"in 1 of 7 rounds: {message}"


def test_ratios_are_to_another_where_the_baseline_answered_wrong() -> None:
    found = replace(RACED, ended=wrong(0, "a/slow")).standings()
    fast, middle = found["a/fast"].wall, found["a/middle"].wall
    assert fast is not None and middle is not None
    assert fast.ratio.point == 1
    assert middle.ratio.point > 1.4


def crashed(client: str, *numbers: int) -> dict[tuple[int, str], Invocation]:
    each = (ill(number, client, Outcome.FAILED, CRASH) for number in numbers)
    return {key: one for ended in each for key, one in ended.items()}


@pytest.mark.parametrize("rounds", [1, 2])
def test_a_baseline_with_too_few_rounds_takes_nobody_s_interval_away(rounds: int) -> None:
    raced = replace(RACED, ended=crashed("a/slow", *range(rounds, 7)))
    (result,) = raced.analysis().results
    assert result.baseline == "a/fast"
    assert Finding(OtherBaseline("a/slow", "a/fast")) in result.findings
    middle = raced.standings()["a/middle"].wall
    assert middle is not None and middle.ratio.is_telling


def test_a_baseline_with_too_few_rounds_stays_where_another_would_be_no_better() -> None:
    """Where nobody has more rounds, and in a pair."""
    two = {client: costs[:2] for client, costs in RACED.costs.items()}
    pair = {client: RACED.costs[client] for client in ("a/slow", "a/fast")}
    broken = crashed("a/slow", *range(2, 7))
    for raced in (replace(RACED, costs=two), Raced(pair, pair_only=True, ended=broken)):
        (result,) = raced.analysis().results
        assert result.baseline == "a/slow"


def test_both_clocks_are_relative_to_the_same_client_where_the_baseline_is_missing() -> None:
    """a/middle is the cheapest by CPU time, and a/fast the fastest."""
    middle = {**RACED.costs, "a/middle": [cost - 0.6 for cost in RACED.costs["a/middle"]]}
    raced = replace(RACED, costs=middle, waits={"a/middle": 3.0}, ended=wrong(0, "a/slow"))
    found = raced.standings()
    assert next(iter(found)) == "a/fast"
    assert found["a/fast"].wall == found["a/fast"].cpu  # 1, and no interval
    ratios = [found["a/middle"].wall, found["a/middle"].cpu]
    assert [r.ratio.point > 1 for r in ratios if r] == [True, False]
    (result,) = raced.analysis().results
    assert result.baseline == "a/fast"


def test_nobody_is_left() -> None:
    ended = wrong(0, "a/slow") | wrong(1, "a/fast") | wrong(2, "a/middle")
    found = replace(RACED, ended=ended).standings()
    assert {standing.costs for standing in found.values()} == {None}


def test_few_rounds_of_a_client_that_takes_part_seldom_are_told() -> None:
    alone = replace(RACED, seldom=frozenset({"a/fast"}))
    standings = alone.standings()
    (found,) = standings["a/fast"].findings
    assert found.evidence == FewRounds(3, 7)
    assert found.advice is Advice.LARGER_BUDGET
    assert not standings["a/middle"].findings


SELDOM = replace(RACED, seldom=frozenset({"a/fast"}))


def test_a_round_that_was_lost_is_not_one_in_which_a_client_took_no_part() -> None:
    """It was there in three of seven rounds, as every client is that warms up for long."""
    broken = replace(SELDOM, ended=crashed("a/fast", 3)).standings()["a/fast"]
    disturbed = [
        record
        for record in SELDOM.records()
        if not (isinstance(record, Batch) and (record.round, record.entrant) == (3, "a/fast"))
    ]
    slowed = SELDOM.standings(disturbed)["a/fast"]
    for row, message in ((broken, f"in 1 of 3 rounds: {CRASH}"), (slowed, "")):
        assert row.rounds == 2
        assert [found.evidence for found in row.findings] == [FewRounds(3, 7, 1)]
        assert findings.message(row) == message
        assert (
            "took part in 3 of 7 rounds, because it warms up for seconds, and 1 of these does"
            in (findings.notes(row)[0])
        )


def test_of_one_that_is_given_up_it_is_not_told_that_it_warms_up_for_long() -> None:
    row = replace(SELDOM, ended=crashed("a/fast", 3, 6)).standings()["a/fast"]
    assert findings.message(row) == f"in 2 of 3 rounds, so it was not tried again: {CRASH}"
    assert row.findings == ()


def control(number: int, kind: str, *, attempt: int = 0) -> Invocation:
    """How a further process of a/fast broke down in a round."""
    key = (number, attempt, "get", f"a/fast#{kind}", "a/fast")
    return Invocation(*key, Outcome.FAILED, f"{CRASH} in {number}")


def until_given_up(last: int) -> list[Record]:
    """The client is in no round after this one."""
    return [
        record
        for record in RACED.records()
        if not isinstance(record, Batch | Invocation)
        or record.round <= last
        or "a/fast" not in (getattr(record, "entrant", ""), getattr(record, "client", ""))
    ]


def test_a_client_whose_controls_broke_down_does_not_end_without_a_word() -> None:
    """They are the same program: two breakdowns of any process end it."""
    records = [control(0, "twin"), control(1, "known"), *until_given_up(1)]
    row = RACED.standings(records)["a/fast"]
    assert (row.rounds, row.outcome) == (2, Outcome.OK)
    assert findings.message(row) == (
        f"in 2 of 2 rounds, in a further process of it, so it was not tried again: {CRASH} in 1"
    )


def test_a_control_that_broke_down_once_is_told() -> None:
    row = RACED.standings([control(2, "twin"), *RACED.records()])["a/fast"]
    assert (row.rounds, row.tiers) == (7, (1, 1))
    said = f"in 1 of 7 rounds, in a further process of it: {CRASH} in 2"
    assert findings.message(row) == said


def test_a_client_and_its_control_that_broke_down_are_told_together() -> None:
    raced = replace(RACED, ended=crashed("a/fast", 1))
    records = [control(0, "twin"), *raced.records()]
    row = raced.standings(records)["a/fast"]
    assert findings.message(row) == (
        f"in 2 of 7 rounds, also in a further process of it, so it was not tried again: {CRASH}"
    )


def test_what_ended_a_client_in_attempts_that_do_not_count_is_told() -> None:
    """They were interrupted, and a run counts them all the same."""
    whole = [
        replace(record, attempt=1)
        for record in until_given_up(0)
        if isinstance(record, Batch | Invocation | SectionDone)
    ]
    ended = [
        Invocation(0, 0, "get", "a/fast", "a/fast", Outcome.UNAVAILABLE, "it does not start"),
        control(0, "twin"),
    ]
    row = RACED.standings([*ended, *whole])["a/fast"]
    assert (row.rounds, findings.message(row).partition(":")[0]) == (
        *(1, "in 1 of 1 rounds, also in a further process of it, so it was not tried again"),
    )


def test_a_client_without_figures_has_its_own_reason_and_not_that_of_a_control() -> None:
    raced = replace(RACED, ended=crashed("a/fast", *range(7)))
    row = raced.standings([*raced.records(), control(6, "twin")])["a/fast"]
    assert (row.outcome, findings.message(row)) == (Outcome.FAILED, CRASH)


def test_what_is_on_the_wire_is_of_an_exchange_and_not_of_a_request() -> None:
    """Who follows a redirect makes two requests: what both move is paid in one exchange."""

    def following(record: Record) -> Record:
        if not isinstance(record, Batch):
            return record
        n = record.exchanges
        return replace(record, seen=Seen(2 * n, 10, 300 * n, 500_000 * n, 4 * n))

    row = RACED.standings([following(record) for record in RACED.records()])["a/fast"]
    assert row.wire is not None and row.costs is not None and row.costs.throughput is not None
    assert row.wire.bytes_in_per_exchange == 300
    assert row.wire.bytes_out_per_exchange == 500_000
    assert row.wire.segments_per_exchange == 4
    assert row.wire.exchanges_per_connection == EXCHANGES / 10
    assert row.costs.throughput.bytes_per_exchange == 500_300


def test_as_many_rounds_as_a_first_look_needs_are_not_few() -> None:
    often = Raced(
        {c: [*costs, *costs] for c, costs in RACED.costs.items()}, seldom=frozenset({"a/fast"})
    )
    assert not often.standings()["a/fast"].findings  # 5 of 14


def split(user: int, system: int) -> tuple[float, float]:
    usage = Usage(user_ticks=user, system_ticks=system, samples_per_s=100)
    ran = Invocation(0, 0, "w", "a/x", "a/x", Outcome.OK, usage=usage)
    return share_of_user([ran])


def test_few_samples_tell_nothing_of_user_and_system_time() -> None:
    assert all(math.isnan(one) for one in split(49, 0))
    assert split(50, 0)[0] == 1.0
    assert 0.03 < split(50, 0)[1] < 0.1  # none of 50 does not mean never


def test_a_kernel_that_looks_more_often_needs_less_time() -> None:
    usage = Usage(user_ticks=15, system_ticks=5, samples_per_s=250)
    share, within = share_of_user([Invocation(0, 0, "w", "a/x", "a/x", Outcome.OK, usage=usage)])
    assert share == 0.75
    assert 0.12 < within < 0.16


def test_what_many_short_processes_lose_by_rounding_is_told() -> None:
    """Of each both readings are rounded down to a tick."""
    rng = np.random.default_rng(5)
    off, within = [], []
    for _ in range(500):
        usages = []
        for _process in range(20):
            begin = rng.uniform(0, 1, 2)
            user, system = np.floor(begin + np.array([4.0, 1.0])) - np.floor(begin)
            usages.append(Usage(int(user), int(system), samples_per_s=1000))
        ran = [Invocation(0, 0, "w", "a/x", "a/x", Outcome.OK, usage=usage) for usage in usages]
        share, told = share_of_user(ran)
        off.append(abs(share - 0.8))
        within.append(told)
    assert np.mean(np.array(off) <= np.array(within)) >= 0.95


@pytest.mark.parametrize("truth", [0.5, 0.9, 0.99])
@pytest.mark.parametrize("ticks", [50, 400])
def test_the_split_is_within_what_is_told(truth: float, ticks: int) -> None:
    rng = np.random.default_rng(4)
    found = [split(int(user), ticks - int(user)) for user in rng.binomial(ticks, truth, 2000)]
    assert np.mean([abs(share - truth) <= within for share, within in found]) >= 0.93
