"""`fetchoff check` finds the fault of every fake, and no fault of the honest one."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.command import FAKES, Command, fake

from fetchoff.contract.suite import MOST_BROKEN

# The case that each fake fails, and the message. Some fail other cases as well.
CAUGHT = {
    "boastful": ("made-up-feature", "ready for a feature with a random name"),
    "caching": ("fifty", "the origin saw 1 requests instead of 50"),
    "careless": ("get", "the content is wrong: its SHA-256 differs from that of the reference"),
    "clinging": ("prepared-again", "after 30 prepares 30 connections are still open"),
    "chatty": ("get", "'done' is None"),
    "deaf": ("end-of-input", "keeps running after the end of its input"),
    "endless": ("prepared-again", "prints a line without an end"),
    "failing": ("get", r"0 done and 1 failed instead of 1 done (OSError: no route \ud800"),
    "garbage": ("prepared-again", "prints garbage"),
    "hasty": ("sink-json", "reports 0 ns in its parser"),
    "idle": ("busy", "its process used"),
    "leaking": ("end-of-input", "leaves processes behind when it ends"),
    "parent": ("end-of-input", "leaves processes behind when it ends"),
    "misspelling": ("declared-features", "did you mean connection.reuse?"),
    "miscounting": ("get", "2 done and 0 failed instead of 1 done"),
    "fainting": ("prepared-again", "ended with exit status 3"),
    "short-lived": ("fifty", "ended with exit status 3; its last words: out of cheese"),
    "short-body": ("bytes-counted", "reports 6165 bytes of content instead of 6170"),
    "forgetful": ("tls-reuse", "opened 20 connections instead of 1 to 2"),
    "headstrong": (
        "head-reuse",
        "instead of 1 to 2 (see docs/protocol.md)",
    ),
    "hoarding": ("flat-memory", "kB while streaming"),
    "impatient": ("timeout-total", "less than 0.25 s"),
    "skimming": ("flat-memory", "bytes, not 1500000000 or more"),
    "lenient": ("truncated-chunked", "1 done and 0 failed instead of 1 failed"),
    "trusting": ("tls-untrusted", "1 done and 0 failed instead of 1 failed"),
    "uncoded": ("coding-deflate", "bytes, not 0 to 100000"),
    "unproxied": ("proxy", "sent 0 requests to the proxy instead of 2"),
    "revalidating": ("unconditional", "1 done and 2 failed instead of 3 done"),
    "terse": ("headers", "1 done and 2 failed instead of 3 done"),
    "skipping": ("fifty", "the origin saw 25 requests instead of 50"),
}
SLOWLY_CAUGHT = {
    "falls-silent": ("hello", "no answer within 30 s"),
    "hanging": ("prepared-again", "no answer within 30 s"),
}
UNAVAILABLE = {
    "silent": "no answer within 30 s",
    "missing-command": "does not exist",
    "not-executable": "is not executable",
}
# Nothing that a contract could see: they are for the checks of a run.
CONTRACT_KEEPERS = {
    "aging",
    "crashing",
    "forthright",
    "honest",
    "roomy",
    "slow",
    "slow-start",
    "tiring",
    "two-faced",
    "unhurried",
    "wavering",
}


@pytest.fixture(scope="module")
def waiting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, subprocess.Popen[str]]]:
    """Slow checks, run concurrently: each has its own cache, because setups of one cache wait."""
    processes = {}
    for name in (*SLOWLY_CAUGHT, "silent"):
        folder = Path(tmp_path_factory.mktemp(name))
        only = ("--only", "prepared-again")
        processes[name] = Command(folder, folder / "cache").start("check", fake(name), *only)
    yield processes
    for process in processes.values():
        process.communicate()


def test_every_fake_is_tried() -> None:
    fakes = {path.parent.name for path in FAKES.glob("*/adapter.toml")}
    assert fakes == {*CAUGHT, *SLOWLY_CAUGHT, *UNAVAILABLE, *CONTRACT_KEEPERS}


@pytest.mark.parametrize("name", CAUGHT)
def test_is_caught(name: str, fetchoff: Command, waiting: dict[str, subprocess.Popen[str]]) -> None:
    case, words = CAUGHT[name]
    ran = fetchoff("check", fake(name), "--only", case)
    assert ran.status == 1
    assert "Traceback" not in ran.err
    said = [line for line in ran.out.splitlines() if f" fake/{name} {case}: " in line]
    assert len(said) == 1
    assert said[0].startswith("failed")
    assert words in said[0]


@pytest.mark.parametrize("name", ["missing-command", "not-executable"])
def test_is_unavailable(name: str, fetchoff: Command) -> None:
    ran = fetchoff("check", fake(name))
    assert ran.status == 1
    assert UNAVAILABLE[name] in ran.err


@pytest.mark.parametrize("name", ["honest", "slow-start"])
def test_keeps_the_contract(name: str, fetchoff: Command) -> None:
    ran = fetchoff("check", fake(name), "--json")
    assert ran.status == 0, ran.err
    verdicts = {document["case"]: document["verdict"] for document in json.loads(ran.out)}
    assert set(verdicts.values()) == {"passed", "unsupported"}
    assert verdicts["get"] == "passed"
    assert verdicts["cookies"] == "unsupported"


def test_a_fault_that_is_known_is_no_failure_and_one_that_is_gone_is(fetchoff: Command) -> None:
    ran = fetchoff("check", fake("forthright"), "--only", "truncated")
    assert "known fault  fake/forthright truncated-chunked: does not look for the end" in ran.out
    gone = "truncated: passes, but adapter.toml declares a fault: was mended"
    assert f"failed       fake/forthright {gone}" in ran.out
    assert ran.status == 1
    only_known = fetchoff("check", fake("forthright"), "--only", "truncated-chunked")
    assert only_known.status == 0, only_known.err
    comes_and_goes = fetchoff("check", fake("forthright"), "--only", "get")
    assert "passed       fake/forthright get\n" in comes_and_goes.out


def test_what_breaks_the_protocol_in_case_after_case_is_told_once(fetchoff: Command) -> None:
    ran = fetchoff("check", fake("fainting"))
    assert ran.status == 1
    said = [line for line in ran.out.splitlines() if line.startswith("failed")]
    assert said[-1] == (
        "failed       fake/fainting the other cases: not tested: the adapter broke the protocol in "
        f"{MOST_BROKEN} cases one after the other"
    )
    assert len(said) <= MOST_BROKEN + 4  # and what is asked before the cases


def test_memory_that_does_not_grow_with_the_content_is_no_fault(fetchoff: Command) -> None:
    ran = fetchoff("check", fake("roomy"), "--only", "flat-memory")
    assert (ran.status, ran.out.split()[0]) == (0, "passed"), ran.out


def test_hello_alone_can_be_asked_for(fetchoff: Command) -> None:
    ran = fetchoff("check", fake("honest"), "--only", "hello")
    assert (ran.status, ran.out) == (0, "passed       fake/honest hello\n")


@pytest.mark.parametrize("name", SLOWLY_CAUGHT)
def test_is_caught_at_last(name: str, waiting: dict[str, subprocess.Popen[str]]) -> None:
    case, words = SLOWLY_CAUGHT[name]
    out, _ = waiting[name].communicate(timeout=100)
    assert waiting[name].returncode == 1
    assert f"{case}: fake/{name}: {words}" in out


def test_is_unavailable_at_last(waiting: dict[str, subprocess.Popen[str]]) -> None:
    _, err = waiting["silent"].communicate(timeout=100)
    assert waiting["silent"].returncode == 1
    assert UNAVAILABLE["silent"] in err
