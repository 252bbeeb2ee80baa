"""CPU clocks of other processes and of control groups."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from fetchoff.run.os.clocks import cgroup_cpu_clock, process_cpu_clock

SPIN = "import sys, time\nfor line in sys.stdin:\n  e = time.process_time() + float(line)\n"
SPIN += "  while time.process_time() < e: pass\n  print('done', flush=True)\n"


def test_all_that_a_process_uses_and_nothing_else() -> None:
    with subprocess.Popen(
        [sys.executable, "-S", "-c", SPIN], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None and process.stdout is not None

        def spin(seconds: float) -> None:
            assert process.stdin is not None and process.stdout is not None
            print(seconds, file=process.stdin, flush=True)
            process.stdout.readline()

        spin(0)
        clock = process_cpu_clock(process.pid)
        before = clock()
        spin(0.05)
        assert 50e6 <= clock() - before < 100e6
        idle = clock()
        sum(range(1_000_000))  # of this process
        assert clock() - idle < 5e6


def test_of_a_process_that_is_gone() -> None:
    process = subprocess.Popen(["true"])
    process.wait()
    with pytest.raises(OSError, match="Invalid argument"):
        process_cpu_clock(process.pid)


def test_control_groups_of_both_versions(tmp_path: Path) -> None:
    """cpuacct.usage has nanoseconds, cpu.stat microseconds."""
    first, second = tmp_path / "1", tmp_path / "2"
    for folder in (first, second):
        folder.mkdir()
    (first / "cpuacct.usage").write_text("1234567\n")
    (second / "cpu.stat").write_text("usage_usec 1234\nuser_usec 1000\nsystem_usec 234\n")
    clocks = cgroup_cpu_clock(first), cgroup_cpu_clock(second)
    assert [clock() for clock in clocks] == [1_234_567, 1_234_000]
    (second / "cpu.stat").write_text("usage_usec 1300\n")
    assert clocks[1]() == 1_300_000
