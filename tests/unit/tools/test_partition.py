"""How tests are chosen when there isn't time for all."""

from __future__ import annotations

import inspect
import subprocess
import sys
import time
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.contract import test_adapters, test_beyond_cases, test_schema
from tests.partition import OF_CLIENTS, is_quick, rotated

PLAIN = Path(__file__).with_name("test_partition.py")


@given(st.lists(st.integers()), st.floats(0, 1))
def test_no_test_is_lost_wherever_the_first_is(tests: list[int], share: float) -> None:
    assert sorted(rotated(tests, share)) == sorted(tests)


def test_the_first_is_after_that_share() -> None:
    assert rotated(["a", "b", "c", "d"], 0.5) == ["c", "d", "a", "b"]


@pytest.mark.parametrize(("client", "quick"), [("c/libcurl", True), ("go/resty", False)])
@pytest.mark.parametrize("file", OF_CLIENTS)
def test_what_a_client_must_do_is_tested_where_it_is_ready(
    file: str, client: str, *, quick: bool
) -> None:
    """The quick part prepares one client of each language, the rest all of them."""
    assert is_quick(f"{file}::test_it[{client}]") is quick


@pytest.mark.parametrize("module", [test_adapters, test_beyond_cases, test_schema])
def test_each_test_of_a_client_names_it(module: ModuleType) -> None:
    """Without its client in its id, a test is taken for quick, and skipped there."""
    for name, test in inspect.getmembers(module, inspect.isfunction):
        if name.startswith("test_"):
            assert next(iter(inspect.signature(test).parameters)) == "name"


@pytest.mark.parametrize(
    ("left_s", "outcome"), [(-1.0, "1 skipped"), (3600.0, "1 passed")], ids=["over", "ahead"]
)
def test_a_test_that_would_begin_too_late_is_skipped_and_says_so(
    left_s: float, outcome: str
) -> None:
    only = f"{PLAIN}::test_the_first_is_after_that_share"
    command = [sys.executable, "-m", "pytest", "-rs", f"--until={time.time() + left_s}", only]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    assert outcome in ran.stdout
    assert ("not begun: the time that was given" in ran.stdout) == (left_s < 0)
