"""What is fetched before anything is measured, and what is refused then."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from fetchoff.model.errors import InputError
from fetchoff.model.workload import Exchange, Expect, JsonBody, Workload
from fetchoff.protocol.content import content
from fetchoff.run.origins.built_in import BuiltInOrigin
from fetchoff.run.origins.reference import do_before, fetch


@pytest.fixture
def base_url(tmp_path: Path) -> Iterator[str]:
    origin = BuiltInOrigin(tmp_path)
    yield origin.open().base_url
    origin.end()


def workload(target: str, expect: Expect) -> Workload:
    return Workload("mine", "", (Exchange("GET", target, expect=expect),))


def test_digest_and_length(base_url: str) -> None:
    found = fetch(workload("/bytes/3000000", Expect()), base_url)
    assert found.workload.exchanges[0].expect.bytes == 3_000_000
    assert found.sha256 == (hashlib.sha256(content(3_000_000)).hexdigest(),)


def test_what_varies_has_no_length(base_url: str) -> None:
    found = fetch(workload("/bytes/5", Expect(varies=True)), base_url)
    assert found.workload.exchanges[0].expect.bytes is None


def test_a_member_that_is_right(base_url: str) -> None:
    fetch(workload("/json/17", Expect(json=("foo", "bar"))), base_url)


@pytest.mark.parametrize(
    ("target", "expect", "said"),
    [
        ("/bytes/5", Expect(status=404), "expects status 404 of GET /bytes/5"),
        ("/bytes/5", Expect(bytes=6), "expects 6 bytes of GET /bytes/5, the origin answers 5"),
        ("/json/17", Expect(json=("foo", "baz")), 'to be the text "baz": it is "bar"'),
        ("/json/17", Expect(json=("fo", "bar")), 'to be the text "bar": it is not there'),
        ("/bytes/5", Expect(json=("foo", "bar")), 'to be the text "bar": it is not there'),
    ],
)
def test_an_expectation_that_is_wrong(
    target: str, expect: Expect, said: str, base_url: str
) -> None:
    with pytest.raises(InputError) as refused:
        fetch(workload(target, expect), base_url)
    assert said in refused.value.message
    assert refused.value.hint.startswith("mend the workload's 'expect'")


def test_what_is_done_before(base_url: str) -> None:
    put = Exchange("PUT", "/documents/_doc/1", JsonBody('{"a":1}'))
    get = Exchange("GET", "/documents/_source/1")
    stored = Workload("mine", "", (get,), before=(put,))
    do_before(stored, base_url)
    assert fetch(stored, base_url).sha256 == (hashlib.sha256(b'{"a":1}').hexdigest(),)


def test_what_cannot_be_done_before(base_url: str) -> None:
    wrong = Workload("mine", "", (), before=(Exchange("GET", "/nowhere"),))
    with pytest.raises(InputError, match="begins with GET /nowhere"):
        do_before(wrong, base_url)
