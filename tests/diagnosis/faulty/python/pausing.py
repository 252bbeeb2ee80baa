"""Works for 5 ms after every 20th answer, as a collector would."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from fetchoff_kit import serve

sys.path.insert(0, str(Path(__file__).parent))
from raw import Raw


class Pausing(Raw):
    answered = 0

    def after(self, content: bytes) -> None:
        self.answered += 1
        if self.answered % 20 == 0:
            ends = time.thread_time() + 0.005
            while time.thread_time() < ends:
                pass


serve(Pausing)
