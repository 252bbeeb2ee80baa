"""The benches of the statistics run, in a reduced form, and print tables."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

BENCHES = Path(__file__).parents[3] / "benches" / "stats"


@pytest.mark.parametrize(
    ("name", "arguments", "lines"),
    [
        ("simulate.py", "pairs budgets tiers --trials 1", 60),
        ("simulate.py", "rankings --trials 1", 45),
        ("spending.py", "--paths 100", 10),
        ("variances.py", "--trials 1", 30),
        ("modes.py", "--samples 20", 13),
    ],
)
def test_a_bench_prints_its_tables(name: str, arguments: str, lines: int) -> None:
    ended = subprocess.run(
        [sys.executable, BENCHES / name, *arguments.split()], capture_output=True, text=True
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    assert sum(line.startswith("| ") for line in ended.stdout.splitlines()) > lines
