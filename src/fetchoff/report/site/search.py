"""What the search looks through: a script that only holds data, because pages opened from a folder
may not load anything else."""

from __future__ import annotations

import json
from collections.abc import Iterable

from fetchoff.report.site.page import Page

INDEX = "search-index.js"


def index(pages: Iterable[Page]) -> str:
    """Kind, title, address and further words of every page that can be found."""
    rows = [
        [page.kind, page.title, page.address, page.words.strip()] for page in pages if page.kind
    ]
    lines = ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows)
    return f"window.fetchoffIndex = [\n{lines}\n];\n"
