"""Sends all of a request before it looks for an answer, and gives up where sending fails."""

from __future__ import annotations

import sys
from pathlib import Path

from fetchoff_kit import serve

sys.path.insert(0, str(Path(__file__).parent))
from raw import Raw

serve(Raw)
