"""Guesses the character set from the whole content where none is named."""

from __future__ import annotations

import sys
from pathlib import Path

from fetchoff_kit import serve

sys.path.insert(0, str(Path(__file__).parent))
from raw import Raw


class CharsetSniffed(Raw):
    def after(self, content: bytes) -> None:
        if "charset" not in self.content_type:
            sum(byte > 127 for byte in content)


serve(CharsetSniffed)
