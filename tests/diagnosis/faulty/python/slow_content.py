"""Writes head and content separately at once, but makes the content only after a while."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

from fetchoff_kit import serve

sys.path.insert(0, str(Path(__file__).parent))
from raw import Raw

MAKING_S = 0.06


class SlowContent(Raw):
    def send(self, connection: Any, head: bytes, content: bytes) -> None:
        connection.sendall(head)
        if content:
            time.sleep(MAKING_S)
            connection.sendall(content)


serve(SlowContent)
