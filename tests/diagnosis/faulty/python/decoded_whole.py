"""Decodes compressed content whole before it hands the first piece on."""

from __future__ import annotations

import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fetchoff_kit import serve

sys.path.insert(0, str(Path(__file__).parent))
from decoded_in_steps import GZIP, DecodedInSteps


class DecodedWhole(DecodedInSteps):
    def decode(self, coded: bytes, write: Callable[[bytes], Any]) -> None:
        write(zlib.decompress(coded, GZIP))


serve(DecodedWhole)
