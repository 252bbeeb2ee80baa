"""Which clients are explained for the claims of an article, and what becomes of it."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from tests.unit.analysis.raced import COURSE, Raced
from tests.unit.report import reproduced

from fetchoff.app import explaining, results
from fetchoff.app.choose import chosen
from fetchoff.app.explain import Asked, Explained
from fetchoff.catalog import claims
from fetchoff.diagnosis.rule import Evidence
from fetchoff.model.cause import Cause, Diagnosis
from fetchoff.model.claim import Claim, ClaimVerdict, FindingClaim, Side
from fetchoff.model.client import Client, Readiness
from fetchoff.model.course import Course
from fetchoff.model.errors import AdapterError, UnknownName
from fetchoff.model.loopback import Loopback
from fetchoff.model.workload import Placement
from fetchoff.store.run_folder import RunFolder

CURL, OTHER = "rust/curl+multi@7.86.0", "rust/curl+multi@8.22.0"


def client(name: str, readiness: Readiness = Readiness.READY) -> Client:
    return Client(chosen([name])[0], readiness)


def explained(client: Client, course: Course, *_: object) -> Explained:
    """A recording that shows one fault of every client but one, which breaks down."""
    if client.id == OTHER:
        raise AdapterError("has crashed")
    causes = (Cause("pauses", 1, 2, 100.0),)
    evidence = Evidence.__new__(Evidence)
    return Explained(Diagnosis(client.id, course.id, 100.0, 1.0, 1.0, causes), evidence)


def test_claims_about_faults_are_decided_by_what_is_explained_after_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even on a workload that was not measured; who is not ready or crashes stays unexplained."""
    monkeypatch.setattr(explaining, "explain", explained)
    monkeypatch.setattr(explaining, "part_of", lambda *_: ())
    sides = [Side(CURL, "small-post"), Side(OTHER, "small-post"), Side("go/fasthttp", "small-post")]
    stated = [FindingClaim(sides[0], "pauses"), FindingClaim(sides[0], "pauses", is_absent=True)]
    stated += [FindingClaim(side, "pauses") for side in sides[1:]]
    article = claims.article("curl-2023")
    article = replace(article, claims=tuple(Claim("id", "text", each) for each in stated))
    monkeypatch.setattr(claims, "article", lambda _: article)
    folder = reproduced.run(tmp_path, "curl-2023")
    ready = [client(CURL), client(OTHER), client("go/fasthttp", Readiness.NOT_SET_UP)]
    said: list[str] = []
    explaining.explain_claimed(folder, article, ready, said.append)
    reproduction = results.analysis_of(folder).reproduction
    assert reproduction is not None
    assert [judgement.verdict for judgement in reproduction.judgements] == [
        ClaimVerdict.HOLDS,
        ClaimVerdict.GONE,
        ClaimVerdict.UNMEASURED,
        ClaimVerdict.UNMEASURED,
    ]
    assert said == [f"{OTHER} cannot be explained on small-post: has crashed"]


@pytest.mark.parametrize("origin_us", [100.0, math.nan])  # NaN: nobody knows it
def test_who_waits_is_explained_beside_the_slowest(origin_us: float) -> None:
    costs = {"a/slowest": 0.9, "a/slower": 0.8, "a/waiting": 0.0, "a/working": 0.1}
    raced = Raced(
        {name: [7.0 + cost + 0.01 * (n % 2) for n in range(7)] for name, cost in costs.items()},
        waits={"a/waiting": 2.1},
    )
    analysis = raced.analysis()
    (result,) = analysis.results
    standings = tuple(
        replace(row, costs=replace(row.costs, origin_cpu_us=origin_us)) if row.costs else row
        for row in result.standings
    )
    analysis = replace(analysis, results=(replace(result, standings=standings),))
    clients = {name: client(CURL) for name in costs}
    found = list(explaining.chosen(analysis, {COURSE.id: COURSE}, clients))
    assert len(found) == 3


@pytest.mark.parametrize("placement", [None, Placement.FREE])
@pytest.mark.parametrize("loopback", Loopback)
def test_who_is_explained_after_a_run_is_recorded_as_it_was_measured(
    placement: Placement | None,
    loopback: Loopback,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[Asked] = []

    def explain(client: Client, course: Course, how: Asked, *_: object) -> Explained:
        asked.append(how)
        return explained(client, course)

    monkeypatch.setattr(explaining, "explain", explain)
    monkeypatch.setattr(explaining, "part_of", lambda *_: ())
    raced = Raced({name: [7.0 + 0.01 * n for n in range(7)] for name in (CURL, "c/other")})
    analysis = raced.analysis()
    experiment = replace(raced.experiment, placement=placement, loopback=loopback)
    folder = cast(
        "RunFolder",
        SimpleNamespace(path=tmp_path, header=SimpleNamespace(experiment=experiment)),
    )
    found = explaining.explain_ranked(folder, analysis, [client(CURL)], lambda _: None)
    assert [each.diagnosis.client for each in found.explanations] == [CURL]
    assert [(how.placement, how.loopback) for how in asked] == [(placement, loopback)]


def test_a_fault_that_no_rule_finds_is_an_error_and_not_absent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(explaining, "explain", explained)
    misspelt = FindingClaim(Side(CURL, "small-post"), "pause", is_absent=True)
    article = claims.article("curl-2023")
    article = replace(article, claims=(Claim("id", "text", misspelt),))
    folder = reproduced.run(tmp_path, "curl-2023")
    with pytest.raises(UnknownName, match="unknown fault 'pause'") as error:
        explaining.explain_claimed(folder, article, [client(CURL)], lambda _: None)
    assert "pauses" in error.value.hint
