"""The deterministic bytes of docs/origin.md, for bodies that clients send."""

from __future__ import annotations

import hashlib
from functools import cache

PERIOD = 65_521


@cache
def block() -> bytes:
    """The first 65,521 bytes of SHA-256("fetchoff 0") || SHA-256("fetchoff 1") || …"""
    digests = (hashlib.sha256(b"fetchoff %d" % i).digest() for i in range(-(-PERIOD // 32)))
    return b"".join(digests)[:PERIOD]


def content(size: int) -> bytes:
    """The first `size` bytes of the block's endless repetition."""
    return (block() * (size // PERIOD + 1))[:size]
