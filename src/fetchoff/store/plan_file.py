"""A folder that begins with what was asked: a JSON file, and beside it all that comes of it."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

from pydantic import TypeAdapter, ValidationError

from fetchoff.model.errors import StoreError
from fetchoff.store.run_folder import must_hold_no_run
from fetchoff.store.whole_file import whole

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

P = TypeVar("P", bound="DataclassInstance")
ELSEWHERE = "choose another folder with --out"


@dataclass(frozen=True)
class PlanFile(Generic[P]):
    """`name`: of the file. `kind`: the dataclass in it."""

    name: str
    kind: type[P]

    def create(self, folder: Path, plan: P) -> None:
        """Make the folder; StoreError if that fails, or it holds one already, or a run."""
        must_hold_no_run(folder)
        write(folder, self.name, json.dumps(asdict(plan), indent=1))

    def is_in(self, folder: Path) -> bool:
        """Whether a folder holds one."""
        return os.access(folder / self.name, os.F_OK)  # no error for a name that is too long

    def read(self, folder: Path) -> P:
        """What was asked; StoreError if the file is damaged."""
        path = folder / self.name
        try:
            return self._plans.validate_json(path.read_text(encoding="utf-8"))
        except OSError as error:
            raise StoreError(f"{path} cannot be read: {error.strerror}") from error
        except (ValidationError, UnicodeDecodeError) as error:
            raise StoreError(f"{path} is damaged", "restore the file from a backup") from error

    @cached_property
    def _plans(self) -> TypeAdapter[P]:
        return TypeAdapter(self.kind)


def write(folder: Path, name: str, text: str, hint: str = ELSEWHERE) -> None:
    """Write a file of a folder whole; StoreError, with a hint, if that fails."""
    path = folder / name
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with whole(path) as target:
            target.write(text)
    except OSError as error:
        raise StoreError(f"{path} cannot be written: {error.strerror}", hint) from error
