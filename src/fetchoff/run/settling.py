"""Giving compilers time: a runtime that compiles while it runs must have settled before it counts.

Nothing is measured meanwhile, so adapters settle two at a time, each on a core of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from fetchoff.model.errors import AdapterError
from fetchoff.run.adapter import Adapter
from fetchoff.run.placement import Urgency, place

LANES = 2
CHUNK_MS = 50.0
CHUNK_TIMEOUT_S = 10.0


def settle(adapters: Sequence[Adapter], cores: Sequence[int]) -> None:
    """Run prepared adapters for as long as their runtimes need, in chunks that are not used.

    One that breaks the protocol is killed: whoever asks it next finds out, and says so.
    """

    def run_lane(lane: int) -> None:
        for adapter in adapters[lane::LANES]:
            place(adapter.pid, cores[lane % len(cores)], Urgency.ORDINARY)
            try:
                _run_for(adapter, adapter.warm_up_ms)
            except AdapterError:
                adapter.kill()

    with ThreadPoolExecutor(LANES) as pool:
        for done in [pool.submit(run_lane, lane) for lane in range(LANES)]:
            done.result()


def _run_for(adapter: Adapter, milliseconds: float) -> None:
    spent_ms, n = 0.0, 1
    while spent_ms < milliseconds:
        took_ms = max(1e-3, adapter.run(n, CHUNK_TIMEOUT_S).wall_ns / 1e6)
        spent_ms += took_ms
        n = max(1, min(4 * n, round(n * CHUNK_MS / took_ms)))
