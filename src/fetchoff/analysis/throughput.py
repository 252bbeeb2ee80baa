"""Throughput, where an exchange moves much content: docs/analysis.md#throughput."""

from __future__ import annotations

import math
from collections.abc import Sequence

from fetchoff.model.analysis import Throughput
from fetchoff.model.content import bytes_expected
from fetchoff.model.estimate import Estimate
from fetchoff.model.observation import Batch
from fetchoff.model.workload import Workload

MUCH_BYTES = 100_000
"""With less content in an exchange, what is paid for each exchange outweighs the bytes."""

MB_A_GB = 1000


def throughput(
    workload: Workload, batches: Sequence[Batch], wall_us: Estimate, cpu_us: Estimate
) -> Throughput | None:
    """Of a client's batches, with what an exchange costs it; None where an exchange moves little.

    Bytes a microsecond are MB a second: MB/s = bytes / wall. Microseconds a byte are seconds a MB:
    CPU seconds a GB = 1000 x CPU / bytes.
    """
    moved = bytes_seen(batches) or bytes_expected(workload)
    if moved < MUCH_BYTES:
        return None
    return Throughput(
        bytes_per_exchange=moved,
        mb_per_second=_inverse(wall_us, moved),
        cpu_s_per_gb=_scaled(cpu_us, MB_A_GB / moved),
    )


def bytes_seen(batches: Sequence[Batch]) -> float:
    """Bytes of an exchange in both directions, as the origin counted them; 0: it did not."""
    exchanges = exchanges_seen(batches)
    moved = sum(batch.seen.bytes_in + batch.seen.bytes_out for batch in batches)
    return moved / exchanges if exchanges else 0.0


def exchanges_seen(batches: Sequence[Batch]) -> int:
    """Of which exchanges the ledger's counts are: in turns of a whole loop, with its leads. Who
    follows redirects makes more requests than that.

    Older runs did not keep how many there were in a loop; there each is a request.
    """
    return sum(batch.done or batch.seen.requests for batch in batches)


def _inverse(cost: Estimate, amount: float) -> Estimate:
    """`amount` by cost: the ends change places."""
    high = amount / cost.low if cost.low else math.inf
    return Estimate(amount / cost.point, amount / cost.high, high, cost.level)


def _scaled(cost: Estimate, by: float) -> Estimate:
    return Estimate(cost.point * by, cost.low * by, cost.high * by, cost.level)
