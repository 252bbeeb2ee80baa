"""Does each exchange in a thread of its own."""

from __future__ import annotations

import sys
import threading
from pathlib import Path
from typing import Any

from fetchoff_kit import serve

sys.path.insert(0, str(Path(__file__).parent))
from raw import Raw


class ThreadEach(Raw):
    def buffer(self, exchange: Any) -> tuple[int, bytes]:
        answers: list[tuple[int, bytes]] = []
        whole = super().buffer
        thread = threading.Thread(target=lambda: answers.append(whole(exchange)))
        thread.start()
        thread.join()
        return answers[0]


serve(ThreadEach)
