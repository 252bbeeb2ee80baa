"""Ends at once, or hangs, in the fifth exchange after the file FAIL_WHEN has come to be."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Any

from fetchoff_kit import serve

sys.path.insert(0, str(Path(__file__).parent))
from raw import Raw

FAIL_WHEN = Path(os.environ["FAIL_WHEN"])
HANGS = "HANGS" in os.environ


class Crashing(Raw):
    left = 5

    def buffer(self, exchange: Any) -> tuple[int, bytes]:
        if FAIL_WHEN.exists():
            self.left -= 1
            if self.left == 0:
                if HANGS:
                    time.sleep(600)
                os._exit(3)
        return super().buffer(exchange)


serve(Crashing)
