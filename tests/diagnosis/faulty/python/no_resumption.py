"""Begins each TLS connection with a full handshake."""

from __future__ import annotations

import sys
from pathlib import Path

from fetchoff_kit import serve

sys.path.insert(0, str(Path(__file__).parent))
from raw import Raw


class NoResumption(Raw):
    resumes = False


serve(NoResumption)
