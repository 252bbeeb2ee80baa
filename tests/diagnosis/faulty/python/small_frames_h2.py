"""Cuts its content into frames of 1 KB."""

from __future__ import annotations

import sys
from pathlib import Path

from fetchoff_kit import serve

sys.path.insert(0, str(Path(__file__).parent))
from raw_h2 import RawH2


class SmallFrames(RawH2):
    frame_bytes = 1024
    together = False


serve(SmallFrames)
