"""Speaks no newer TLS than 1.2, and resumes no session."""

from __future__ import annotations

import ssl
import sys
from pathlib import Path
from typing import Any

from fetchoff_kit import serve

sys.path.insert(0, str(Path(__file__).parent))
from raw import Raw


class OldTls(Raw):
    def __init__(self, settings: Any) -> None:
        super().__init__(settings)
        assert self.tls is not None
        self.tls.maximum_version = ssl.TLSVersion.TLSv1_2


serve(OldTls)
