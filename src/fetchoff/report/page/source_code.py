"""Source code as coloured HTML, with few and short tags: a report holds dozens of programs."""

from __future__ import annotations

import functools
from itertools import groupby

from markupsafe import Markup, escape
from pygments import lex
from pygments.lexer import Lexer
from pygments.lexers import TextLexer, get_lexer_for_filename
from pygments.token import Comment, Keyword, Name, Number, Operator, String, _TokenType
from pygments.util import ClassNotFound

CLASSES = (
    (String.Doc, "c"),
    (Comment.Preproc, "k"),
    (Comment.PreprocFile, "s"),
    (Comment, "c"),
    (Keyword, "k"),
    (Operator.Word, "k"),
    (String, "s"),
    (Number, "m"),
    (Name.Function, "f"),
    (Name.Class, "f"),
    (Name.Namespace, "f"),
    (Name.Decorator, "f"),
)


def coloured(name: str, source: str) -> Markup:
    """`source` with spans round what has a colour; the file's name picks the language."""
    tokens = ((_class(kind), value) for kind, value in lex(source, _lexer(name)))
    runs = ((style, "".join(v for _, v in run)) for style, run in groupby(tokens, lambda t: t[0]))
    return Markup("".join(_span(style, text) for style, text in runs))


@functools.cache
def _lexer(name: str) -> Lexer:
    """To find a lexer takes longer than to colour a program."""
    try:
        found: Lexer = get_lexer_for_filename(name)
    except ClassNotFound:
        found = TextLexer()
    return found


@functools.cache
def _class(kind: _TokenType) -> str:
    return next((style for token, style in CLASSES if kind[: len(token)] == token), "")


def _span(style: str, text: str) -> str:
    return f'<i class="{style}">{escape(text)}</i>' if style else str(escape(text))
