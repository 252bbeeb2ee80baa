"""Opens its windows anew for each frame of content."""

from __future__ import annotations

import sys
from pathlib import Path

from fetchoff_kit import serve

sys.path.insert(0, str(Path(__file__).parent))
from raw_h2 import RawH2


class ChattyWindow(RawH2):
    update_at = 0.0


serve(ChattyWindow)
