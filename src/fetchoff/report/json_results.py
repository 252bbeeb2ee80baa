"""results.json: everything that the analysis holds, described by docs/results.schema.json."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum

from fetchoff.model.analysis import Analysis, Point

SCHEMA = 1
Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]


def text(analysis: Analysis) -> str:
    """The whole file: one line for each member of the document, so that it can be searched."""
    members = (
        f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False, allow_nan=False)}"
        for key, value in document(analysis).items()
    )
    return "{\n" + ",\n".join(members) + "\n}\n"


def document(analysis: Analysis) -> dict[str, Json]:
    """The document as plain data. A number that is not finite becomes null."""
    whole: dict[str, Json] = {"schema": SCHEMA}
    for field in fields(analysis):
        if field.name != "points":
            whole[field.name] = plain(getattr(analysis, field.name))
    return whole | {"points": {name: _columns(batch) for name, batch in analysis.points.items()}}


def _columns(points: tuple[Point, ...]) -> Json:
    """Batches column by column: a run has tens of thousands."""
    return {
        field.name: [plain(getattr(point, field.name)) for point in points]
        for field in fields(Point)
    }


def plain(value: object) -> Json:
    """Any of our plain data as JSON. A number that is not finite becomes null."""
    match value:
        case Enum():
            return str(value.value)
        case float():
            return value if math.isfinite(value) else None
        case None | bool() | int() | str():
            return value
        case Mapping():
            return {str(key): plain(member) for key, member in value.items()}
        case tuple() | list():
            return [plain(member) for member in value]
        case _ if is_dataclass(value):
            return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    raise TypeError(f"a result cannot hold a {type(value).__name__}")
