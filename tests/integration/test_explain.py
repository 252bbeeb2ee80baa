"""`fetchoff explain` with something in the way: the rest is told, what is missing is named."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from tests.command import Command, Ran, fake

ADAPTER = 4  # the exit status of an adapter's failure


def explain(fetchoff: Command, client: str, *more: str) -> Ran:
    fetchoff("setup", fake(client))
    return fetchoff("explain", fake(client), "-w", "tiny.toml", "--no-try", *more)


def told(ran: Ran) -> str:
    assert "Traceback" not in ran.err
    return " ".join((ran.out + ran.err).split())


def test_of_a_client_that_crashes_is_told_what_it_did_until_then(fetchoff: Command) -> None:
    many = "5000"  # more than six times what any machine fits into a stretch of the warm-up
    ran = explain(fetchoff, "crashing", "--iterations", many)
    assert ran.status == ADAPTER
    assert "fake/crashing tiny" in told(ran)
    assert "its last words: out of cheese; what it did until then is told" in told(ran)


@pytest.mark.parametrize(
    ("client", "why"),
    [
        ("hanging", "no answer within"),
        ("garbage", "not a JSON line"),
        ("failing", "300 of 300 exchanges failed"),
    ],
)
def test_a_client_that_does_something_else_is_told(
    fetchoff: Command, client: str, why: str
) -> None:
    ran = explain(fetchoff, client)
    assert ran.status == ADAPTER
    assert why in told(ran)


def explain_two(fetchoff: Command, a: str, b: str, *more: str) -> Ran:
    fetchoff("setup", fake(a), fake(b))
    asked = ("-w", "tiny.toml", "--budget", "2", *more)
    return fetchoff("explain", fake(a), fake(b), *asked)


def test_of_two_the_one_that_crashes_is_named_and_both_are_told(fetchoff: Command) -> None:
    ran = explain_two(fetchoff, "honest", "crashing")
    assert ran.status == ADAPTER
    assert "fake/crashing has no result on tiny" in told(ran)
    assert "out of cheese" in told(ran)
    assert ran.out.index("fake/honest  tiny") < ran.out.index("fake/crashing  tiny")


def test_of_two_one_that_hangs_leaves_the_other_told(fetchoff: Command) -> None:
    ran = explain_two(fetchoff, "honest", "hanging", "--json")
    assert ran.status == ADAPTER
    assert "no answer within" in ran.err
    (honest,) = json.loads(ran.out)["diagnoses"]
    assert honest["client"] == "fake/honest"


def test_without_strace_the_wire_is_still_told(fetchoff: Command, tmp_path: Path) -> None:
    """Its programs are those of this machine but for one."""
    programs = tmp_path / "programs"
    programs.mkdir()
    for folder in reversed(os.get_exec_path()):
        for program in Path(folder).glob("*"):
            if program.name != "strace":
                (programs / program.name).unlink(missing_ok=True)
                (programs / program.name).symlink_to(program)
    ran = explain(replace(fetchoff, env={"PATH": str(programs)}), "honest", "--json")
    assert ran.status == 0, ran.err
    diagnosis = json.loads(ran.out)
    assert diagnosis["exchange_us"] > 0
    (gap,) = (gap for gap in diagnosis["missing"] if gap["source"] == "calls")
    assert gap["reason"] == "strace is not installed"


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
def test_with_strace_nothing_is_missing(fetchoff: Command) -> None:
    ran = explain(fetchoff, "honest", "--json")
    assert [gap for gap in json.loads(ran.out)["missing"] if gap["source"] == "calls"] == []
