"""The tests that answer in minutes: of every language one client, and nothing is in no part."""

from __future__ import annotations

import pytest
from tests.partition import ONE_OF_EACH_LANGUAGE, Part, left_out, taken

from fetchoff.catalog.manifests import discover

TESTS = (
    "tests/unit/stats/test_pooled.py::test_much_noise_is_not_a_pass",
    "tests/golden/test_help.py::test_help_of_all",
    "tests/contract/test_fakes.py::test_every_fake_is_tried",
    "tests/contract/test_adapters.py::test_keeps_the_contract[go/net-http]",
    "tests/contract/test_adapters.py::test_keeps_the_contract[go/fasthttp]",
    "tests/contract/test_schema.py::test_answers_keep_to_the_schema[go/resty]",
    "tests/browser/test_report_in_chromium.py::"
    "test_it_opens_without_a_word_and_asks_for_nothing_else[light]",
    "tests/browser/test_report_in_chromium.py::test_charts_have_their_marks",
    "tests/integration/test_killed.py::test_killed_often",
)
QUICK = {0, 1, 2, 3, 6}


def test_one_client_of_each_language_is_in_the_quick_part() -> None:
    languages = {client.partition("/")[0] for client in discover()}
    assert [client.partition("/")[0] for client in ONE_OF_EACH_LANGUAGE] == sorted(languages)
    assert set(ONE_OF_EACH_LANGUAGE) <= set(discover())


def test_every_test_is_in_one_part() -> None:
    assert {i for i, test in enumerate(TESTS) if taken(test, Part.QUICK)} == QUICK
    assert {i for i, test in enumerate(TESTS) if taken(test, Part.REST)} == (
        set(range(len(TESTS))) - QUICK
    )
    assert all(taken(test, Part.ALL) for test in TESTS)


@pytest.mark.parametrize("part", Part)
def test_a_language_alone(part: Part) -> None:
    assert [test for test in TESTS if taken(test, part, "go")] == [TESTS[3], TESTS[4], TESTS[5]]


def test_what_was_left_out_is_told() -> None:
    others = [test for test in TESTS if not taken(test, Part.QUICK)]
    assert left_out(others) == "2 clients' contracts, 1 browser, 1 integration"
