"""Claims beside what was measured: each verdict, where it is due."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

from fetchoff.analysis.claims import Evidence, judge_claims
from fetchoff.analysis.series import Series
from fetchoff.catalog import claims as catalog
from fetchoff.catalog import workloads
from fetchoff.catalog.manifests import named
from fetchoff.model.claim import (
    Claim,
    ClaimVerdict,
    EqualClaim,
    Judgement,
    Measure,
    OrderClaim,
    RatioClaim,
    Side,
    SpreadClaim,
    Statement,
    UnmeasurableClaim,
)
from fetchoff.model.course import Course
from fetchoff.model.experiment import Entrant, Experiment, Role
from fetchoff.model.observation import Invocation, Outcome, Usage
from fetchoff.model.workload import Exchange, Workload

ROUNDS, BLOCKS = 8, 4
A, B, C = (Side(f"x/{name}", "w") for name in "abc")
ELSEWHERE = Side("x/a", "other")


def evidence(
    costs: dict[str, float],
    *,
    noise: float = 0.005,
    elsewhere: dict[str, float] | None = None,
    peaks_kb: dict[str, int] | None = None,
    rounds: int = ROUNDS,
    origin_share: float = 0.1,
) -> Evidence:
    """Costs by client, in the workload `w` and in `other`, with noise in each batch."""
    names = list(costs)
    entrants = tuple(Entrant(name, name, name, Role.RANKED) for name in names)
    experiment = Experiment(
        entrants,
        tuple(Course(Workload(name, "", (Exchange("GET", "/"),))) for name in ("w", "other")),
        names[0],
        1,
        blocks=BLOCKS,
    )

    def series(workload: str, of: dict[str, float]) -> Series:
        random = np.random.default_rng(len(workload))
        level = np.array([of[name] for name in names])
        shape = (rounds, BLOCKS, len(names))
        batches = level * np.exp(noise * random.standard_normal(shape)) * 1e6
        values = batches.mean(1)
        invocations = tuple(
            Invocation(
                *(number, 0, workload, name, name),
                outcome=Outcome.OK if math.isfinite(of[name]) else Outcome.FAILED,
                message="" if math.isfinite(of[name]) else "does not answer",
                usage=Usage(peak_kb=(peaks_kb or {}).get(f"{name} {workload}", 1000)),
            )
            for number in range(rounds)
            for name in names
        )
        origin = origin_share * values
        return Series(workload, entrants, values, values, origin, values, (), invocations)

    both = {"w": series("w", costs), "other": series("other", elsewhere or costs)}
    return Evidence(experiment, both, {"x/absent": "is not installed"})


def judged(statement: Statement, found: Evidence, cause: str = "") -> Judgement:
    return judge_claims([Claim("id", "text", statement, cause)], found)[0]


@pytest.mark.parametrize(
    ("measured", "published", "verdict"),
    [
        (3.0, 3.0, ClaimVerdict.HOLDS),
        (2.6, 3.0, ClaimVerdict.HOLDS),
        (1.5, 3.0, ClaimVerdict.WEAKER),
        (9.0, 3.0, ClaimVerdict.STRONGER),
        (1.0, 3.0, ClaimVerdict.GONE),
        (0.5, 3.0, ClaimVerdict.GONE),
    ],
)
def test_ratios(measured: float, published: float, verdict: ClaimVerdict) -> None:
    claim = RatioClaim(Measure.CPU, A, B, published)
    found = judged(claim, evidence({"x/a": measured, "x/b": 1.0}))
    assert found.verdict is verdict
    assert found.measured is not None
    assert found.measured.point == pytest.approx(measured, rel=0.02)


def test_a_small_ratio_in_much_noise_is_undecided() -> None:
    claim = RatioClaim(Measure.WALL, A, B, 1.05)
    found = judged(claim, evidence({"x/a": 1.05, "x/b": 1.0}, noise=0.3))
    assert found.verdict is ClaimVerdict.UNDECIDED


def test_the_cause_is_told_where_a_claim_does_not_hold() -> None:
    claim = RatioClaim(Measure.WALL, A, B, 3.0)
    gone = judged(claim, evidence({"x/a": 1.0, "x/b": 1.0}), cause="it was mended")
    assert gone.text == "it was mended"
    assert judged(claim, evidence({"x/a": 3.0, "x/b": 1.0}), cause="it was mended").text == ""


def test_a_busy_origin_is_told_where_little_of_a_claim_is_left() -> None:
    claim = RatioClaim(Measure.WALL, A, B, 3.0)
    held_up = evidence({"x/a": 1.5, "x/b": 1.0}, origin_share=0.9)
    found = judged(claim, held_up, cause="it was mended")
    assert found.verdict is ClaimVerdict.WEAKER
    said = r"the origin works for 90% and 90% of the time that both take; in the clients' CPU time "
    said += r"it is ×1\.(49|50|51) \(1\.(48|49|50)–1\.(50|51|52)\)"
    assert re.fullmatch(said + "; it was mended", found.text), found.text
    unsure = evidence({"x/a": 1.05, "x/b": 1.0}, noise=0.3, origin_share=0.9)
    assert judged(claim, unsure).verdict is ClaimVerdict.UNDECIDED
    assert judged(claim, unsure, cause="it was mended").text.startswith("the origin works for 90%")
    assert "mended" not in judged(claim, unsure, cause="it was mended").text
    assert judged(RatioClaim(Measure.CPU, A, B, 3.0), held_up).text == ""
    assert judged(claim, evidence({"x/a": 3.0, "x/b": 1.0}, origin_share=0.9)).text == ""


@pytest.mark.parametrize(
    ("measured", "verdict"),
    [(2.5, ClaimVerdict.HOLDS), (40.0, ClaimVerdict.HOLDS), (1.5, ClaimVerdict.GONE)],
)
def test_at_least(measured: float, verdict: ClaimVerdict) -> None:
    claim = RatioClaim(Measure.CPU, A, B, 2.0, at_least=True)
    assert judged(claim, evidence({"x/a": measured, "x/b": 1.0})).verdict is verdict


@pytest.mark.parametrize(
    ("measured", "verdict"),
    [(1.0, ClaimVerdict.HOLDS), (1.2, ClaimVerdict.GONE), (0.8, ClaimVerdict.GONE)],
)
def test_equal(measured: float, verdict: ClaimVerdict) -> None:
    claim = EqualClaim(Measure.CPU, A, B, 0.05)
    assert judged(claim, evidence({"x/a": measured, "x/b": 1.0})).verdict is verdict


def test_sides_of_different_workloads() -> None:
    claim = RatioClaim(Measure.WALL, ELSEWHERE, A, 2.0)
    found = judged(claim, evidence({"x/a": 1.0}, elsewhere={"x/a": 2.0}))
    assert found.verdict is ClaimVerdict.HOLDS
    assert found.measured is not None
    assert found.measured.point == pytest.approx(2.0, rel=0.02)


def test_an_order() -> None:
    claim = OrderClaim(Measure.CPU, (A, B, C))
    holds = judged(claim, evidence({"x/a": 1.0, "x/b": 1.5, "x/c": 2.0}))
    assert (holds.verdict, holds.published) == (ClaimVerdict.HOLDS, "x/a ≤ x/b ≤ x/c")
    gone = judged(claim, evidence({"x/a": 1.0, "x/b": 2.0, "x/c": 1.5}))
    assert (gone.verdict, gone.text) == (ClaimVerdict.GONE, "x/c is ahead of x/b")
    noisy = judged(claim, evidence({"x/a": 1.0, "x/b": 1.0, "x/c": 2.0}, noise=0.3))
    assert noisy.verdict is ClaimVerdict.UNDECIDED


@pytest.mark.parametrize(
    ("at_least", "at_most", "verdict"),
    [
        (2.0, 0.0, ClaimVerdict.HOLDS),
        (4.0, 0.0, ClaimVerdict.GONE),
        (0.0, 4.0, ClaimVerdict.HOLDS),
        (0.0, 2.0, ClaimVerdict.GONE),
    ],
)
def test_a_spread(at_least: float, at_most: float, verdict: ClaimVerdict) -> None:
    claim = SpreadClaim(Measure.CPU, (A, B, C, Side("x/absent", "w")), at_least, at_most)
    found = judged(claim, evidence({"x/a": 1.0, "x/b": 3.0, "x/c": 2.0}))
    assert (found.verdict, found.text) == (verdict, "x/b beside x/a")


@pytest.mark.parametrize(
    ("cost", "verdict"),
    [(1.2, ClaimVerdict.HOLDS), (0.2, ClaimVerdict.HOLDS), (3.0, ClaimVerdict.GONE)],
)
def test_a_ratio_at_the_most(cost: float, verdict: ClaimVerdict) -> None:
    claim = RatioClaim(Measure.CPU, B, A, 2.0, at_most=True)
    found = judged(claim, evidence({"x/a": 1.0, "x/b": cost}))
    assert (found.verdict, found.published) == (verdict, "at most ×2")


def test_what_nobody_can_measure_says_what_is_missing() -> None:
    found = judged(UnmeasurableClaim(Measure.WALL, "a network"), evidence({"x/a": 1.0}))
    assert (found.verdict, found.text) == (ClaimVerdict.UNMEASURED, "needs a network")


@pytest.mark.parametrize(("kb", "verdict"), [(1100, ClaimVerdict.HOLDS), (9000, ClaimVerdict.GONE)])
def test_memory(kb: int, verdict: ClaimVerdict) -> None:
    claim = SpreadClaim(Measure.MEMORY, (A, ELSEWHERE), at_most=1.3)
    assert judged(claim, evidence({"x/a": 1.0}, peaks_kb={"x/a other": kb})).verdict is verdict


@pytest.mark.parametrize(
    ("side", "why"),
    [
        (Side("x/absent", "w"), "x/absent: is not installed"),
        (Side("x/stranger", "w"), "x/stranger: took no part"),
        (Side("x/b", "w"), "x/b on w: does not answer"),
        (Side("x/a", "unknown"), "unknown was not measured"),
    ],
)
def test_what_cannot_be_measured(side: Side, why: str) -> None:
    found = evidence({"x/a": 1.0, "x/b": math.nan})
    judgement = judged(RatioClaim(Measure.CPU, side, A, 2.0), found)
    assert (judgement.verdict, judgement.measured) == (ClaimVerdict.UNMEASURED, None)
    assert judgement.text == why


def test_too_few_rounds() -> None:
    found = judged(RatioClaim(Measure.CPU, A, B, 2.0), evidence({"x/a": 2.0, "x/b": 1.0}, rounds=2))
    assert found.verdict is ClaimVerdict.UNMEASURED
    assert found.text == "only 2 rounds have both x/a and x/b; 3 are needed"
    assert found.published == "×2"


def test_a_spread_without_two_sides_says_what_is_missing() -> None:
    claim = SpreadClaim(Measure.CPU, (A, B, Side("x/absent", "w")), at_least=2.0)
    found = judged(claim, evidence({"x/a": 1.0, "x/b": math.nan}))
    assert found.verdict is ClaimVerdict.UNMEASURED
    assert found.text == "x/b on w: does not answer; x/absent: is not installed"
    assert found.published == "at least ×2"


def test_many_reasons_are_not_all_told() -> None:
    sides = tuple(Side(f"x/{name}", "w") for name in "abcd")
    short = evidence({side.client: 1.0 for side in sides}, rounds=2)
    found = judged(SpreadClaim(Measure.CPU, sides, at_least=2.0), short)
    assert found.text == (
        "only 2 rounds have x/a; 3 are needed; only 2 rounds have x/b; 3 are needed; "
        "and 2 others likewise"
    )


def test_sides_that_cost_the_same_are_two_all_the_same() -> None:
    claim = SpreadClaim(Measure.MEMORY, (A, ELSEWHERE), at_most=1.3)
    found = judged(claim, evidence({"x/a": 1.0}))
    assert found.text == "x/a on other beside x/a on w"


def _sides(statement: Statement) -> tuple[Side, ...]:
    match statement:
        case RatioClaim() | EqualClaim():
            return (statement.of, statement.to)
        case OrderClaim() | SpreadClaim():
            return statement.sides
        case UnmeasurableClaim():
            return ()


@pytest.mark.parametrize("name", catalog.articles())
def test_shipped_claims_are_about_clients_and_workloads_of_their_suite(name: str) -> None:
    article, suite = catalog.article(name), workloads.suite(name)
    sides = {side for claim in article.claims for side in _sides(claim.statement)}
    assert {side.workload for side in sides} <= set(suite.workloads)
    assert {side.client for side in sides} <= set(suite.clients)
    tables = {c.side for table in article.tables for row in table.rows for c in row.cells}
    assert {side.workload for side in tables} <= set(suite.workloads)
    assert {side.client for side in tables} <= set(suite.clients)
    assert article.per_implementation in ("", *suite.workloads)
    for client in suite.clients:
        assert named(client) is not None, client
