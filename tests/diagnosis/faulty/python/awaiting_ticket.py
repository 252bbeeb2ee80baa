"""Waits for a session ticket before its request, or 60 ms, as GnuTLS does for who asks."""

from __future__ import annotations

import select
import sys
from pathlib import Path
from typing import Any

from fetchoff_kit import serve

sys.path.insert(0, str(Path(__file__).parent))
from raw import Raw


class AwaitingTicket(Raw):
    resumes = False

    def connect(self, origin: tuple[str, str, int]) -> Any:
        connection = super().connect(origin)
        select.select([connection], [], [], 0.06)
        return connection


serve(AwaitingTicket)
