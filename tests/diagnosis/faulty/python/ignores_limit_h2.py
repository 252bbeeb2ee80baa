"""Opens more streams than the origin allows, and gives up those that it refuses."""

from __future__ import annotations

import sys
from pathlib import Path

from fetchoff_kit import serve

sys.path.insert(0, str(Path(__file__).parent))
from raw_h2 import RawH2


class IgnoresLimit(RawH2):
    obeys_limit = False


serve(IgnoresLimit)
