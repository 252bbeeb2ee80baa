"""Run folders: run.json, batches.jsonl, and the files derived from them.

batches.jsonl is append-only, one write per record, so a kill at any moment loses at most the record
being written. An unfinished last line is cut off when the run is resumed.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import functools
import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, TypeAdapter, ValidationError

from fetchoff.model.client import Package
from fetchoff.model.errors import InputError, InUseError, StoreError
from fetchoff.model.experiment import Experiment
from fetchoff.model.homepage import must_be_of_the_web
from fetchoff.model.host import FleetMode, HostRecord
from fetchoff.model.observation import Record
from fetchoff.model.origin import OriginRecord
from fetchoff.model.program import ProgramRecord
from fetchoff.model.tree import Tree
from fetchoff.store.records import from_line, to_line

HEADER = "run.json"
JOURNAL = "batches.jsonl"
SCHEMA = 2
FROM_A_COPY = "restore the file from a backup"


@dataclass(frozen=True)
class ClientRecord:
    """What a run stores about a client.

    `adapter`: its id, or its folder if it isn't shipped. `built`: the digest of everything that it
    was built from (kit, adapter, lock file, recipe); "" in older runs, which didn't store it.
    `packages`: what was locked where its version was resolved from a registry.
    `trees`: source trees that its library is built from, whatever the user has set up; None: as
    set up. `is_standard`: the library comes with the runtime of its language. `package`: what the
    registry calls it, "" if that is not known. `features`: what the adapter declared, in order;
    older runs have none of these three.
    """

    id: str
    adapter: str
    kit: str
    kind: str
    about: str
    homepage: Annotated[str, AfterValidator(must_be_of_the_web)]
    version: str
    runtime: str
    engine: str
    source_name: str
    source: str
    json_parser: str = ""
    built: str = ""
    packages: tuple[Package, ...] = ()
    trees: tuple[Tree, ...] | None = None
    is_standard: bool = False
    package: str = ""
    features: tuple[str, ...] = ()


@dataclass(frozen=True)
class Header:
    """run.json: everything that was decided before measuring began.

    `schema`: 2 since small exchanges are measured in turns; older runs have none, which reads as 1.
    `hosts`: of a fleet, and `mode`, how they share the work. Without any, the run has one host: the
    machine that `environment` describes.
    """

    run_id: str
    title: str
    started: str
    fetchoff: str
    experiment: Experiment
    clients: tuple[ClientRecord, ...]
    environment: dict[str, str]
    notes: tuple[str, ...] = ()
    absent: tuple[tuple[str, str], ...] = field(default=())  # (client, why it isn't in the run)
    origin: OriginRecord = field(default_factory=OriginRecord)
    schema: int = 1
    programs: tuple[ProgramRecord, ...] = ()
    hosts: tuple[HostRecord, ...] = ()
    mode: FleetMode = FleetMode.REPLICATE


@functools.cache
def _headers() -> TypeAdapter[Header]:
    """Cached, because building it takes longer than reading a header."""
    return TypeAdapter(Header)


class RunFolder:
    """An open run folder. One process at a time may append (flock)."""

    def __init__(self, path: Path, header: Header) -> None:
        self.path = path
        self.header = header
        self._records: list[Record] = []
        self._fd = -1

    @classmethod
    def create(cls, path: Path, header: Header) -> RunFolder:
        """Make the folder and its run.json; StoreError if that fails."""
        folder = cls(path, header)
        try:
            path.mkdir(parents=True, exist_ok=True)
            if (path / HEADER).exists():
                raise StoreError(
                    f"{path} already holds a run",
                    f"continue it with 'fetchoff resume {path}', or choose another --out",
                )
            text = json.dumps(asdict(header), indent=1)
            part = path / (HEADER + ".part")
            part.write_text(text, encoding="utf-8")
            part.replace(path / HEADER)
            folder._open_journal()
        except OSError as error:
            raise StoreError(
                f"{path} cannot be written: {error.strerror}", "choose another folder with --out"
            ) from error
        return folder

    @classmethod
    def open(cls, path: Path, *, to_append: bool = False) -> RunFolder:
        """Read a run folder; with `to_append`, lock it for appending.

        InputError if it is not a run, StoreError if it is damaged or locked.
        """
        try:
            text = (path / HEADER).read_text(encoding="utf-8")
        except OSError as error:
            raise InputError(
                f"{path} is not a run folder: {HEADER}: {error.strerror}",
                "give the folder that 'fetchoff run' printed at its end, such as runs/…",
            ) from error
        except UnicodeDecodeError as error:
            raise StoreError(f"{path / HEADER} is damaged: {error}", FROM_A_COPY) from error
        try:
            header = _headers().validate_json(text)
        except ValidationError as error:
            fault = error.errors()[0]
            where = ".".join(str(part) for part in fault["loc"])
            what = f"{where}: {fault['msg']}" if where else fault["msg"]
            raise StoreError(f"{path / HEADER} is damaged: {what}", FROM_A_COPY) from error
        folder = cls(path, header)
        if to_append:
            folder._open_journal()
        folder._read()
        return folder

    def records(self) -> Sequence[Record]:
        """All records, in order."""
        return self._records

    def append(self, record: Record) -> None:
        """Append a record with a single write."""
        line = to_line(record)
        try:
            written = os.write(self._fd, line)
            if written != len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError as error:
            raise StoreError(
                f"{self.path / JOURNAL} cannot be written: {error.strerror}",
                "everything measured so far is kept; make room, then continue with "
                f"'fetchoff resume {self.path}'",
            ) from error
        self._records.append(record)

    def close(self) -> None:
        """Release the lock, so that another process can append."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def discard(self) -> None:
        """Remove a run without measurements; other files in the folder stay."""
        self.close()
        with contextlib.suppress(OSError):
            (self.path / JOURNAL).unlink()
            (self.path / HEADER).unlink()
            self.path.rmdir()

    def _open_journal(self) -> None:
        try:
            self._fd = os.open(
                self.path / JOURNAL, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644
            )
        except OSError as error:
            raise StoreError(f"{self.path / JOURNAL}: {error.strerror}") from error
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            self.close()
            raise InUseError(
                f"{self.path} is in use by another process", "wait for it, or end it first"
            ) from error

    def _read(self) -> None:
        """Read the journal; when appending, cut off an unfinished last line."""
        try:
            data = (self.path / JOURNAL).read_bytes()
        except FileNotFoundError:
            return
        except OSError as error:
            raise StoreError(f"{self.path / JOURNAL} cannot be read: {error.strerror}") from error
        whole = data[: data.rfind(b"\n") + 1]
        if self._fd >= 0 and len(whole) != len(data):
            os.ftruncate(self._fd, len(whole))
        for number, line in enumerate(whole.splitlines(), start=1):
            try:
                self._records.append(from_line(line))
            except ValueError as error:
                raise StoreError(
                    f"{self.path / JOURNAL}:{number} is damaged", FROM_A_COPY
                ) from error
