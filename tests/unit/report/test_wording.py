"""Verdicts in plain words: right about ties, and never more than the intervals say."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from tests.unit.report import factory

from fetchoff.model.analysis import RankingRow, Relative, WorkloadResult
from fetchoff.model.estimate import Estimate, Verdict
from fetchoff.model.finding import (
    Advice,
    BatchesExcluded,
    ClocksApart,
    Finding,
    OriginBound,
    OtherBaseline,
    RoundsExcluded,
    RoundsFailed,
    TurnsDisturbed,
)
from fetchoff.report.wording import figures, findings, sentences

BASE = factory.BASELINE
MARGIN = 0.02


def of(*standings: RankingRow) -> WorkloadResult:
    return replace(factory.result("small-get"), standings=standings)


def standing(
    client: str, relative: Relative | None, tiers: tuple[int, int] | None = None
) -> RankingRow:
    known = next(s for s in factory.result("small-get").standings if s.client == "go/net-http")
    return replace(known, client=client, wall=relative, tiers=tiers)


def ratio(point: float, low: float, high: float, verdict: Verdict) -> Relative:
    return Relative(Estimate(point, low, high, 0.99), verdict)


def origin_bound(client: str) -> Finding:
    return Finding(OriginBound(0.52), (client,))


EQUAL = ratio(1, 1, 1, Verdict.EQUIVALENT)


def test_a_single_winner_is_named_with_its_factor() -> None:
    fast = standing("c/libcurl", ratio(0.476, 0.435, 0.526, Verdict.FASTER), (1, 1))
    slow = standing("perl/lwp", ratio(1.5, 1.4, 1.6, Verdict.SLOWER), (3, 3))
    said = sentences.verdict(of(fast, standing(BASE, EQUAL, (2, 2)), slow), MARGIN)
    assert said == f"`c/libcurl` is the fastest: 2.1 × (1.9–2.3) as fast as `{BASE}`."


def test_a_tie_names_its_members_and_no_winner() -> None:
    first = standing("c/libcurl", ratio(0.5, 0.49, 0.51, Verdict.FASTER), (1, 1))
    second = standing("go/fasthttp", ratio(0.51, 0.5, 0.52, Verdict.FASTER), (1, 2))
    said = sentences.verdict(of(first, second, standing(BASE, EQUAL, (3, 3))), MARGIN)
    assert said.startswith("`c/libcurl` and `go/fasthttp` share the first tier")
    assert "is the fastest" not in said.replace("which of them is fastest", "")
    assert said.endswith(f"By their estimates they are 1.96 to 2.0 × as fast as `{BASE}`.")


def test_who_could_not_be_placed_does_not_lead_and_is_told() -> None:
    unplaced = replace(
        standing("a/new", ratio(0.6, 0.001, 400.0, Verdict.UNDECIDED), (1, 3)), rounds=3
    )
    first = standing("c/libcurl", ratio(0.5, 0.49, 0.51, Verdict.FASTER), (1, 1))
    second = standing("go/fasthttp", ratio(0.51, 0.5, 0.52, Verdict.FASTER), (1, 2))
    base = standing(BASE, EQUAL, (3, 3))
    told = "`a/new` took part in too few rounds to be placed."
    said = sentences.verdict(of(first, unplaced, base), MARGIN)
    assert said.startswith("`c/libcurl` is the fastest that could be placed: 2.00 ×")
    assert said.endswith(told)
    tie = sentences.verdict(of(first, second, unplaced, base), MARGIN)
    assert tie.startswith("`c/libcurl` and `go/fasthttp` share the first tier")
    assert tie.endswith(told)


def test_who_was_in_every_round_is_not_said_to_have_been_in_too_few() -> None:
    unclear = ratio(0.6, 0.001, 400.0, Verdict.UNDECIDED)
    wild, wilder = (standing(client, unclear, (1, 3)) for client in ("a/wild", "a/wilder"))
    new = replace(standing("a/new", unclear, (1, 3)), rounds=3)
    first = standing("c/libcurl", ratio(0.5, 0.49, 0.51, Verdict.FASTER), (1, 1))
    base = standing(BASE, EQUAL, (3, 3))
    assert sentences.verdict(of(first, wild, base), MARGIN).endswith(
        "(1.96–2.04) as fast as `python/requests`. "
        "`a/wild` could not be placed: its interval is too wide."
    )
    assert sentences.verdict(of(first, wild, wilder, new, base), MARGIN).endswith(
        " `a/new` took part in too few rounds to be placed. "
        "`a/wild` and `a/wilder` could not be placed: their intervals are too wide."
    )


def test_a_baseline_that_wins_is_followed_by_who_could_be_placed() -> None:
    unplaced = standing("a/new", ratio(0.6, 0.001, 400.0, Verdict.UNDECIDED), (1, 3))
    following = standing("perl/lwp", ratio(1.5, 1.4, 1.6, Verdict.SLOWER), (2, 2))
    said = sentences.verdict(of(unplaced, standing(BASE, EQUAL, (1, 1)), following), MARGIN)
    assert said.startswith(f"`{BASE}`, the baseline, is the fastest that could be placed. Next is")
    assert "Next is `perl/lwp`: 1.5 ×" in said


@pytest.mark.parametrize("last", ["a/z", BASE])
def test_if_nobody_could_be_placed_nobody_is_the_fastest(last: str) -> None:
    """The baseline's own interval, from 1 to 1, places nobody."""
    unplaced = ratio(0.06, 0.001, 400.0, Verdict.UNDECIDED)
    rows = [standing(client, unplaced, (1, 2)) for client in ("a/x", "a/y")]
    rows.append(standing(last, EQUAL if last == BASE else unplaced, (1, 2)))
    told = "Too few rounds were measured to tell which of these clients is the fastest."
    assert sentences.verdict(of(*rows), MARGIN) == told


