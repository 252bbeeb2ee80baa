"""Write the reference pages and the man page; `--check` compares them with what is there.

`python -m tools.reference`, or `make reference`.
"""

from __future__ import annotations

import sys
from pathlib import Path

from tools.reference import keys, listings, man, options

DOCS = Path(__file__).resolve().parent.parent.parent / "docs"
PAGES = {
    "reference/options.md": options.page,
    "reference/toml.md": keys.page,
    "reference/listings.md": listings.page,
    "fetchoff.1": man.page,
}


def main() -> int:
    """Write the pages; with `--check`, exit with status 1 if one is out of date."""
    outdated = []
    for name, page in PAGES.items():
        path, text = DOCS / name, page()
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            outdated.append(name)
            if "--check" not in sys.argv[1:]:
                path.parent.mkdir(exist_ok=True)
                path.write_text(text, encoding="utf-8")
    if outdated and "--check" in sys.argv[1:]:
        print(f"out of date: {', '.join(outdated)}: 'make reference' writes them", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
