"""Divide the tests into a quick part, which takes minutes, and the rest.

`--part quick` runs the unit and golden tests, the contract of fakes and of one client of each
language, and one test in a browser. `--part rest` runs all others; no test is in both.
`python -m tests.partition` prints the clients that the quick part needs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from enum import StrEnum
from typing import TypeVar

ONE_OF_EACH_LANGUAGE = (
    "c/libcurl",
    "command/curl",
    "cpp/cpp-httplib",
    "go/net-http",
    "java/jdk-httpclient",
    "javascript/node-http",
    "lua/luasocket",
    "perl/http-tiny",
    "php/curl",
    "python/http-client",
    "ruby/net-http",
    "rust/minreq",
)
IN_A_BROWSER = "test_it_opens_without_a_word_and_asks_for_nothing_else[light]"
OF_CLIENTS = (
    "tests/contract/test_adapters.py",
    "tests/contract/test_beyond_cases.py",
    "tests/contract/test_schema.py",
)
QUICK_ROOMS = ("tests/unit/", "tests/golden/", "tests/contract/")

_Test = TypeVar("_Test")


class Part(StrEnum):
    """The part of the tests to run."""

    QUICK = "quick"
    REST = "rest"
    ALL = "all"


def is_quick(test: str) -> bool:
    """Whether a test, by its id, is in the quick part."""
    file, _, name = test.partition("::")
    if client := client_of(test):
        return client in ONE_OF_EACH_LANGUAGE
    return file.startswith(QUICK_ROOMS) or name == IN_A_BROWSER


def client_of(test: str) -> str:
    """The client whose contract a test checks; "" for other tests."""
    file, _, name = test.partition("::")
    return name.partition("[")[2].removesuffix("]") if file in OF_CLIENTS else ""


def taken(test: str, part: Part, language: str = "") -> bool:
    """Whether to run a test. `language`: run only the contract tests of its clients."""
    if language:
        return client_of(test).startswith(f"{language}/")
    return part is Part.ALL or is_quick(test) == (part is Part.QUICK)


def rotated(tests: Sequence[_Test], share: float) -> list[_Test]:
    """All tests, from those after the first `share` (0 to 1) on to those before."""
    first = int(share * len(tests))
    return [*tests[first:], *tests[:first]]


def left_out(tests: Sequence[str]) -> str:
    """A one-line summary of the tests that were not run."""
    kinds = Counter(
        "clients' contracts" if client_of(test) else test.split("/")[1] for test in tests
    )
    return ", ".join(f"{count} {kind}" for kind, count in kinds.items())


if __name__ == "__main__":
    print(*ONE_OF_EACH_LANGUAGE)
