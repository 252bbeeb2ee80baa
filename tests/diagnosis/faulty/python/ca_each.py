"""Loads a store of certificates for each exchange, even of http: URLs."""

from __future__ import annotations

import os
import ssl
import sys
from pathlib import Path
from typing import Any

from fetchoff_kit import serve

sys.path.insert(0, str(Path(__file__).parent))
from raw import Raw


class CaEach(Raw):
    def buffer(self, exchange: Any) -> tuple[int, bytes]:
        ssl.create_default_context(cafile=os.environ["CA_FILE"])
        return super().buffer(exchange)


serve(CaEach)