def test_who_was_shown_to_be_faster_than_all_leads_though_no_interval_says_by_how_much() -> None:
    first = standing("a/x", ratio(0.01, 0.0001, 0.9, Verdict.FASTER), (1, 1))
    rest = standing("a/y", ratio(0.6, 0.001, 400.0, Verdict.UNDECIDED), (2, 2))
    said = sentences.verdict(of(first, rest, standing(BASE, EQUAL, (2, 2))), MARGIN)
    assert said == "`a/x` is the fastest."


def test_a_tie_with_the_baseline_claims_no_factor() -> None:
    other = standing("c/libcurl", ratio(0.99, 0.96, 1.02, Verdict.UNDECIDED), (1, 1))
    third = standing("perl/lwp", ratio(1.5, 1.4, 1.6, Verdict.SLOWER), (2, 2))
    said = sentences.verdict(of(other, standing(BASE, EQUAL, (1, 1)), third), MARGIN)
    assert "share the first tier" in said
    assert "× as fast" not in said


def test_a_baseline_that_wins_is_told_with_the_next() -> None:
    following = standing("perl/lwp", ratio(1.5, 1.4, 1.6, Verdict.SLOWER), (2, 2))
    last = standing("ruby/excon", ratio(2.5, 2.4, 2.6, Verdict.SLOWER), (3, 3))
    said = sentences.verdict(of(standing(BASE, EQUAL, (1, 1)), following, last), MARGIN)
    assert said == (
        f"`{BASE}`, the baseline, is the fastest. "
        f"Next is `perl/lwp`: 1.5 × (1.4–1.6) the time of `{BASE}`."
    )


