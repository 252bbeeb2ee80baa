"""Tables and text in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

MARKS = str.maketrans({"|": r"\|", "<": "&lt;", "*": r"\*", "_": r"\_"})


def plain(text: str) -> str:
    """Text that means nothing to Markdown but itself."""
    return text.translate(MARKS)


def code(text: str) -> str:
    """Words of a program; in a table, too."""
    return f"`{text}`".replace("|", r"\|")


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table whose cells are Markdown already."""
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines).replace("  |", " |")
