"""Gives up an exchange in time, and sends the next one on the same connection, dead or not."""

from __future__ import annotations

import sys
from pathlib import Path

from fetchoff_kit import serve

sys.path.insert(0, str(Path(__file__).parent))
from clean_deadline_h2 import Deadline


class DeadKept(Deadline):
    async def leave(self) -> None:
        pass


serve(DeadKept)