@pytest.mark.parametrize(
    ("relative", "expected"),
    [
        (
            ratio(0.5, 0.45, 0.55, Verdict.FASTER),
            f"`c/libcurl` is faster: 2.0 × (1.8–2.2) as fast as `{BASE}`.",
        ),
        (
            ratio(1.05, 1.03, 1.07, Verdict.SLOWER),
            f"`c/libcurl` is slower: 1.05 × (1.03–1.07) the time of `{BASE}`.",
        ),
        (
            ratio(1.001, 0.996, 1.006, Verdict.EQUIVALENT),
            f"`c/libcurl` and `{BASE}` are equivalent within ±2 %: 1.001 × (0.996–1.006) the time.",
        ),
        (
            ratio(1.03, 0.97, 1.09, Verdict.UNDECIDED),
            f"Undecided: `c/libcurl` takes 1.03 × (0.97–1.09) the time of `{BASE}`; "
            "more rounds could tell.",
        ),
        (
            ratio(1.03, -math.inf, math.inf, Verdict.UNDECIDED),
            f"Too few rounds were measured to compare `c/libcurl` and `{BASE}`.",
        ),
        (
            ratio(1.05, 0.012, 92, Verdict.UNDECIDED),
            f"Too few rounds were measured to compare `c/libcurl` and `{BASE}`.",
        ),
        (
            ratio(0.01, 0.0001, 0.9, Verdict.FASTER),
            f"`c/libcurl` is faster than `{BASE}`; too few rounds were measured to tell by how "
            "much.",
        ),
        (None, f"Too few rounds were measured to compare `c/libcurl` and `{BASE}`."),
    ],
)
def test_two_clients(relative: Relative | None, expected: str) -> None:
    pair = of(standing("c/libcurl", relative, (1, 1)), standing(BASE, EQUAL, (1, 1)))
    assert sentences.verdict(pair, MARGIN) == expected


def test_after_the_last_round_no_more_are_promised() -> None:
    unclear = standing("c/libcurl", ratio(1.03, 0.97, 1.09, Verdict.UNDECIDED), (1, 1))
    pair = replace(of(unclear, standing(BASE, EQUAL, (1, 1))), rounds=40, exhausted=True)
    said = sentences.verdict(pair, MARGIN)
    assert "more rounds" not in said
    assert said.endswith("that is all that 40 rounds, the most that a run has, can tell.")


def test_without_tiers_nobody_wins() -> None:
    standings = [standing(name, None) for name in ("a/x", "a/y", "a/z")]
    assert sentences.verdict(of(*standings), MARGIN) == (
        "Too few rounds were measured to rank these clients."
    )


def test_one_client_alone_is_not_ranked() -> None:
    said = sentences.verdict(of(standing("a/x", None, (1, 1))), MARGIN)
    assert said == "Only `a/x` was measured, so there is nothing to rank."


def test_a_withheld_ranking_has_its_advice_apart() -> None:
    withheld = factory.result("small-get", withheld=True)
    said, (told,) = sentences.verdict(withheld, MARGIN), sentences.advice(withheld)
    assert said.startswith("The ranking is withheld: self-check failed: two processes of a client")
    assert told == findings.ADVICE[Advice.STOP_OTHER_WORK]
    assert told not in said
    assert findings.withheld(withheld.withheld).endswith(f". {told}")


def test_a_ranking_that_is_not_withheld_has_no_advice() -> None:
    assert sentences.advice(factory.result("small-get")) == ()


def test_what_is_known_of_clients_stands_before_what_is_known_of_the_workload() -> None:
    other = Finding(OtherBaseline("a/x", "a/y"))
    failed = Finding(RoundsFailed(1, 7, "it broke down"), ("a/x",))
    rows = (
        standing("a/w", None),
        replace(standing("a/x", None), reason=failed, findings=(origin_bound("a/x"),)),
        replace(standing("a/y", None), findings=(origin_bound("a/y"),)),
    )
    assert sentences.notes(replace(of(*rows), findings=(other,))) == (
        "`a/x`: in 1 of 7 rounds: it broke down",
        "`a/x` and `a/y`: the origin takes 52 % of the wall time: it is the bottleneck",
        "`a/x` has fewer than 3 rounds that count: relative to `a/y` instead",
    )


