"""What /proc tells of a process."""

from __future__ import annotations

import gzip
import mmap
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from fetchoff.run.os import procfs
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


IN_A_THREAD = "import threading\nthreading.Thread(target=input).start()\n"
RESTS, SPINS = "while input(): pass", f"{IN_A_THREAD}{SPIN}"


@pytest.mark.parametrize(("program", "rests"), [(RESTS, True), (SPINS, False)])
def test_who_waits_for_input_is_at_rest_unless_a_thread_runs(program: str, rests: bool) -> None:
    with subprocess.Popen([sys.executable, "-S", "-c", program], stdin=subprocess.PIPE) as process:
        try:
            deadline = time.monotonic() + 10
            while len(procfs.threads(process.pid)) < 2 - rests or (
                rests and not procfs.is_at_rest(process.pid)
            ):
                assert time.monotonic() < deadline
                time.sleep(0.01)
            assert procfs.is_at_rest(process.pid) == rests
        finally:
            process.kill()
    assert procfs.is_at_rest(process.pid)


GROW = "import sys\nfor line in sys.stdin:\n  x = bytearray(b'1') * int(line)\n"
GROW += "  del x; print('done', flush=True)"


def test_the_peak_of_memory_is_that_since_it_was_reset() -> None:
    with subprocess.Popen(
        [sys.executable, "-S", "-c", GROW], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:

        def peak_kb_after(megabytes: int) -> int:
            assert process.stdin is not None and process.stdout is not None
            print(megabytes << 20, file=process.stdin, flush=True)
            process.stdout.readline()
            return procfs.read(process.pid).peak_kb

        first = peak_kb_after(64)
        procfs.reset_peak(process.pid)
        second = peak_kb_after(1)
        assert first - second > 32 << 10


def test_memory_that_is_touched_for_the_first_time_is_a_page_fault_for_each_page() -> None:
    block, pages = 64 << 20, (64 << 20) // os.sysconf("SC_PAGE_SIZE")
    before = procfs.read(os.getpid())
    mapped = mmap.mmap(-1, block, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    mapped.madvise(mmap.MADV_NOHUGEPAGE)
    mapped[:: os.sysconf("SC_PAGE_SIZE")] = b"1" * pages
    faults = procfs.read(os.getpid()).page_faults - before.page_faults
    assert pages <= faults < 1.2 * pages


def test_usage_is_what_lies_between_two_readings() -> None:
    before, after = procfs.Reading(10, 5, 900, 7, 3, 50), procfs.Reading(30, 6, 1000, 9, 8, 90)
    used = after.since(before, peak_kb=1200)
    assert (used.user_ticks, used.system_ticks, used.peak_kb) == (20, 1, 1200)
    assert (used.voluntary_switches, used.involuntary_switches, used.page_faults) == (2, 5, 40)
    assert after.since(before).peak_kb == 1000


def test_who_is_in_a_namespace() -> None:
    own = procfs.namespace("/proc/self/ns/net")
    assert os.getpid() in procfs.inside(own)
    assert procfs.inside((0, 0)) == []


def test_of_who_is_gone_there_is_nothing() -> None:
    process = subprocess.Popen(["true"])
    process.wait()
    assert procfs.threads(process.pid) == []
    assert procfs.began(process.pid) == ""
    assert procfs.in_group(process.pid) == []
    procfs.reset_peak(process.pid)
    with pytest.raises(OSError, match="No such file"):
        procfs.read(process.pid)


@pytest.mark.parametrize(
    ("configuration", "samples"),
    [
        (b"CONFIG_HZ_250=y\nCONFIG_HZ=250\n", 250),
        (b"CONFIG_HZ=24\n", 100),
        (b"# CONFIG_HZ is not set\n", 100),
        (None, 100),
    ],
)
@pytest.mark.parametrize("name", ["config", "config.gz"])
def test_how_often_the_kernel_samples(
    name: str, configuration: bytes | None, samples: int, tmp_path: Path
) -> None:
    path = tmp_path / name
    if configuration is not None:
        path.write_bytes(gzip.compress(configuration) if name.endswith("gz") else configuration)
    assert procfs.samples_per_s((str(tmp_path / "nowhere"), str(path))) == samples
