"""What /proc tells of a process."""

from __future__ import annotations

import os
import subprocess
import sys
import time

from fetchoff.run.os.procfs import waited_ns

SPIN = "while True: pass"


def test_time_for_which_others_had_the_core() -> None:
    core = min(os.sched_getaffinity(0))
    command = ["taskset", "--cpu-list", str(core), sys.executable, "-c", SPIN]
    spinning = [subprocess.Popen(command) for _ in range(2)]
    try:
        deadline = time.monotonic() + 10
        while not all(waited_ns(process.pid) > 1e6 for process in spinning):
            assert time.monotonic() < deadline
            time.sleep(0.01)
    finally:
        for process in spinning:
            process.kill()
            process.wait()
    assert all(waited_ns(process.pid) == 0 for process in spinning)