def test_what_is_in_no_figure_is_counted() -> None:
    left_out = (
        Finding(RoundsExcluded(1, 7, ("late",))),
        Finding(BatchesExcluded(3, 1280, ("late",))),
        Finding(TurnsDisturbed(310, 5000)),
        Finding(OtherBaseline("a/x", "a/y")),
    )
    assert sentences.not_counted(replace(of(), findings=left_out)) == (
        "Not drawn, because they do not count: 1 of 7 rounds, 3 of 1,280 batches, 310 of 5,000 "
        "turns."
    )
    assert sentences.not_counted(replace(of(), findings=left_out[-1:])) == ""


def test_many_names_are_cut_with_their_count() -> None:
    assert figures.names(list("abcdef"), most=4) == "`a`, `b`, `c` and 3 more"
    assert figures.names(["a", "b"]) == "`a` and `b`"
    assert figures.names(["a"]) == "`a`"


@pytest.mark.parametrize(
    ("value", "expected"),
    [(0.0543, "0.054"), (0.4821, "0.482"), (1.0, "1.000"), (13.4, "13.40"), (150.27, "150.3")],
)
def test_ratios_keep_their_width(value: float, expected: str) -> None:
    assert figures.ratio(value) == expected


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, None])
def test_what_is_not_a_number_is_a_dash(value: float | None) -> None:
    assert figures.ratio(value) == figures.number(value, 2) == figures.MISSING


def test_durations_read_as_they_are_said() -> None:
    assert [figures.seconds(s) for s in (4.2, 151.4, 3725.0)] == ["4 s", "2 min 31 s", "1 h 2 min"]


@pytest.mark.parametrize(
    ("low", "high", "shown"),
    [(0.478, 0.4861, "0.478–0.486"), (0.045, 30.0, "0.045–30.00"), (0.0001, 1.36e8, "–")],
)
def test_an_interval_that_tells_nothing_is_not_shown(low: float, high: float, shown: str) -> None:
    assert figures.interval(Estimate(1.0, low, high, 0.99)) == shown


def test_clocks_that_disagree_are_told_instead_of_more_rounds() -> None:
    found = ratio(1.12, 1.1, 1.14, Verdict.UNDECIDED)
    apart = Finding(ClocksApart(0.15, withheld=True))
    pair = of(standing(BASE, EQUAL), replace(standing("a/b", found), findings=(apart,)))
    said = sentences.verdict(pair, MARGIN)
    assert said.startswith("Undecided: `a/b` takes 1.12 × (1.10–1.14) the time")
    assert "two clocks differ by more" in said
    assert "more rounds" not in said


def of_three(first: RankingRow, second: RankingRow) -> str:
    last = standing("ruby/excon", ratio(2.5, 2.4, 2.6, Verdict.SLOWER), (3, 3))
    return sentences.verdict(of(first, second, last), MARGIN)


def test_whom_two_clocks_keep_in_the_first_tier_is_told() -> None:
    unsure = Finding(ClocksApart(0.6, withheld=True))
    first = standing("c/libcurl", ratio(0.5, 0.45, 0.55, Verdict.UNDECIDED), (1, 1))
    said = of_three(replace(first, findings=(unsure,)), standing(BASE, EQUAL, (1, 1)))
    assert said == (
        f"`c/libcurl` and `{BASE}` share the first tier: this run does not show which of them is "
        "fastest. Two clocks differ about `c/libcurl`."
    )


@pytest.mark.parametrize("found", [Verdict.UNDECIDED, Verdict.EQUIVALENT])
def test_who_is_the_fastest_is_not_said_to_be_alike_in_the_same_breath(found: Verdict) -> None:
    """Tiers rest on Holm's test of all pairs, which may show what an interval is too wide for."""
    leader = standing("c/libcurl", ratio(0.99, 0.985, 1.001, found), (1, 1))
    assert of_three(leader, standing(BASE, EQUAL, (2, 2))) == "`c/libcurl` is the fastest."
    following = standing("c/libcurl", ratio(1.01, 0.999, 1.015, found), (2, 2))
    assert of_three(standing(BASE, EQUAL, (1, 1)), following) == (
        f"`{BASE}`, the baseline, is the fastest. Next is `c/libcurl`."
    )
