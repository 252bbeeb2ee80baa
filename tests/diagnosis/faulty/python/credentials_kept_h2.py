"""Sends its credentials wherever it is redirected to, over HTTP/2."""

from __future__ import annotations

import sys
from pathlib import Path

from fetchoff_kit import serve

sys.path.insert(0, str(Path(__file__).parent))
from clean_redirects_h2 import CleanRedirects


class CredentialsKept(CleanRedirects):
    def shown(self, headers: list[tuple[str, str]]) -> list[tuple[str, str]]:
        return headers


serve(CredentialsKept)
