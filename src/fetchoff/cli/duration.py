"""How long something may take, as users write it: 90, 90s, 5m, 8h."""

from __future__ import annotations

import re

import typer

UNITS_S = {"": 1, "s": 1, "m": 60, "h": 3600}
LEAST_S = 1.0
_WRITTEN = re.compile(r"(?P<number>\d+(?:\.\d+)?)(?P<unit>[smh]?)", flags=re.ASCII)


def duration_s(text: str | float) -> float:
    """Seconds; BadParameter for anything else, or less than a second."""
    written = _WRITTEN.fullmatch(str(text).strip())
    if written is None:
        raise typer.BadParameter(f"'{text}' is not a time: write seconds, or such as 5m or 8h")
    found = float(written["number"]) * UNITS_S[written["unit"]]
    if found < LEAST_S:
        raise typer.BadParameter(f"'{text}' is less than a second")
    return found
