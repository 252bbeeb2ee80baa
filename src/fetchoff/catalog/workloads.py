"""catalog/workloads/*.toml and catalog/suites/*.toml; the file's name is the id."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, WithJsonSchema, field_validator, model_validator
from pydantic_core import PydanticCustomError

from fetchoff.catalog.files import SUFFIX, find
from fetchoff.catalog.request_head import Fields, Target, Value
from fetchoff.catalog.toml import Document, read
from fetchoff.model import workload as model
from fetchoff.model.behaviour import Behaviour, Continue
from fetchoff.model.errors import InputError
from fetchoff.model.origin import BUILT_IN

Pair = tuple[str, str]
POWERS = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9}
_U32 = 2**32 - 1  # what the origin keeps such a number in
_WORDS = "the quick brown fox jumps over the lazy dog and "


def _document_of(text: str) -> str:
    return json.dumps({"id": 1, "text": text}, separators=(",", ":"))


def _document(size: int) -> str:
    """A JSON document of `size` bytes when written without spaces."""
    return _document_of((_WORDS * (size // len(_WORDS) + 1))[: size - len(_document_of(""))])


class _FilePart(Document):
    name: str
    filename: str = Field(pattern=r"^[^/]+$")
    content_type: Value = "application/octet-stream"
    size: int = Field(ge=0)


class _Body(Document):
    kind: Literal["form", "json", "multipart", "raw"]
    fields: tuple[Pair, ...] = ()
    files: tuple[_FilePart, ...] = ()
    value: Any = None
    document: int | None = Field(default=None, ge=len(_document_of("")))
    content_type: Value = "application/octet-stream"
    size: int = Field(default=0, ge=0)

    @field_validator("value")
    @classmethod
    def _is_json(cls, value: object) -> object:
        try:
            json.dumps(value, allow_nan=False)
        except (TypeError, ValueError) as error:
            why = f"JSON has nothing for it: {error}"
            raise PydanticCustomError("contradiction", "{why}", {"why": why}) from error
        return value

    def to_model(self) -> model.Body:
        match self.kind:
            case "form":
                return model.FormBody(self.fields)
            case "json" if self.document is not None:
                return model.JsonBody(_document(self.document))
            case "json":
                return model.JsonBody(json.dumps(self.value, separators=(",", ":")))
            case "multipart":
                parts = tuple(model.FilePart(**part.model_dump()) for part in self.files)
                return model.MultipartBody(self.fields, parts)
            case "raw":
                return model.RawBody(self.content_type, self.size)


class _Expect(Document):
    status: int = Field(default=200, ge=100, le=599)
    bytes: int | None = Field(default=None, ge=0)
    json_member: Pair | None = Field(default=None, alias="json")
    varies: bool = False
    cut: bool = False

    def to_model(self) -> model.Expect:
        return model.Expect(
            self.status, self.bytes, self.json_member, varies=self.varies, cut=self.cut
        )


class _Exchange(Document):
    method: Literal["GET", "HEAD", "POST", "PUT"] = "GET"
    target: Target
    headers: Fields = ()
    body: _Body | None = None
    expect: _Expect = Field(default_factory=_Expect)

    def to_model(self) -> model.Exchange:
        body = self.body.to_model() if self.body else None
        expect = self.expect.to_model()
        return model.Exchange(self.method, self.target, body, self.headers, expect)


class _Timeouts(Document):
    connect: int | None = Field(default=None, gt=0)
    read: int | None = Field(default=None, gt=0)
    total: int | None = Field(default=None, gt=0)


class _Behaviour(Document):
    quick_ack: bool = False
    continues: Continue = Continue.WHEN_READ
    charset: bool = False
    coding: bool = True
    keep_alive: bool = True
    answer_pieces: int = Field(default=1, ge=1, le=_U32)
    silent_after: int | None = Field(default=None, ge=0, le=_U32)
    hangs_up: bool = False
    streams: int | None = Field(default=None, ge=1, le=_U32)
    stream_window: int | None = Field(default=None, ge=0, le=2**31 - 1)
    connection_window: int | None = Field(default=None, ge=0, le=2**31 - 1)
    frame_bytes: int | None = Field(default=None, ge=2**14, le=2**24 - 1)


_REUSE = {"anyOf": [{"type": "boolean"}, {"const": "either"}]}  # as a file has it


def _reuse(value: object) -> object:
    return None if value == "either" else value


class _Settings(Document):
    protocol: model.Protocol = model.Protocol.HTTP_1_1
    tls: bool | None = None
    tickets: bool = True
    proxy: bool = False
    reuse: Annotated[bool | None, BeforeValidator(_reuse), WithJsonSchema(_REUSE)] = True
    concurrency: int = Field(default=1, ge=1, le=4096)
    sink: model.Sink = model.Sink.BUFFER
    read_size: int | None = Field(default=None, gt=0)
    cookies: bool = False
    decompress: bool = False
    redirects: int = Field(default=0, ge=0, le=100)
    timeout_ms: _Timeouts = Field(default_factory=_Timeouts)
    options: dict[str, bool | int | str] = Field(default_factory=dict)
    behaviour: _Behaviour = Field(default_factory=_Behaviour)

    @model_validator(mode="after")
    def _agree(self) -> Self:
        try:
            self.to_model()
        except ValueError as error:
            raise PydanticCustomError("contradiction", "{why}", {"why": str(error)}) from error
        return self

    def to_model(self) -> model.Settings:
        """ValueError if the settings contradict each other."""
        plain = self.model_dump(exclude={"tls", "timeout_ms", "options", "behaviour"})
        return model.Settings(
            **plain,
            tls=self.protocol is model.Protocol.H2 if self.tls is None else self.tls,
            timeout_ms=model.TimeoutsMs(**self.timeout_ms.model_dump()),
            options=tuple(self.options.items()),
            behaviour=Behaviour(**self.behaviour.model_dump()),
        )


class _Workload(Document):
    schema_: int = Field(alias="schema", ge=1, le=1)
    about: str
    placement: Literal["shared-core", "separate-cores"] = "shared-core"
    batch_ms: float = Field(default=10.0, gt=0, le=10_000)
    batch_iterations: int = Field(default=1, ge=1, le=1_000_000)
    value: int | None = None
    settings: _Settings = Field(default_factory=_Settings)
    before: tuple[_Exchange, ...] = ()
    exchange: tuple[_Exchange, ...] = Field(min_length=1)


class _Full(Document):
    """The published sizes and clients, used with --full."""

    workloads: tuple[str, ...] = ()
    clients: tuple[str, ...] = ()
    budget_s: float = Field(gt=0)


class _Suite(Document):
    schema_: int = Field(alias="schema", ge=1, le=1)
    about: str
    origin: str = BUILT_IN
    workloads: tuple[str, ...] = Field(min_length=1)
    full: _Full | None = None
    clients: tuple[str, ...] = ("*",)
    except_: tuple[str, ...] = Field(default=(), alias="except")
    if_ready: tuple[str, ...] = ()
    baseline: str = ""
    budget_s: float = Field(default=150.0, gt=0)
    blocks: int = Field(default=6, ge=2, le=100)
    blocks_over_links: int = Field(default=2, ge=1, le=100)


@dataclass(frozen=True)
class Suite:
    """Workloads and clients that are run together, on an origin.

    `clients` and `without` are ids or globs. Clients of `if_ready` take part only if they are ready
    already; they are not set up for the suite.
    """

    id: str
    about: str
    origin: str
    workloads: tuple[str, ...]
    clients: tuple[str, ...]
    without: tuple[str, ...]
    if_ready: tuple[str, ...]
    baseline: str
    budget_s: float
    blocks: int
    blocks_over_links: int


def read_workload(path: Path, value: str = "") -> model.Workload:
    """The workload in a file; `value` replaces the file's own for `{value}`."""
    document = read(path, _Workload, lambda table: _with_value(table, value))
    return model.Workload(
        id=f"{path.stem}@{value}" if value else path.stem,
        about=document.about,
        exchanges=tuple(exchange.to_model() for exchange in document.exchange),
        settings=document.settings.to_model(),
        placement=model.Placement(document.placement),
        batch_ms=document.batch_ms,
        batch_iterations=document.batch_iterations,
        before=tuple(exchange.to_model() for exchange in document.before),
    )


