"""Works on each answer for 6 ms in the event loop, as a slow parser would."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from fetchoff_kit import serve

sys.path.insert(0, str(Path(__file__).parent))
from raw_async import RawAsync


class BlockingLoop(RawAsync):
    def after(self, content: bytes) -> None:
        ends = time.thread_time() + 0.006
        while time.thread_time() < ends:
            pass


serve(BlockingLoop)
