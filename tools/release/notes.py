"""Print what CHANGELOG.md says of a version: `python -m tools.release.notes 0.1.0`.

It fails if the version is not the one that pyproject.toml, Cargo.toml, CITATION.cff and the package
state, or has no section. So a release that is tagged too early stops here.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def versions(root: Path = ROOT) -> dict[str, str]:
    """The version that each file states."""

    def read(name: str) -> str:
        return (root / name).read_text(encoding="utf-8")

    package = "src/fetchoff/__init__.py"
    return {
        "pyproject.toml": tomllib.loads(read("pyproject.toml"))["project"]["version"],
        "Cargo.toml": tomllib.loads(read("Cargo.toml"))["workspace"]["package"]["version"],
        "CITATION.cff": _first(r"^version: (\S+)$", read("CITATION.cff")),
        package: _first(r'^__version__ = "(.+)"$', read(package)),
    }


def section(changelog: str, version: str) -> str:
    """What the changelog says of a version, without the heading; "" if it has no such section."""
    parts = re.split(r"^## \[?([^\]\s]+)\]?.*$", changelog, flags=re.M)
    return dict(zip(parts[1::2], parts[2::2], strict=True)).get(version, "").strip()


def main() -> int:
    """Print the section, or say what is not ready."""
    version = sys.argv[1].removeprefix("v")
    faults = [
        f"{file} states version {stated}, not {version}"
        for file, stated in versions().items()
        if stated != version
    ]
    text = section((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), version)
    if not text:
        faults.append(f"CHANGELOG.md has no section '## {version}'")
    for fault in faults:
        print(f"error: {fault}", file=sys.stderr)
    if faults:
        return 1
    print(text)
    return 0


def _first(pattern: str, text: str) -> str:
    found = re.search(pattern, text, re.M)
    return found[1] if found else ""


if __name__ == "__main__":
    sys.exit(main())
