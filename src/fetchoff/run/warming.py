"""Giving compilers time: runtimes that compile while they run are warmed before the first section.

Nothing is measured meanwhile, so two adapters at a time are warmed, one on each side.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

from fetchoff.model.errors import AdapterError, OriginError
from fetchoff.model.workload import Workload
from fetchoff.protocol.adapter import Spool, prepare
from fetchoff.run.adapter import Adapter
from fetchoff.run.origin import Origin
from fetchoff.run.placement import Urgency, place

LANES = 2
CHUNK_MS = 50.0
CHUNK_TIMEOUT_S = 10.0


def warm_compilers(
    adapters: Mapping[Adapter, int],
    workloads: Sequence[Workload],
    origin: Origin,
    spool: Spool,
    cores: Sequence[int],
) -> None:
    """Run each adapter on all workloads for its milliseconds, in chunks whose answers are not used.

    The first workload gets half of them: it compiles most of what all of them use. One that breaks
    the protocol is killed: the section that comes next finds it out and says so.
    """
    lanes = [list(adapters.items())[lane::LANES] for lane in range(LANES)]
    ports = [[origin.open() for _ in workloads] for _ in range(LANES)]

    def run_lane(lane: int) -> None:
        addresses = [ledger.base_url for ledger in ports[lane]]
        for adapter, milliseconds in lanes[lane]:
            place(adapter.pid, cores[lane % len(cores)], Urgency.ORDINARY)
            _warm(adapter, milliseconds, list(zip(workloads, addresses, strict=True)), spool)

    with ThreadPoolExecutor(LANES) as pool:
        for result in [pool.submit(run_lane, lane) for lane in range(LANES)]:
            result.result()
    for ledger in (ledger for lane in ports for ledger in lane):
        ledger.close()


def _warm(
    adapter: Adapter,
    milliseconds: int,
    jobs: Sequence[tuple[Workload, str]],
    spool: Spool,
) -> None:
    shares = [1.0] if len(jobs) == 1 else [0.5] + [0.5 / (len(jobs) - 1)] * (len(jobs) - 1)
    try:
        for (workload, base_url), share in zip(jobs, shares, strict=True):
            if adapter.prepare(prepare(workload, base_url, spool)).is_ready:
                _run_for(adapter, share * milliseconds)
    except (AdapterError, OriginError):
        adapter.kill()


def _run_for(adapter: Adapter, milliseconds: float) -> None:
    spent_ms, n = 0.0, 1
    while spent_ms < milliseconds:
        took_ms = max(1e-3, adapter.run(n, CHUNK_TIMEOUT_S).wall_ns / 1e6)
        spent_ms += took_ms
        n = max(1, min(4 * n, round(n * CHUNK_MS / took_ms)))
