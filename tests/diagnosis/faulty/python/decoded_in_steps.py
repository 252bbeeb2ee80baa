"""Decodes compressed content step by step, and hands each piece on."""

from __future__ import annotations

import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fetchoff_kit import serve

sys.path.insert(0, str(Path(__file__).parent))
from raw import Raw

STEP_BYTES = 1 << 16
GZIP = 16 + zlib.MAX_WBITS


class DecodedInSteps(Raw):
    """As a clean client streams."""

    fields = (("Accept-Encoding", "gzip"),)

    def stream(self, exchange: Any, write: Callable[[bytes], Any]) -> int:
        status, coded = self.buffer(exchange)
        self.decode(coded, write)
        return status

    def decode(self, coded: bytes, write: Callable[[bytes], Any]) -> None:
        decoder = zlib.decompressobj(GZIP)
        while coded and not decoder.eof:
            write(decoder.decompress(coded, STEP_BYTES))
            coded = decoder.unconsumed_tail


if __name__ == "__main__":
    serve(DecodedInSteps)
