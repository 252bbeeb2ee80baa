"""Sleeps for SLEEP_MS after each answer, as who looks again and again whether more has come."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from fetchoff_kit import serve

sys.path.insert(0, str(Path(__file__).parent))
from raw import Raw

SLEEP_S = float(os.environ.get("SLEEP_MS", "10")) / 1e3


class TimerEach(Raw):
    def after(self, content: bytes) -> None:
        time.sleep(SLEEP_S)


serve(TimerEach)
