"""The analysis says what it has found in types; sentences are made in `report/wording` alone."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import fetchoff

PACKAGE = Path(fetchoff.__file__).parent
FILES = (
    *sorted((PACKAGE / "analysis").glob("*.py")),
    *(PACKAGE / "model" / f"{name}.py" for name in ("analysis", "check", "judgement")),
    *sorted((PACKAGE / "model" / "finding").glob("*.py")),
)
WORDS = 3
"""So many words in a string make a sentence, and one beside a value in braces makes its part."""


def sentences(source: str) -> Iterator[str]:
    """Strings that are meant to be read, docstrings left out."""
    tree = ast.parse(source)
    told = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    parts = {
        id(part)
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr)
        for part in node.values
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield ast.unparse(node)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            is_plain = id(node) not in told and id(node) not in parts
            if is_plain and len(node.value.split()) >= WORDS:
                yield node.value


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.name}")
def test_there_are_no_sentences(file: Path) -> None:
    assert list(sentences(file.read_text("utf-8"))) == []


def test_sentences_are_found() -> None:
    source = '''
"""What stands here is told to programmers."""
KEYS = ("a/a", "busy time")
NOTE = "its own clock is off"
def note(share: float) -> str:
    """So is this."""
    return f"{share} off"
'''
    assert list(sentences(source)) == ["its own clock is off", "f'{share} off'"]
