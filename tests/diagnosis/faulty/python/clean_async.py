"""Does nothing wrong on an event loop: every rule is to stay silent on it."""

from __future__ import annotations

import sys
from pathlib import Path

from fetchoff_kit import serve

sys.path.insert(0, str(Path(__file__).parent))
from raw_async import RawAsync

serve(RawAsync)
