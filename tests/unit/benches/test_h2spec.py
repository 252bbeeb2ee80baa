"""`make bench-h2spec` with a program in place of h2spec that reports what it is told to."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from benches.h2spec import bench

PASSED = '<testcase package="http2/5.1" classname="idle"/>'
FAILED = f"{PASSED[:-2]}><failure>closed</failure></testcase>"
SKIPPED = f"{PASSED[:-2]}><skipped/></testcase>"


@pytest.mark.parametrize(
    ("cases", "status"),
    [
        (PASSED, 0),
        (PASSED + SKIPPED, 0),
        (PASSED + FAILED, 1),
        (FAILED, 1),
        (SKIPPED, 2),
        ("", 2),  # as of a section that there isn't
    ],
)
def test_what_tried_nothing_is_no_success(
    cases: str, status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "h2spec"
    program.write_text(
        f"#!/bin/sh\nwhile [ $# -gt 1 ]; do shift; done\necho '<r>{cases}</r>' >$1\n"
    )
    program.chmod(0o755)
    monkeypatch.setattr(sys, "argv", ["bench", "--h2spec", str(program), "http2/5.1"])
    assert bench.main() == status


def test_a_program_that_reports_nothing_is_no_success(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["bench", "--h2spec", "false"])
    assert bench.main() == 2
    assert "error: false reports nothing, status 1\n" in capsys.readouterr().err
