"""The tally of the contract: what failed once and passed then is counted as such, and shown."""

from __future__ import annotations

from collections.abc import Callable

import execnet
import pytest
from tests.contract.tally import Tally, tried_again

from fetchoff.contract.case import CaseVerdict, Result

GET, BUSY, TLS = (Result(name, CaseVerdict.PASSED) for name in ("get", "busy", "tls"))
GET_FAILED = Result("get", CaseVerdict.FAILED, "the content is not the right one")
UNSUPPORTED = Result("proxy", CaseVerdict.UNSUPPORTED, "proxy")
BUSY_LATER = Result("busy", CaseVerdict.PASSED, "its process used no CPU time")


def of(*results: Result) -> Callable[[str], list[Result]]:
    """A second try that comes to these results, as far as their names contain what is asked."""
    return lambda only: [one for one in results if only in one.case]


def told(tally: Tally) -> list[str]:
    return list(tally.lines())


def test_what_passes_when_tried_again_is_counted_and_shown() -> None:
    tally = Tally()
    tally.count("a/b", tried_again([GET_FAILED, TLS, UNSUPPORTED], of(GET)))
    assert told(tally) == [
        "contract: 2 passed, 1 unsupported; 1 of them only when tried again",
        "unsteady: a/b get: the content is not the right one",
    ]


def test_what_fails_twice_has_failed() -> None:
    tally = Tally()
    tally.count("a/b", tried_again([GET_FAILED, TLS], of(GET_FAILED)))
    assert told(tally) == ["contract: 1 failed, 1 passed; 0 of them only when tried again"]


def test_a_second_try_without_the_case_is_no_pass() -> None:
    """Where the adapter does not even say hello again, nothing else is tried."""
    pairs = list(tried_again([GET_FAILED], of(Result("hello", CaseVerdict.FAILED, "is silent"))))
    assert pairs == [(GET_FAILED, GET_FAILED)]


@pytest.mark.parametrize("case", ["hello", "the other cases"])
def test_all_is_tried_again_where_not_all_was_tried(case: str) -> None:
    first = [Result(case, CaseVerdict.FAILED, "broken"), TLS]
    pairs = list(tried_again(first, of(GET, BUSY, TLS)))
    assert pairs == [(GET, GET), (BUSY, BUSY), (TLS, TLS)]


def test_what_the_suite_itself_tried_again_is_shown_as_well() -> None:
    tally = Tally()
    tally.count("a/b", tried_again([BUSY_LATER], of()))
    assert told(tally) == [
        "contract: 1 passed; 1 of them only when tried again",
        "unsteady: a/b busy: its process used no CPU time",
    ]


def test_tallies_of_several_processes_are_one() -> None:
    ours, theirs = Tally(), Tally()
    ours.count("a/b", [(GET, GET)])
    theirs.count("a/c", [(GET_FAILED, GET)])
    ours.add(theirs.to_send())
    assert told(ours)[0] == "contract: 2 passed; 1 of them only when tried again"
    assert told(ours)[1].startswith("unsteady: a/c get:")
    assert told(Tally()) == []


def test_a_worker_of_xdist_can_send_its_tally() -> None:
    """execnet takes plain types alone: a member of a StrEnum is not one."""
    tally = Tally()
    tally.count("a/b", tried_again([GET_FAILED, TLS, UNSUPPORTED], of(GET)))
    assert execnet.loads(execnet.dumps(tally.to_send())) == tally.to_send()
