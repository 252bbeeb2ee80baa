"""Asks for 100 (Continue), and waits for its own timer whatever comes."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

from fetchoff_kit import serve

sys.path.insert(0, str(Path(__file__).parent))
from raw import Raw


class Expecting(Raw):
    fields = (("Expect", "100-continue"),)

    def send(self, connection: Any, head: bytes, content: bytes) -> None:
        connection.sendall(head)
        time.sleep(0.15)
        connection.sendall(content)


serve(Expecting)