def _with_value(table: dict[str, Any], value: str) -> dict[str, Any]:
    """The table with every `{value}` replaced by the requested value or by its own."""
    if "value" not in table:
        if value:
            raise ValueError("has no value that you could set after '@'")
        return table
    chosen = str(_number(value) if value else table["value"])

    def filled(part: Any) -> Any:
        match part:
            case str():
                return part.replace("{value}", chosen)
            case dict():
                return {key: filled(member) for key, member in part.items()}
            case list():
                return [filled(member) for member in part]
        return part

    return {**filled(table), "value": int(chosen)}


def _number(text: str) -> int:
    """`300`, `64k`, `10M`, `1G`."""
    found = re.fullmatch(r"(\d{1,12})([kMG]?)", text)
    if found is None:
        raise ValueError(f"the value after '@' must be a number such as 300 or 10M, not '{text}'")
    return int(found[1]) * POWERS[found[2]]


def workload(name: str) -> model.Workload:
    """A shipped workload by id, or the one in a file that is named by its path.

    If a workload has a value, set it after '@': `small-gets@50`, `download@10M`. Another placement
    stands after '+': `small-get+free`.
    """
    asked, _, where = name.rpartition(model.PLACED)
    if asked and where in list(model.Placement):
        return model.placed(workload(asked), model.Placement(where))
    file, mark, value = name.rpartition("@")
    if not mark or name.endswith(SUFFIX):
        file, value = name, ""
    _must_place_last(file, value)
    return read_workload(find("workload", "workloads", file), value)


def _must_place_last(file: str, value: str) -> None:
    asked, _, where = file.rpartition(model.PLACED)
    if value and asked and where in list(model.Placement):
        raise InputError(
            f"workload '{file}@{value}': the placement stands last",
            f"write it as '{asked}@{value}{model.PLACED}{where}'",
        )


def suite(name: str, *, full: bool = False) -> Suite:
    """A shipped suite by id, or the one in a file; `full`: at the sizes that were published."""
    path = find("suite", "suites", name)
    document = read(path, _Suite)
    whole = document.full if full else None
    return Suite(
        id=path.stem,
        about=document.about,
        origin=document.origin,
        workloads=(whole and whole.workloads) or document.workloads,
        clients=(whole and whole.clients) or document.clients,
        without=document.except_,
        if_ready=document.if_ready,
        baseline=document.baseline,
        budget_s=whole.budget_s if whole else document.budget_s,
        blocks=document.blocks,
        blocks_over_links=document.blocks_over_links,
    )
