"""What an exchange of a client puts on the wire, as the origin has counted it."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

from fetchoff.analysis.throughput import exchanges_seen
from fetchoff.model.analysis import OnTheWire
from fetchoff.model.observation import Batch
from fetchoff.model.origin import Counted


def on_the_wire(batches: Sequence[Batch], rounds: int, counts: Collection[str]) -> OnTheWire | None:
    """What the origin has counted; NaN for what it cannot tell, None if that is all."""
    if not any(batch.seen.requests for batch in batches):
        return None

    def told(kind: Counted, total: int) -> float:
        return float(total) if kind in counts else math.nan

    connections = told(Counted.CONNECTIONS, sum(batch.seen.connections for batch in batches))
    segments = told(Counted.SEGMENTS, sum(batch.seen.segments_in for batch in batches))
    bytes_in = told(Counted.BYTES, sum(batch.seen.bytes_in for batch in batches))
    bytes_out = told(Counted.BYTES, sum(batch.seen.bytes_out for batch in batches))
    exchanges = exchanges_seen(batches)
    return OnTheWire(
        connections=connections / rounds,
        exchanges_per_connection=exchanges / connections if connections else None,
        segments_per_exchange=segments / exchanges,
        bytes_in_per_exchange=bytes_in / exchanges,
        bytes_out_per_exchange=bytes_out / exchanges,
    )
