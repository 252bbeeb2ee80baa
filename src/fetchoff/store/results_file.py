"""Read the `results.json` of runs and histories that were measured before, by anybody.

Types, required members and choices are checked, as docs/results.schema.json has them, for all that
is read; the observations in the file, which are most of it, are passed over.
"""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from fetchoff.model.errors import StoreError
from fetchoff.model.homepage import must_be_of_the_web
from fetchoff.model.results_file import HistoryFile, ResultsFile

FILE = "results.json"
SCHEMA = 1
ANEW = "'fetchoff report' writes it anew"


def read(folder: Path) -> ResultsFile:
    """The results of a run; StoreError if they are missing, damaged or of another format."""
    return of_text(_content(folder / FILE), str(folder / FILE))


def of_text(text: bytes, name: str) -> ResultsFile:
    """The results that a text holds; StoreError, which calls it by this name, if it's no such."""
    try:
        found = _results().validate_json(text, strict=True)
        if found.schema != SCHEMA:
            raise ValueError(f"it has schema {found.schema}; this version reads schema {SCHEMA}")
        moment(found.started)
        for card in found.cards:
            must_be_of_the_web(card.homepage)
    except ValidationError as error:
        raise StoreError(f"{name} is not valid: {_fault(error)}", ANEW) from error
    except ValueError as error:
        raise StoreError(f"{name} is not valid: {error}", ANEW) from error
    return found


def read_history(folder: Path) -> HistoryFile:
    """The results of a history; StoreError if they are missing or damaged."""
    name = str(folder / FILE)
    try:
        return _histories().validate_json(_content(folder / FILE), strict=True)
    except ValidationError as error:
        hint = f"'fetchoff resume {folder}' writes it anew"
        raise StoreError(f"{name} is not valid: {_fault(error)}", hint) from error


def moment(started: str) -> datetime:
    """When a run started, in UTC; ValueError unless it's ISO 8601 with an offset."""
    try:
        found = datetime.fromisoformat(started)
        if found.tzinfo is None:
            raise ValueError("no offset")
        return found.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise ValueError("started: is not a time of ISO 8601 with its offset") from error


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise StoreError(f"{path} cannot be read: {error.strerror}") from error


def _fault(error: ValidationError) -> str:
    """The first thing that is wrong, in printable words: the file may be somebody else's."""
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    where = ".".join(str(part) for part in first["loc"])
    words = f"{where}: {first['msg']}" if where else first["msg"]
    return "".join(char if char.isprintable() else "?" for char in words)[:200]


@cache
def _results() -> TypeAdapter[ResultsFile]:
    return TypeAdapter(ResultsFile)


@cache
def _histories() -> TypeAdapter[HistoryFile]:
    return TypeAdapter(HistoryFile)
