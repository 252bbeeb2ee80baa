"""The benches of the statistics run, in a reduced form, and print tables."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize(
    ("name", "arguments", "lines"),
    [
        ("simulate", "pairs budgets tiers --trials 1", 60),
        ("simulate", "rankings --trials 1", 45),
        ("simulate", "boundary --trials 1", 12),
        ("spending", "--paths 100", 10),
        ("variances", "--trials 1", 30),
        ("modes", "--samples 20", 13),
        ("histories", "--trials 1", 7),
        ("gates", "--trials 1", 6),
        ("fleets", "--trials 1", 60),
    ],
)
def test_a_bench_prints_its_tables(name: str, arguments: str, lines: int) -> None:
    command = [sys.executable, "-m", f"benches.stats.{name}", *arguments.split()]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert sum(line.startswith("| ") for line in ended.stdout.splitlines()) > lines
