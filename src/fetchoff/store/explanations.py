"""The explanations of a run, in a file of its folder."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from fetchoff.model.cause import Diagnosis, KnownFault
from fetchoff.model.errors import StoreError
from fetchoff.model.explanation import Explanation
from fetchoff.protocol.fields import Garbled
from fetchoff.protocol.watching import event_rows, events_of
from fetchoff.store import plan_file

FILE = "explanations.json"


def write(folder: Path, explanations: Sequence[Explanation]) -> None:
    """Write all explanations of a run, into a folder that is made if need be.

    StoreError if that fails.
    """
    rows = [
        {
            "diagnosis": _diagnosis().dump_python(each.diagnosis, mode="json"),
            "known": _known().dump_python(each.known, mode="json"),
            "excerpt": event_rows(each.excerpt),
        }
        for each in explanations
    ]
    text = json.dumps(rows, ensure_ascii=False, indent=1) + "\n"
    plan_file.write(folder, FILE, text, "make room; the measurements are kept")


def read(folder: Path) -> tuple[Explanation, ...]:
    """The explanations of a run; none if it has no such file. StoreError if it can't be read."""
    path = folder / FILE
    try:
        rows = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(rows, list):
            raise TypeError("not a list")
        return tuple(map(_explanation, rows))
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise StoreError(f"{path} cannot be read: {error.strerror}") from error
    except (ValueError, KeyError, TypeError, Garbled, ValidationError) as error:
        raise StoreError(
            f"{path} is damaged", "delete it; the measurements do not depend on it"
        ) from error


def _explanation(row: dict[str, object]) -> Explanation:
    return Explanation(
        _diagnosis().validate_python(row["diagnosis"]),
        _known().validate_python(row["known"]),
        events_of(row["excerpt"]),
    )


@cache
def _diagnosis() -> TypeAdapter[Diagnosis]:
    return TypeAdapter(Diagnosis)


@cache
def _known() -> TypeAdapter[tuple[KnownFault, ...]]:
    return TypeAdapter(tuple[KnownFault, ...])
