"""Asks for 100 (Continue), and waits for it, or half a second."""

from __future__ import annotations

import select
import sys
from pathlib import Path
from typing import Any

from fetchoff_kit import serve

sys.path.insert(0, str(Path(__file__).parent))
from raw import Raw


class AwaitingContinue(Raw):
    fields = (("Expect", "100-continue"),)

    def send(self, connection: Any, head: bytes, content: bytes) -> None:
        connection.sendall(head)
        select.select([connection], [], [], 0.5)
        connection.sendall(content)


serve(AwaitingContinue)
