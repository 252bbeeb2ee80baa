"""Run folders: run.json, batches.jsonl, and the files derived from them."""

from __future__ import annotations

import contextlib
import functools
import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, TypeAdapter, ValidationError

from fetchoff.model.client import Package
from fetchoff.model.errors import InputError, StoreError
from fetchoff.model.experiment import Experiment
from fetchoff.model.homepage import must_be_of_the_web
from fetchoff.model.host import FleetMode, HostRecord
from fetchoff.model.observation import Ended, Record
from fetchoff.model.origin import OriginRecord
from fetchoff.model.program import ProgramRecord
from fetchoff.model.tree import Tree
from fetchoff.store.journal import Journal, Span
from fetchoff.store.new_folder import try_to_make
from fetchoff.store.records import from_line, to_line
from fetchoff.store.whole_file import whole

HEADER = "run.json"
HISTORY, HISTORIES = "history.json", "histories.json"
RUNS = Path("runs")
"""Where runs are kept that have no folder of their own."""

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
    machine that `environment` describes. `machine`: which machine may go on with the run folder of
    a host, as a digest; "" in all others. `began_on`: the same of a run of one machine. `code`: a
    digest of Fetchoff's own code. Older runs have neither of the two.
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
    machine: str = ""
    began_on: str = ""
    code: str = ""


@functools.cache
def _headers() -> TypeAdapter[Header]:
    """Cached, because building it takes longer than reading a header."""
    return TypeAdapter(Header)


class RunFolder:
    """An open run folder. One process at a time may append.

    The records of a run of one machine are kept in memory. Those of a fleet may be far too many:
    only where each host has its own is kept, and they are read when they are asked for.
    """

    def __init__(self, path: Path, header: Header) -> None:
        self.path = path
        self.header = header
        self._journal = Journal(path, resumed_by(header, path))
        self._records: list[Record] = []
        self._spans: dict[str, list[Span]] = {host.id: [] for host in header.hosts}
        self._ended: Ended | None = None
        self._ends = 0
        self._is_new = False
        self._was_there = False

    @classmethod
    def create(cls, path: Path, header: Header) -> RunFolder:
        """Make the folder and its run.json; StoreError if that fails."""
        folder = cls(path, header)
        folder._is_new = True
        try:
            folder._was_there = path.exists()
            path.mkdir(parents=True, exist_ok=True)
            must_hold_no_run(path)
            text = json.dumps(asdict(header), indent=1)
            with whole(path / HEADER) as target:
                target.write(text)
            folder._journal.open_to_append()
        except OSError as error:
            if not folder._was_there:
                with contextlib.suppress(OSError):
                    path.rmdir()
            raise _cannot_be_written(path, error) from error
        return folder

    @classmethod
    def open(cls, path: Path, *, to_append: bool = False) -> RunFolder:
        """Read a run folder; with `to_append`, lock it for appending.

        InputError if it is not a run, StoreError if it is damaged or locked.
        """
        folder = cls(path, _header_of(path))
        if to_append:
            folder._journal.open_to_append()
        for span, record in folder._read():
            folder._note(record, span)
        return folder

    @property
    def is_new(self) -> bool:
        """Whether it was made here, and not opened: only then is it ours to remove."""
        return self._is_new

    @property
    def ended(self) -> Ended | None:
        """How the run ended; None if it did not, or goes on again."""
        return self._ended

    @property
    def ends(self) -> int:
        """How often it ended: a fleet goes on when hosts that were lost have come back."""
        return self._ends

    def records(self) -> Sequence[Record]:
        """All records, in order; those of a fleet are read anew."""
        return [record for _, record in self._read()] if self.header.hosts else self._records

    def of_host(self, host: str) -> list[Record]:
        """The records of one of the hosts of a fleet, in order, read anew."""
        return self.part_of(host).records()

    def part_of(self, host: str) -> HostPart:
        """The part of the journal that one of the hosts of a fleet told."""
        return HostPart(self.path, tuple(self._spans.get(host, ())))

    def append(self, record: Record) -> None:
        """Append a record with a single write."""
        self._note(record, self._journal.append([to_line(record)]))

    def append_of_host(self, host: str, lines: Sequence[bytes]) -> None:
        """Append lines that a host told, with a single write: whole records, and its own."""
        self._note_span(host, self._journal.append(lines))

    def close(self) -> None:
        """Release the lock, so that another process can append."""
        self._journal.close()

    def discard(self) -> None:
        """Remove a run without measurements; other files in the folder stay, and so does a folder
        that was there before."""
        self.close()
        with contextlib.suppress(OSError):
            self._journal.path.unlink()
            (self.path / HEADER).unlink()
            if not self._was_there:
                self.path.rmdir()

    def _note(self, record: Record, span: Span) -> None:
        if isinstance(record, Ended):
            self._ended = record
            self._ends += 1
        elif self.header.hosts:
            self._note_span(record.host, span)
        if not self.header.hosts:
            self._records.append(record)

    def _note_span(self, host: str, span: Span) -> None:
        """What a host told at once lies together, and is one span."""
        if span.begin < span.end:
            self._ended = None
        own = self._spans.get(host)
        if own is None:
            return
        if own and own[-1].end == span.begin:
            span = Span(own.pop().begin, span.end)
        own.append(span)

    def _read(self) -> Iterator[tuple[Span, Record]]:
        return _records_in(self._journal)


