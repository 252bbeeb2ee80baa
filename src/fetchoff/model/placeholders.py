"""Placeholders in braces, in recipes, commands and configurations."""

from __future__ import annotations

from collections.abc import Mapping


def filled(text: str, places: Mapping[str, object]) -> str:
    """`text` with `{name}` replaced for each of `places`; other braces are left alone."""
    for name, value in places.items():
        text = text.replace(f"{{{name}}}", str(value))
    return text
