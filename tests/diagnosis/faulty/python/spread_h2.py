"""Spreads its exchanges over several connections of HTTP/2."""

from __future__ import annotations

import sys
from pathlib import Path

from fetchoff_kit import serve

sys.path.insert(0, str(Path(__file__).parent))
from raw_h2 import RawH2


class Spread(RawH2):
    connections = 4


serve(Spread)
