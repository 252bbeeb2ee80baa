"""Source code as coloured HTML."""

from __future__ import annotations

from markupsafe import Markup
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import TextLexer, get_lexer_for_filename
from pygments.util import ClassNotFound


def coloured(name: str, source: str) -> Markup:
    """`source` with spans by token class; the file's name picks the language."""
    try:
        lexer = get_lexer_for_filename(name)
    except ClassNotFound:
        lexer = TextLexer()
    # Pygments escapes every token itself.
    return Markup(highlight(source, lexer, HtmlFormatter(nowrap=True)))
