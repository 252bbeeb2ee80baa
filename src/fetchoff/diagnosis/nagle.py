"""What a wait for a delayed acknowledgement looks like, whatever was held back.

Nagle's algorithm (RFC 896) holds back a small segment while an earlier one is unacknowledged; a
receiver may delay its acknowledgement (RFC 1122, 4.2.3.2). On a long path it takes a round trip.
"""

from __future__ import annotations

from fetchoff.diagnosis.waits import Wait

SMALL_BYTES = 1448  # a full segment is not held back
LEAST_SHARE = 0.1  # of the exchanges
_DELAYED_NS = 20e6  # Linux delays an acknowledgement by 40 ms at least, other systems by more
_LONGEST_NS = 600e6  # RFC 1122: less than half a second
_OF_ROUND_TRIP = 0.9
_IDLE = 0.8  # of the gap, at least


def is_stall(gap: Wait, round_trip_ns: float) -> bool:
    """Whether a pause is as long as such a wait, and the client idle in it."""
    least_ns = _OF_ROUND_TRIP * round_trip_ns if round_trip_ns else _DELAYED_NS
    length_ns = gap.stretch.length_ns
    return least_ns <= length_ns <= _LONGEST_NS + round_trip_ns and gap.idle_share >= _IDLE
