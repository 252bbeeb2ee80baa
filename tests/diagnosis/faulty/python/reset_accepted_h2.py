"""Takes a stream that was reset for an answer that is over."""

from __future__ import annotations

import sys
from pathlib import Path

from fetchoff_kit import serve

sys.path.insert(0, str(Path(__file__).parent))
from raw_h2 import RawH2, Stream


class ResetAccepted(RawH2):
    def reset(self, stream: Stream, code: int) -> None:
        stream.end()


serve(ResetAccepted)
