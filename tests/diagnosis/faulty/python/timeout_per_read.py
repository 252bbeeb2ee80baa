"""Lets each read take as long as the whole exchange may."""

from __future__ import annotations

import sys
from pathlib import Path

from fetchoff_kit import serve

sys.path.insert(0, str(Path(__file__).parent))
from timeout_in_total import TimeoutInTotal


class TimeoutPerRead(TimeoutInTotal):
    def left(self, until: float, limit_s: float) -> float:
        return limit_s


serve(TimeoutPerRead)