@dataclass(frozen=True)
class HostPart:
    """What a host told: some spans of a run folder's journal. Any process can read them."""

    folder: Path
    spans: tuple[Span, ...]

    def records(self) -> list[Record]:
        """All of them, in order, read anew; StoreError if the journal is damaged."""
        journal = Journal(self.folder)
        return [record for span in self.spans for _, record in _records_in(journal, span)]


def must_hold_no_run(path: Path) -> None:
    """Raise StoreError if a run is kept in this folder already, or a history or histories, which
    are many runs: the results of one would overwrite those of the other."""
    for name, called in ((HEADER, "a run"), (HISTORY, "a history"), (HISTORIES, "histories")):
        if os.access(path / name, os.F_OK):  # no error for a name that is too long
            raise StoreError(
                f"{path} already holds {called}",
                f"continue it with {_resumed_by(path)}, or choose another --out",
            )


def must_be_writable(path: Path) -> None:
    """Raise StoreError if no run folder can be made there, before much else is done for it."""
    try:
        try_to_make(path)
    except OSError as error:
        raise _cannot_be_written(path, error) from error


def _cannot_be_written(path: Path, error: OSError) -> StoreError:
    return StoreError(
        f"{path} cannot be written: {error.strerror}", "choose another folder with --out"
    )


def resumed_by(header: Header, path: Path) -> str:
    """The command that goes on with a run. What a host keeps for itself is no run of its own."""
    if header.machine:
        return "'fetchoff fleet resume RUN', where the whole run was begun"
    return f"'fetchoff {'fleet ' if header.hosts else ''}resume {path}'"


def _resumed_by(path: Path) -> str:
    """The command that goes on with what is kept in a folder, whatever it is."""
    with contextlib.suppress(InputError, StoreError):
        return resumed_by(_header_of(path), path)
    return f"'fetchoff resume {path}'"


def _records_in(journal: Journal, span: Span | None = None) -> Iterator[tuple[Span, Record]]:
    for number, (place, line) in enumerate(journal.lines(span), start=1):
        try:
            yield place, from_line(line)
        except ValueError as error:
            where = f":{number}" if span is None else f", byte {place.begin},"
            raise StoreError(f"{journal.path}{where} is damaged", FROM_A_COPY) from error


def _header_of(path: Path) -> Header:
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
        return _headers().validate_json(text)
    except ValidationError as error:
        fault = error.errors()[0]
        where = ".".join(str(part) for part in fault["loc"])
        what = f"{where}: {fault['msg']}" if where else fault["msg"]
        raise StoreError(f"{path / HEADER} is damaged: {what}", FROM_A_COPY) from error
