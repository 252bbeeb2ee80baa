"""Which loopback is between client and origin where no link is (docs/decisions/0014)."""

from __future__ import annotations

from enum import StrEnum

RECEIVE_BUFFER_BYTES = 2 << 20
"""Of every TCP socket in a loopback of its own: more than any content of the default suite."""


class Loopback(StrEnum):
    """`own`: in a network namespace, with receive buffers of one size; `machine`: as it is."""

    OWN = "own"
    MACHINE = "machine"
