"""Sends all its exchanges over one connection of HTTP/2, as most clients do: a lost packet holds up
all of them."""

from __future__ import annotations

import sys
from pathlib import Path

from fetchoff_kit import serve

sys.path.insert(0, str(Path(__file__).parent))
from raw_h2 import RawH2


class OneConnection(RawH2):
    connections = 1


serve(OneConnection)
