"""Peak memory of a streamed download and the size of its reads: `make bench-memory`.

Each client downloads 1 GB once, streamed and dropped; what its memory grew by is what it buffers.
strace then takes the sizes of its reads from a second process, which downloads 100 MB. Exit status
1 if no client could be measured.
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

from fetchoff.app.choose import chosen
from fetchoff.app.setup import with_set_up
from fetchoff.catalog import workloads
from fetchoff.model.client import Client, Launch
from fetchoff.model.errors import AdapterError
from fetchoff.protocol.adapter import Spool, prepare
from fetchoff.run.adapters.adapter import Adapter
from fetchoff.run.origins.built_in import BuiltInOrigin
from fetchoff.run.os import procfs

SUITE = "memory"
DOWNLOAD = "download"
WHOLE, TRACED = "1G", "100M"
TIMEOUT_S = 120.0
READS = "read,readv,recvfrom,recvmsg"
# `read(5, …, 65536) = 4096`; what a read asks for stands before the result where it is a number.
_READ = re.compile(r"(?:read|recvfrom)\(.*?, (\d+)(?:, [^)]*)?\)\s+= (\d+)$")
_RESULT = re.compile(r"= (\d+)$")
LEAST = 512  # smaller reads are of heads, pipes and clocks


@dataclass(frozen=True)
class Measured:
    """A client's memory in MB of 10^6 bytes, and the sizes of its reads in bytes."""

    client: str
    start_mb: float
    peak_mb: float
    asked: int | None
    got: int | None
    seconds: float

    @property
    def growth_mb(self) -> float:
        return self.peak_mb - self.start_mb


def main() -> int:
    parser = argparse.ArgumentParser(description="Memory of streamed downloads.")
    parser.add_argument("clients", nargs="*", help="ids or globs; those of the suite if none")
    parser.add_argument("--whole", default=WHOLE, help="to download where memory is measured")
    parser.add_argument("--traced", default=TRACED, help="to download under strace")
    arguments = parser.parse_args()
    manifests = chosen(arguments.clients or workloads.suite(SUITE).clients)
    if shutil.which("strace") is None:
        print("no strace: sizes of reads are not shown", file=sys.stderr)
    measured = []
    with tempfile.TemporaryDirectory(prefix="fetchoff-memory-") as folder:
        for client in with_set_up(manifests):
            if client.launch is None:
                print(f"{client.id}: {client.reason}", file=sys.stderr)
                continue
            try:
                sizes = (arguments.whole, arguments.traced)
                measured.append(_measure(client, client.launch, Path(folder), sizes))
            except AdapterError as error:
                print(f"{client.id}: {error.message}", file=sys.stderr)
    if not measured:
        print("error: no client could be measured", file=sys.stderr)
        return 1
    print("client                         grown MB  peak MB  read asks  read gets  seconds")
    for one in sorted(measured, key=lambda one: one.growth_mb):
        asked, got = (f"{n:,}" if n else "–" for n in (one.asked, one.got))
        print(
            f"{one.client:<30} {one.growth_mb:>8.1f} {one.peak_mb:>8.1f} {asked:>10} {got:>10} "
            f"{one.seconds:>8.1f}"
        )
    return 0


def _measure(client: Client, launch: Launch, folder: Path, sizes: tuple[str, str]) -> Measured:
    """`sizes`: of the download whose memory is measured, and of the one that is traced."""
    whole, traced_size = (f"{DOWNLOAD}@{size}" for size in sizes)
    start_kb, peak_kb, seconds = _download(client.id, launch, folder, whole)
    asked = got = None
    strace = shutil.which("strace")
    if strace:
        trace = folder / "trace"
        options = ("-f", "-qq", "-e", f"trace={READS}", "-e", "signal=none", "-o", str(trace))
        traced = replace(launch, command=(strace, *options, *launch.command))
        _download(client.id, traced, folder, traced_size)
        asked, got = _sizes(trace)
        trace.unlink()
    return Measured(client.id, start_kb / 1e3, peak_kb / 1e3, asked, got, seconds)


def _download(name: str, launch: Launch, folder: Path, workload: str) -> tuple[int, int, float]:
    """Resident kB before and at the peak, and seconds, of one download by a new process."""
    origin = BuiltInOrigin(folder)
    adapter = Adapter(name, launch, folder, folder / "stderr")
    try:
        adapter.say_hello()
        adapter.description()
        ledger = origin.open()
        prepared = adapter.prepare(
            prepare(workloads.workload(workload), ledger.base_url, Spool(folder))
        )
        if not prepared.is_ready:
            raise AdapterError(prepared.unsupported or prepared.error)
        procfs.reset_peak(adapter.pid)
        before = procfs.read(adapter.pid).peak_kb
        done = adapter.run(1, TIMEOUT_S)
        if done.failed or done.done != 1:
            raise AdapterError(done.error or "did not download")
        return before, procfs.read(adapter.pid).peak_kb, done.wall_ns / 1e9
    finally:
        adapter.end()
        origin.end()


def _sizes(trace: Path) -> tuple[int | None, int | None]:
    """The most common requested size, and the mean size received; None without reads."""
    asked: Counter[int] = Counter()
    got = []
    for line in trace.read_text(errors="replace").splitlines():
        result = _RESULT.search(line)
        if result is None or int(result[1]) < LEAST:
            continue
        got.append(int(result[1]))
        read = _READ.search(line)
        if read:
            asked[int(read[1])] += 1
    if not got:
        return None, None
    return asked.most_common(1)[0][0] if asked else None, round(sum(got) / len(got))


if __name__ == "__main__":
    sys.exit(main())
