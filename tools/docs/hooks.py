"""What the documentation site has beside docs/, and where its links lead.

In the repository, pages link to files outside docs/, and those at its top link into docs/. On the
site, the pages at the top of the repository are pages too, and other files lie in files/.
mkdocs.yml names this module; MkDocs calls the functions whose names begin with `on_`.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
AT_THE_TOP = {
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    "STYLE.md": "style.md",
}
DECISIONS = "decisions/index.md"
_LINK = re.compile(r"\]\((?P<target>[^)\s#]+)(?P<anchor>#[^)\s]*)?\)")


def on_files(files: Any, config: Any) -> Any:
    """Add the pages of the repository's top, the list of decisions, and every file linked to."""
    from mkdocs.structure.files import File

    for name, page in AT_THE_TOP.items():
        text = (ROOT / name).read_text(encoding="utf-8")
        files.append(File.generated(config, page, content=rewritten(text, name, page)))
    files.append(File.generated(config, DECISIONS, content=decisions()))
    for path in sorted(linked_files()):
        files.append(File.generated(config, place_of(path), abs_src_path=str(ROOT / path)))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Have the links of a page of docs/ lead to where things are on the site."""
    place = page.file.src_uri
    generated = {*AT_THE_TOP.values(), DECISIONS}
    return markdown if place in generated else rewritten(markdown, f"docs/{place}", place)


def rewritten(text: str, path: str, page: str) -> str:
    """The text of a file of the repository, as the site's page that is named."""

    def lead(found: re.Match[str]) -> str:
        target = found["target"]
        if ":" in target:
            return found[0]
        there = place_of(posixpath.normpath(posixpath.join(posixpath.dirname(path), target)))
        from_here = posixpath.relpath(there, posixpath.dirname(page) or ".")
        return f"]({from_here}{found['anchor'] or ''})"

    return _LINK.sub(lead, text)


def place_of(path: str) -> str:
    """Where a file of the repository is on the site."""
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    return AT_THE_TOP.get(path) or f"files/{path.lstrip('.').replace('/.', '/')}"


def linked_files() -> set[str]:
    """The files that pages link to and that are none themselves."""
    pages = [*AT_THE_TOP, *(str(p.relative_to(ROOT)) for p in (ROOT / "docs").rglob("*.md"))]
    found = set()
    for page in pages:
        for link in _LINK.finditer((ROOT / page).read_text(encoding="utf-8")):
            path = posixpath.normpath(posixpath.join(posixpath.dirname(page), link["target"]))
            if ":" not in link["target"] and place_of(path).startswith("files/"):
                found.add(path)
    return found


def decisions() -> str:
    """The list of all decisions, by their titles."""
    folder = ROOT / "docs" / "decisions"
    lines = [
        f"- [{path.read_text(encoding='utf-8').splitlines()[0].lstrip('# ')}]({path.name})"
        for path in sorted(folder.glob("[0-9]*.md"))
    ]
    lead = "Why Fetchoff is made as it is, and the measurements behind that."
    return "\n".join(["# Decisions", "", lead, "", *lines, ""])
