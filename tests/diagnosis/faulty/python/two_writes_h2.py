"""Writes HEADERS and DATA separately, with Nagle's algorithm on."""

from __future__ import annotations

import sys
from pathlib import Path

from fetchoff_kit import serve

sys.path.insert(0, str(Path(__file__).parent))
from raw_h2 import RawH2


class TwoWrites(RawH2):
    nodelay = False
    together = False


serve(TwoWrites)
