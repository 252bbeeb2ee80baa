"""A history's folder: history.json, which is what was asked, and the runs of its comparisons."""

from __future__ import annotations

import json
from dataclasses import asdict
from functools import cache
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from fetchoff.model.errors import StoreError
from fetchoff.model.history import HistoryPlan

FILE = "history.json"


def create(folder: Path, plan: HistoryPlan) -> None:
    """Make the folder; StoreError if that fails, or it holds a history already."""
    if (folder / FILE).exists():
        raise StoreError(
            f"{folder} already holds a history",
            f"continue it with 'fetchoff resume {folder}', or choose another --out",
        )
    write(folder, FILE, json.dumps(asdict(plan), indent=1))


def is_one(folder: Path) -> bool:
    """Whether a folder holds a history."""
    return (folder / FILE).is_file()


def read(folder: Path) -> HistoryPlan:
    """What was asked; StoreError if the file is damaged."""
    path = folder / FILE
    try:
        return _plans().validate_json(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise StoreError(f"{path} cannot be read: {error.strerror}") from error
    except (ValidationError, UnicodeDecodeError) as error:
        raise StoreError(f"{path} is damaged", "restore the file from a backup") from error


def write(folder: Path, name: str, text: str) -> None:
    """Write a file of the folder whole; StoreError if that fails."""
    path = folder / name
    part = path.with_name(f"{name}.part")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        part.write_text(text, encoding="utf-8")
        part.replace(path)
    except OSError as error:
        raise StoreError(
            f"{path} cannot be written: {error.strerror}", "choose another folder with --out"
        ) from error


@cache
def _plans() -> TypeAdapter[HistoryPlan]:
    return TypeAdapter(HistoryPlan)
