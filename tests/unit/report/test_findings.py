"""Findings in words: every kind has its sentence, and what is the same of several is one."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, get_args

import pytest
from tests.unit.report import factory

from fetchoff.model.check import CheckKind, CheckOutcome, SelfCheck
from fetchoff.model.estimate import LimitAnswer, Verdict
from fetchoff.model.finding import (
    Advice,
    AllHeldBack,
    AnsweredWrong,
    BatchesExcluded,
    CheckFailed,
    ChecksUnclear,
    ClientEvidence,
    Clock,
    ClocksApart,
    ContentInMemory,
    Evidence,
    FewRounds,
    Finding,
    FurtherThreads,
    Holdup,
    InBatches,
    Kind,
    Limit,
    LinkAtFault,
    ModesMissed,
    NothingCounts,
    NotMeasured,
    OrderDiffers,
    OriginBound,
    OtherBaseline,
    PageFaults,
    PlacementAsked,
    Pool,
    ProbesApart,
    ProcessesUnlike,
    RarelyDear,
    RatioDiffers,
    RoundsExcluded,
    RoundsFailed,
    Throttled,
    TiersUnproven,
    TurnsDisturbed,
    TwoModes,
    Unsteady,
    WarmUpCutOff,
    Whose,
    Window,
    WorkMoved,
)
from fetchoff.model.workload import Placement
from fetchoff.report.files import json_results
from fetchoff.report.wording import findings, of_clients

DOCS = Path(__file__).parents[3] / "docs"
CHECK = SelfCheck(
    *(CheckKind.BUSY, "all", "", "small-get", "cpu", "ratio", 1.0, None, CheckOutcome.FAILED),
    tolerance=0.15,
    count=9,
)
SENTENCES: tuple[tuple[Evidence, str], ...] = (
    (
        Unsteady(4000, 2, 7),
        "still getting cheaper after 4,000 exchanges in 2 of 7 rounds: what is shown may be above "
        "its steady state",
    ),
    (
        WarmUpCutOff(120, 2, 7),
        "its warm-up was cut off after 120 exchanges in 2 of 7 rounds, before its steady state "
        "could be tested: what is shown may be above it",
    ),
    (OriginBound(0.52), "the origin takes 52 % of the wall time: it is the bottleneck"),
    (
        WorkMoved(Verdict.FASTER, Verdict.SLOWER),
        "faster than the baseline in its own CPU time, but slower with the origin's: it moves work "
        "to the server",
    ),
    (ClocksApart(0.118), "its own clock is 12 % off the harness's"),
    (
        ClocksApart(0.118, withheld=True),
        "its own clock is 12 % off the harness's, and the difference to the baseline is less: no "
        "verdict in wall time",
    ),
    (
        ClocksApart(0.271, of_baseline=True, withheld=True),
        "the baseline's own clock is 27 % off the harness's, and the difference to the baseline is "
        "less: no verdict in wall time",
    ),
    (
        InBatches(48),
        "it can't take turns here, so it was measured in 48 batches, after the turns of the "
        "others: its figures contain what a batch costs by itself",
    ),
    (
        InBatches(48, 0.072),
        "it can't take turns here, so it was measured in 48 batches, after the turns of the "
        "others: its figures contain what a batch costs by itself, and moments in which something "
        "else slowed the core: with those, the others would cost 7 % more",
    ),
    (
        RarelyDear(0.071),
        "it costs 7 % more on average than in an ordinary batch: some batches are much dearer "
        "(collections, compiling, stops); the mean is what is ranked",
    ),
    (
        ProcessesUnlike(0.042),
        "its processes differ so much that they cost 4 % more on average than their geometric "
        "mean, which is what is shown",
    ),
    (
        TwoModes(Clock.CPU, 0.8, 12.04, 0.2, 15.6, 20),
        "its processes fall into two modes: 80 % take 12.0 µs, 20 % take 15.6 µs of CPU time an "
        "exchange (of 20 processes)",
    ),
    (
        TwoModes(Clock.WALL, 0.75, 120.4, 0.25, 151.6, 8),
        "its processes fall into two modes: 75 % take 120 µs, 25 % take 152 µs of wall time an "
        "exchange (of 8 processes)",
    ),
    (
        Window(65_000.0, 5.77, 57.1),
        "held back as if by a window of about 65 kB: 5.8 Mbit/s, where 57.1 were carried",
    ),
    (
        Pool(2.1, 6, Holdup.POOL_OR_QUEUE),
        "about 2.1 of 6 were in flight: its pool or its queue holds it back",
    ),
    (
        Pool(48.0, 100, Holdup.QUEUE, 1.0),
        "about 48.0 of 100 were in flight: its queue holds it back",
    ),
    (
        Pool(48.0, 100, Holdup.QUEUE_OR_NAGLE, 3.2),
        "about 48.0 of 100 were in flight: its queue holds it back, or Nagle's algorithm the later "
        "ones of its 3 segments",
    ),
    (
        Pool(48.0, 100, Holdup.INITIAL_WINDOW, 12.8),
        "about 48.0 of 100 were in flight: requests in 13 segments, more than the 10 packets that "
        "TCP begins with",
    ),
    (
        FurtherThreads(0.31, placed_freely=False),
        "31 % of its CPU time is in further threads, which share one core here",
    ),
    (
        FurtherThreads(0.31, placed_freely=True),
        "31 % of its CPU time is in further threads, free to run on other cores",
    ),
    (
        PageFaults(73.6),
        "74 page faults an exchange, probably because its allocator gives memory back to the "
        "system; in a program that holds more, there may be none",
    ),
    (
        FewRounds(3, 8),
        "took part in 3 of 8 rounds, because it warms up for seconds; so few cannot tell much",
    ),
    (
        FewRounds(3, 8, 1),
        "took part in 3 of 8 rounds, because it warms up for seconds, and 1 of these does not "
        "count; so few cannot tell much",
    ),
    (RoundsFailed(1, 7, "no answer within 30 s"), "in 1 of 7 rounds: no answer within 30 s"),
    (
        RoundsFailed(2, 7, "no answer within 30 s", given_up=True),
        "in 2 of 7 rounds, so it was not tried again: no answer within 30 s",
    ),
    (
        RoundsFailed(1, 7, "no answer within 30 s", Whose.CONTROLS),
        "in 1 of 7 rounds, in a further process of it: no answer within 30 s",
    ),
    (
        RoundsFailed(2, 2, "no answer within 30 s", Whose.BOTH, given_up=True),
        "in 2 of 2 rounds, also in a further process of it, so it was not tried again: no answer "
        "within 30 s",
    ),
    (AnsweredWrong((6,), "other content"), "in round 7: other content"),
    (AnsweredWrong((2, 5), "other content"), "in rounds 3, 6: other content"),
    (NotMeasured("unsupported: body.form"), "unsupported: body.form"),
    (NotMeasured(), "was not measured"),
    (NotMeasured(disturbed=True), "something else slowed the core in all turns"),
    (
        NotMeasured(reasons=("packets left the link late",)),
        "none of its batches counts: packets left the link late",
    ),
    (
        Limit(0.03, LimitAnswer.WITHIN, LimitAnswer.UNCLEAR),
        "at most 3 % more time was allowed: shown in wall time; cannot tell in CPU time",
    ),
    (
        Limit(0.025, None, LimitAnswer.BEYOND),
        "at most 2.5 % more time was allowed: exceeded in CPU time",
    ),
    (PlacementAsked(Placement.FREE), "placement asked for: free"),
    (
        RoundsExcluded(4, 7, ("it was late", "it lost packets", "it stopped", "it died")),
        "4 of 7 rounds do not count: it was late; it lost packets; and 2 more",
    ),
    (BatchesExcluded(3, 280, ("late",)), "3 of 280 batches do not count: late"),
    (
        AllHeldBack(65_000.0, 130_000.0),
        "no client carries half of what TCP could reach here: about 65 to 130 kB are in flight in "
        "a round trip. Whether windows of the clients or of the origin hold them back, nobody in "
        "this run can show",
    ),
    (
        TiersUnproven(3, 12),
        "3 of the 12 pairs of clients in neighbouring tiers were not shown to differ from each "
        "other",
    ),
    (
        ModesMissed(1, 20, 5, 0.0115),
        "the processes of 1 client fall into modes: a mode that 1 process in 5 has stays unseen in "
        "1 % of runs with 20 rounds",
    ),
    (
        OrderDiffers("get-apart", Placement.SEPARATE_CORES, Clock.WALL, "a/x", "a/y", 1),
        "the order depends on the placement: `a/x` takes less wall time than `a/y` here and more "
        "with separate-cores (get-apart)",
    ),
    (
        OrderDiffers("get-apart", Placement.SEPARATE_CORES, Clock.CPU, "a/x", "a/y", 3),
        "the order depends on the placement: `a/x` takes less CPU time than `a/y` here and more "
        "with separate-cores (get-apart), and 2 more pairs",
    ),
    (
        RatioDiffers("get+free", Placement.FREE, Clock.CPU, "a/x", 0.061, 0.178, 2),
        "ratios depend on the placement: `a/x` takes ×0.061 the baseline's CPU time here and "
        "×0.178 with free (get+free), and 1 more client",
    ),
    (
        OtherBaseline("a/x", "a/y"),
        "`a/x` has fewer than 3 rounds that count: relative to `a/y` instead",
    ),
    (ChecksUnclear(4, 10), "4 of 10 self-checks could not tell"),
    (
        ChecksUnclear(4, 10, (CheckKind.SAME, CheckKind.BUSY)),
        "4 of 10 self-checks could not tell (not tested: a/a, busy time)",
    ),
    (
        TurnsDisturbed(310, 500, rounds=2),
        "62 % of the turns do not count: something else slowed the core, in 2 rounds throughout",
    ),
    (
        TurnsDisturbed(31, 500),
        "6 % of the turns do not count: something else slowed the core",
    ),
    (
        TurnsDisturbed(10, 5000),
        "less than 1 % of the turns do not count: something else slowed the core",
    ),
    (
        ProbesApart(("c/x", "c/y"), (1.39, 0.9)),
        "what probes of the core's speed take seems to depend on the client, relative to quick "
        "ones: `c/x` ×1.39; `c/y` ×0.90. So turns in which something else slowed the core can't be "
        "told, and all turns count",
    ),
    (
        ContentInMemory(335_114),
        "335 kB of content are kept in memory, so a figure also depends on what else the program "
        "has there: when tried, up to three of twelve clients cost 18 to 48 % more than in plain "
        "loops",
    ),
    (
        Throttled(12, 1.36, 3, 5),
        "a CPU quota stopped processes in 12 periods, for 1,360 ms in all, in 3 of 5 rounds, and "
        "wall time contains that",
    ),
    (
        LinkAtFault("london", ("80 Mbit/s go down instead of 100", "3 packets were lost")),
        "the link london is not what was asked for: 80 Mbit/s go down instead of 100; 3 packets "
        "were lost",
    ),
    (NothingCounts("london", ("it was late",)), "no round over london counts: it was late"),
    (
        CheckFailed(CHECK, 0),
        "self-check failed: time spun inside a client must be seen (cpu; 9 processes asked): it "
        "does not hold",
    ),
    (
        CheckFailed(replace(CHECK, client="a/x"), 2),
        "self-check failed: time spun inside a client must be seen (cpu; 9 processes asked): a/x "
        "does not show what it spun, and 2 more",
    ),
)
OF_CLIENTS = tuple(e for e, _ in SENTENCES if isinstance(e, ClientEvidence))


def of(evidence: Evidence, *clients: str, advice: Advice | None = None) -> Finding:
    return Finding(evidence, clients, advice)


@pytest.mark.parametrize(("evidence", "said"), SENTENCES)
def test_each_kind_has_its_sentence(evidence: Evidence, said: str) -> None:
    assert findings.reason(of(evidence)) == said


def test_what_was_found_when_content_in_memory_was_tried_is_what_the_readme_says() -> None:
    told = findings.reason(of(ContentInMemory(335_114))).partition("when tried, ")[2]
    readme = " ".join((DOCS.parent / "README.md").read_text("utf-8").split())
    assert told and told in readme


def test_no_kind_was_forgotten() -> None:
    assert {evidence.kind for evidence, _ in SENTENCES} == set(Kind)
    assert of_clients.known() == set(get_args(ClientEvidence))
    assert set(Holdup) == {e.holdup for e in OF_CLIENTS if isinstance(e, Pool)}
    assert set(findings.ADVICE) == set(Advice)


def test_a_kind_is_one_type_of_evidence() -> None:
    assert Counter(evidence.kind for evidence in get_args(Evidence)) == Counter(Kind)


@pytest.mark.parametrize("evidence", OF_CLIENTS)
def test_the_same_of_two_clients_is_one_sentence_about_both(evidence: ClientEvidence) -> None:
    (said,) = findings.remarks([of(evidence, "a/x"), of(evidence, "a/y")])
    assert said.startswith("`a/x` and `a/y`: ")
    assert not re.search(r"\b(its|it (costs|moves|back))\b", said)
    assert not re.search(r"\d to \d", said)


def test_numbers_that_differ_become_their_range() -> None:
    shared = Advice.FREE_PLACEMENT
    threads = [
        of(FurtherThreads(share, placed_freely=False), f"a/{name}", advice=shared)
        for name, share in (("x", 0.24), ("y", 0.18), ("z", 0.2))
    ]
    assert findings.remarks(threads) == (
        "`a/x`, `a/y` and `a/z`: 18 to 24 % of their CPU time is in further threads, which share "
        "one core here: '--placement free', or '+free' after a workload's name, tells more",
    )


def test_thousands_are_one_number() -> None:
    (said,) = findings.remarks([of(Unsteady(11_500, 1, 7), "a/x"), of(Unsteady(4000, 3, 7), "a/y")])
    assert "after 4,000 to 11,500 exchanges in 1 to 3 of 7 rounds" in said


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (of(NotMeasured("it crashed"), "a/x"), of(NotMeasured("it hung"), "a/y")),
        (of(OriginBound(0.6), "a/x"), of(ClocksApart(0.6), "a/y")),
        (
            of(FurtherThreads(0.2, placed_freely=True), "a/x"),
            of(FurtherThreads(0.2, placed_freely=False), "a/y"),
        ),
        (of(Pool(2.0, 6, Holdup.QUEUE), "a/x"), of(Pool(2.0, 6, Holdup.POOL_OR_QUEUE), "a/y")),
        (of(OriginBound(0.6), "a/x"), of(OriginBound(0.6), "a/y", advice=Advice.MORE_ROUNDS)),
    ],
)
def test_what_differs_in_more_than_numbers_is_told_apart(one: Finding, other: Finding) -> None:
    assert len(findings.remarks([one, other])) == 2


def test_a_sentence_stands_where_the_first_of_its_clients_did() -> None:
    found = [
        of(OriginBound(0.6), "a/x"),
        of(ClocksApart(0.2), "a/x"),
        of(TiersUnproven(1, 3)),
        of(OriginBound(0.7), "a/y"),
    ]
    bound, apart, tiers = findings.remarks(found)
    assert bound.startswith("`a/x` and `a/y`: the origin takes 60 to 70 %")
    assert apart.startswith("`a/x`: its own clock")
    assert tiers.startswith("1 of the 3 pairs")


def test_many_clients_are_not_all_named() -> None:
    many = [of(OriginBound(0.6), f"a/{name}") for name in "abcdefg"]
    (said,) = findings.remarks(many)
    assert said.startswith("`a/a`, `a/b`, `a/c`, `a/d`, `a/e` and 2 more: the origin")


def test_advice_follows_a_note_and_stands_apart_from_a_withheld_ranking() -> None:
    unclear = of(ChecksUnclear(4, 10), advice=Advice.MORE_ROUNDS)
    said = "4 of 10 self-checks could not tell: more rounds or a quieter machine would"
    assert findings.remarks([unclear]) == (said,)
    fault = of(LinkAtFault("far", ("it is slow",)), advice=Advice.SLOWER_LINK)
    assert findings.withheld(fault) == (
        "the link far is not what was asked for: it is slow. Stop other work, or choose a slower "
        "link, and run again"
    )
    assert findings.withheld(None) == ""


@pytest.fixture(scope="module")
def schema() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((DOCS / "results.schema.json").read_text("utf-8"))
    return loaded


def test_results_json_has_findings_beside_their_sentences() -> None:
    document = json.loads(json_results.text(factory.analysis()))
    withheld = document["results"][1]
    failed, unclear = withheld["findings"]
    assert failed["kind"] == "check-failed"
    assert failed["evidence"]["check"]["client"] == "go/net-http"
    assert withheld["withheld"].startswith("self-check failed: ")
    assert unclear == {
        "kind": "checks-unclear",
        "subject": [],
        "evidence": {"checks": 2, "of_checks": 17, "not_tested": []},
        "advice": "larger-budget",
    }
    assert withheld["notes"] == [
        findings.note(of(ChecksUnclear(2, 17), advice=Advice.LARGER_BUDGET))
    ]
    rows = {row["client"]: row for row in withheld["standings"]}
    assert rows["c/libcurl"]["findings"] == [
        {
            "kind": "origin-bound",
            "subject": ["c/libcurl"],
            "evidence": {"origin_share": 0.52},
            "advice": None,
        }
    ]
    assert rows["c/libcurl"]["notes"] == [findings.note(of(OriginBound(0.52)))]
    assert rows["c/libcurl"]["message"] == ""
    assert rows["perl/hijk"]["message"] == "unsupported: body.form"
    assert [found["kind"] for found in rows["perl/hijk"]["findings"]] == ["not-measured"]
    assert rows["perl/hijk"]["notes"] == []


def test_notes_of_results_json_have_no_markup() -> None:
    result = replace(factory.result("small-get"), findings=(of(OtherBaseline("a/x", "a/y")),))
    document = json_results.document(replace(factory.analysis(), results=(result,)))
    (first,) = json.loads(json.dumps(document))["results"]
    assert first["notes"] == ["a/x has fewer than 3 rounds that count: relative to a/y instead"]


def test_what_is_no_number_is_null() -> None:
    bound = of(OriginBound(math.nan), "a/x")
    result = replace(factory.result("small-get"), findings=(bound,))
    document = json.loads(json_results.text(replace(factory.analysis(), results=(result,))))
    assert document["results"][0]["findings"][0]["evidence"] == {"origin_share": None}


def test_the_schema_knows_every_kind_and_every_advice(schema: dict[str, Any]) -> None:
    known = schema["$defs"]["findings"]["items"]["properties"]
    assert known["kind"]["enum"] == [kind.value for kind in Kind]
    assert known["advice"]["enum"] == [None, *(advice.value for advice in Advice)]
    assert schema["$defs"]["check"]["properties"]["kind"]["enum"] == [k.value for k in CheckKind]


def test_every_kind_is_documented_with_its_evidence() -> None:
    text = (DOCS / "results.md").read_text("utf-8")
    rows = re.findall(r"^\| `([a-z-]+)` \|.*\| ((?:`\w+`(?:, )?)+) \|$", text, re.MULTILINE)
    told = {kind: tuple(re.findall(r"\w+", evidence)) for kind, evidence in rows}
    assert told == {e.kind.value: tuple(f.name for f in fields(e)) for e in get_args(Evidence)}
