"""How a user gets a library: one line, in the words of its language."""

from __future__ import annotations

from fetchoff.model.analysis import ClientCard

BY_LANGUAGE = {
    "go": "go get {package}@v{version}",
    "java": "Maven: {package}:{version}",
    "javascript": "npm install {package}@{version}",
    "python": "pip install '{package}=={version}'",
    "rust": "cargo add {package}@{version}",
}
"""Of languages whose registry knows the library by a name that a run stores."""


def install(card: ClientCard) -> str:
    """`pip install 'requests==2.34.2'`; "" if that is not known: then its homepage says it."""
    if card.is_standard:
        return f"comes with {card.runtime or 'the language'}"
    words = BY_LANGUAGE.get(card.client.partition("/")[0])
    if words is None or not card.package:
        return ""
    return words.format(package=card.package, version=card.version.removeprefix("v"))
