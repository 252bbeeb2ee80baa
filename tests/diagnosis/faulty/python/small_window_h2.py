"""Keeps the window that HTTP/2 begins with."""

from __future__ import annotations

import sys
from pathlib import Path

from fetchoff_kit import serve

sys.path.insert(0, str(Path(__file__).parent))
from raw_h2 import RawH2


class SmallWindow(RawH2):
    window = 65_535


serve(SmallWindow)
