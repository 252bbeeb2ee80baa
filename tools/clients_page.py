"""Write docs/clients.md, the list of all clients, from their manifests; `--check` compares it."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from itertools import groupby
from pathlib import Path

from fetchoff.catalog.manifests import Family, families

PAGE = Path(__file__).resolve().parent.parent / "docs" / "clients.md"
LANGUAGES = {"cpp": "C++", "javascript": "JavaScript", "php": "PHP"}


def page(found: Iterable[Family]) -> str:
    """The page as Markdown, with a section per language."""
    listed = list(found)
    clients = sum(len(list(family.listed())) for family in listed)
    languages = len({family.id.language for family in listed})
    parts = [
        "# Clients",
        f"{clients} clients in {languages} languages, counting variants, versions and runtimes "
        "that are listed. Every other combination of a client with a [runtime of its kit]"
        "(adapters.md) can be asked for by its id, and where *any* stands, any "
        "[version of its registry](adapters.md#versions-from-a-registry). This page is written by "
        "`tools/clients_page.py`, from the manifests.",
    ]
    for language, members in groupby(listed, key=lambda family: family.id.language):
        own = list(members)
        parts += [f"## {LANGUAGES.get(language, language.capitalize())}", parser(own), table(own)]
    return "\n\n".join(parts) + "\n"


def parser(members: Iterable[Family]) -> str:
    """A sentence that says what parses the documents of JSON workloads."""
    families_ = list(members)
    own = [f"`{family.id}`" for family in families_ if family.adapter.own_json]
    besides = f", but for those that do it themselves: {', '.join(own)}" if own else ""
    return f"JSON documents are parsed by `{families_[0].kit.json_parser}`{besides}."


def table(members: Iterable[Family]) -> str:
    """A row per family, and one for each of its variants."""
    rows = ["| client | how | versions | runtimes |", "|---|---|---|---|"]
    for family in members:
        adapter = family.adapter
        name = f"[`{family.id}`]({adapter.homepage})"
        about = adapter.about if adapter.tried else f"{adapter.about} *(not run so far)*"
        rows.append(f"| {name} | {about} | {versions(family)} | {', '.join(adapter.runtimes)} |")
        rows += [f"| `+{name}` | {v.about} | | |" for name, v in adapter.variants.items()]
    return "\n".join(rows)


def versions(family: Family) -> str:
    """Those of its folder, and whether its registry has others."""
    others = ["*any*"] if family.member(family.id).releases else []
    return ", ".join([*family.adapter.versions, *others])


def main() -> int:
    """Write the page; with `--check`, exit with status 1 if it is out of date."""
    text = page(families())
    if "--check" in sys.argv[1:]:
        if PAGE.read_text(encoding="utf-8") == text:
            return 0
        told = "is not what the manifests say: 'make clients-page' writes it"
        print(f"{PAGE} {told}", file=sys.stderr)
        return 1
    PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
