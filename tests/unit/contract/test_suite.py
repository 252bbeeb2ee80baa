"""What the contract suite does beside judging: how often it runs, and when it tries again."""

from __future__ import annotations

import http.client
import json
import re
import sys
from dataclasses import replace
from http import HTTPStatus

import pytest
from tests.command import FAKES

from fetchoff.catalog.paths import shipped
from fetchoff.contract import suite
from fetchoff.contract.case import Case, CaseEvidence, CaseVerdict, Judge, Result
from fetchoff.contract.cases import all_cases
from fetchoff.contract.elsewhere import address
from fetchoff.model.client import Fault, Launch
from fetchoff.model.errors import KEPT, OriginError
from fetchoff.model.workload import Protocol, required_features
from fetchoff.run.recording.unkept import AGAIN

HONEST = Launch((sys.executable, "-S", str(FAKES / "_kit" / "fake.py")), {"FAKE": "honest"})
KNOWN = CaseVerdict.KNOWN_FAULT
FAULT = "its process used too little"
BUSY = next(case for case in all_cases() if case.busy_ns)
THRICE = next(case for case in all_cases() if case.thrice)
CALM = next(case for case in all_cases() if not case.busy_ns)


class Judging:
    """A judge that finds a fault so many times, and then none."""

    def __init__(self, faults: int) -> None:
        self.faults = faults
        self.asked = 0

    def __call__(self, evidence: CaseEvidence) -> str:
        self.asked += 1
        return FAULT if self.asked <= self.faults else ""


def result_of(case: Case, judge: Judge, monkeypatch: pytest.MonkeyPatch) -> Result:
    """Of that case alone, by that judge."""
    monkeypatch.setattr(suite, "all_cases", lambda: [replace(case, judge=judge)])
    with suite.opened("fake/honest", HONEST) as opened:
        (result,) = (one for one in opened.results(case.name) if one.case == case.name)
        return result


@pytest.mark.parametrize(("faults", "text"), [(0, ""), (1, FAULT), (suite.BUSY_TRIES - 1, FAULT)])
def test_busy_time_is_tried_again_and_the_result_says_so(
    faults: int, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge = Judging(faults)
    assert result_of(BUSY, judge, monkeypatch) == Result(BUSY.name, CaseVerdict.PASSED, text)
    assert judge.asked == faults + 1


@pytest.mark.parametrize(("case", "tries"), [(BUSY, suite.BUSY_TRIES), (CALM, 1)])
def test_what_goes_on_failing_fails(
    case: Case, tries: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge = Judging(tries)
    assert result_of(case, judge, monkeypatch) == Result(case.name, CaseVerdict.FAILED, FAULT)
    assert judge.asked == tries


def fake(name: str) -> Launch:
    return replace(HONEST, env={"FAKE": name})


@pytest.mark.parametrize(
    ("name", "case", "breaks", "verdict", "words"),
    [
        ("lenient", "truncated-chunked", False, KNOWN, "as ever (seen: 1 done and 0 failed"),
        ("short-lived", "fifty", True, KNOWN, "as ever (seen: fake/short-lived: ended with"),
        ("short-lived", "fifty", False, CaseVerdict.FAILED, "fake/short-lived: ended with exit"),
        ("fainting", "prepared-again", False, CaseVerdict.FAILED, "fake/fainting: ended with exit"),
    ],
)
def test_a_fault_that_is_known_hides_no_other(
    name: str, case: str, verdict: CaseVerdict, words: str, *, breaks: bool
) -> None:
    """What was seen is told, and whoever ends or hangs has the fault only if it is said to."""
    faults = {case: Fault("as ever", breaks=breaks)}
    with suite.opened(f"fake/{name}", fake(name), faults) as opened:
        (result,) = (one for one in opened.results(case) if one.case == case)
    assert result.verdict is verdict
    assert result.text.startswith(words)
    assert "as ever" in result.text


@pytest.mark.parametrize("case", [suite.AGAIN, suite.END])
def test_what_is_asked_between_the_cases_must_be_done(case: str) -> None:
    """Whoever fetches nothing keeps no connection, and has nothing to end."""
    with suite.opened("fake/failing", fake("failing")) as opened:
        (result,) = (one for one in opened.results(case) if one.case == case)
    assert result.verdict is CaseVerdict.FAILED
    assert result.text.startswith("a GET over http/1.1 fails: OSError")


def test_what_is_run_thrice_is_judged_by_all_counts_and_by_the_digests_between(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    judged: list[CaseEvidence] = []

    def judge(evidence: CaseEvidence) -> str:
        judged.append(evidence)
        return ""

    result_of(THRICE, judge, monkeypatch)
    (evidence,) = judged
    assert (evidence.answer.done, evidence.seen.requests) == (3, 3)
    assert evidence.answer.sha256 == evidence.right_sha256 != ()
    assert evidence.answer.bytes % 3 == 0 < evidence.answer.bytes


@pytest.mark.parametrize(
    ("name", "value", "status"),
    [
        ("Accept", "*/*", HTTPStatus.OK),
        ("If-Modified-Since", "Sun, 01 Nov 2026 00:00:00 GMT", HTTPStatus.PRECONDITION_FAILED),
        ("If-None-Match", '"unchanged"', HTTPStatus.PRECONDITION_FAILED),
    ],
)
def test_where_dates_are_told_nobody_is_told_that_nothing_changed(
    name: str, value: str, status: HTTPStatus
) -> None:
    with address("dated", "") as url:
        connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=10)
        connection.request("GET", "/", headers={name: value})
        answer = connection.getresponse()
        assert (answer.status, len(answer.read())) == (status, 16)
        assert answer.headers["Last-Modified"]
        assert answer.headers["ETag"]
        connection.close()


def test_the_features_of_the_cases_are_those_of_the_document() -> None:
    """Whoever declares another is told that it is not one of them."""
    text = (shipped("docs") / "protocol.md").read_text(encoding="utf-8")
    section = text.split("## Features\n")[1]
    rows = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")]
    documented = {name for row in rows for name in re.findall(r"`([^`]+)`", row)}
    tested = {
        name for case in all_cases() for name in (*required_features(case.workload), *case.features)
    }
    assert documented == tested | {f"{suite.ANY_OPTION}NAME"}
    schema = json.loads((shipped("docs") / "protocol.schema.json").read_text(encoding="utf-8"))
    assert schema["$defs"]["settings"]["properties"]["protocol"]["enum"] == list(Protocol)


def test_a_failure_is_tried_with_a_stream_too() -> None:
    cases = {case.name: case for case in all_cases()}
    buffered = {name for name in cases if name.startswith("timeout-") or name == "refused"}
    buffered -= {name for name in buffered if name.endswith("-streamed")}
    assert len(buffered) == 5
    for name in buffered:
        assert "sink.discard" in required_features(cases[f"{name}-streamed"].workload)


def test_where_the_origin_is_lost_there_is_no_run_to_resume() -> None:
    with pytest.raises(OriginError, match="went away") as lost, suite.opened("a/x", HONEST):
        raise OriginError("the origin went away", KEPT)
    assert lost.value.hint == AGAIN
