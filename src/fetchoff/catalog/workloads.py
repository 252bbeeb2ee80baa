"""catalog/workloads/*.toml and catalog/suites/*.toml; the file's name is the id."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from fetchoff.catalog.places import shipped
from fetchoff.catalog.toml import Document, read
from fetchoff.model import workload as model
from fetchoff.model.errors import InputError, UnknownName

Pair = tuple[str, str]


class _FilePart(Document):
    name: str
    filename: str = Field(pattern=r"^[^/]+$")
    content_type: str = "application/octet-stream"
    size: int = Field(ge=0)


class _Body(Document):
    kind: Literal["form", "json", "multipart", "raw"]
    fields: tuple[Pair, ...] = ()
    files: tuple[_FilePart, ...] = ()
    value: Any = None
    content_type: str = "application/octet-stream"
    size: int = Field(default=0, ge=0)

    def to_model(self) -> model.Body:
        match self.kind:
            case "form":
                return model.FormBody(self.fields)
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


class _Exchange(Document):
    method: Literal["GET", "HEAD", "POST", "PUT"] = "GET"
    target: str = Field(pattern=r"^/")
    headers: tuple[Pair, ...] = ()
    body: _Body | None = None
    expect: _Expect = Field(default_factory=_Expect)

    def to_model(self) -> model.Exchange:
        expect = model.Expect(self.expect.status, self.expect.bytes, self.expect.json_member)
        body = self.body.to_model() if self.body else None
        return model.Exchange(self.method, self.target, body, self.headers, expect)


class _Timeouts(Document):
    connect: int | None = Field(default=None, gt=0)
    read: int | None = Field(default=None, gt=0)
    total: int | None = Field(default=None, gt=0)


def _reuse(value: object) -> object:
    return None if value == "either" else value


class _Settings(Document):
    protocol: model.Protocol = model.Protocol.HTTP_1_1
    tls: bool | None = None
    proxy: bool = False
    reuse: Annotated[bool | None, BeforeValidator(_reuse)] = True
    concurrency: int = Field(default=1, ge=1, le=4096)
    sink: model.Sink = model.Sink.BUFFER
    read_size: int | None = Field(default=None, gt=0)
    cookies: bool = False
    decompress: bool = False
    redirects: int = Field(default=0, ge=0)
    timeout_ms: _Timeouts = Field(default_factory=_Timeouts)
    options: dict[str, bool | int | str] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _agree(self) -> Self:
        try:
            self.to_model()
        except ValueError as error:
            raise PydanticCustomError("contradiction", "{why}", {"why": str(error)}) from error
        return self

    def to_model(self) -> model.Settings:
        """ValueError where the settings contradict each other."""
        plain = self.model_dump(exclude={"tls", "timeout_ms", "options"})
        return model.Settings(
            **plain,
            tls=self.protocol is model.Protocol.H2 if self.tls is None else self.tls,
            timeout_ms=model.TimeoutsMs(**self.timeout_ms.model_dump()),
            options=tuple(self.options.items()),
        )


class _Workload(Document):
    schema_: int = Field(alias="schema", ge=1, le=1)
    about: str
    placement: model.Placement = model.Placement.SHARED_CORE
    batch_ms: float = Field(default=10.0, gt=0, le=10_000)
    settings: _Settings = Field(default_factory=_Settings)
    exchange: tuple[_Exchange, ...] = Field(min_length=1)


class _Suite(Document):
    schema_: int = Field(alias="schema", ge=1, le=1)
    about: str
    workloads: tuple[str, ...] = Field(min_length=1)
    clients: tuple[str, ...] = ("*",)
    except_: tuple[str, ...] = Field(default=(), alias="except")
    if_ready: tuple[str, ...] = ()
    baseline: str = ""
    budget_s: float = Field(default=150.0, gt=0)
    blocks: int = Field(default=6, ge=2, le=100)


@dataclass(frozen=True)
class Suite:
    """Workloads and clients that are run together. `clients` are ids or globs, `without` too;
    those of `if_ready` take part where they are ready, and are not set up for it."""

    id: str
    about: str
    workloads: tuple[str, ...]
    clients: tuple[str, ...]
    without: tuple[str, ...]
    if_ready: tuple[str, ...]
    baseline: str
    budget_s: float
    blocks: int


def read_workload(path: Path) -> model.Workload:
    """The workload in a file."""
    document = read(path, _Workload)
    return model.Workload(
        id=path.stem,
        about=document.about,
        exchanges=tuple(exchange.to_model() for exchange in document.exchange),
        settings=document.settings.to_model(),
        placement=document.placement,
        batch_ms=document.batch_ms,
    )


def workload(name: str) -> model.Workload:
    """A shipped workload by id, or the one in a file that is named by its path."""
    return read_workload(_find("workload", "workloads", name))


def suite(name: str) -> Suite:
    """A shipped suite by id, or the one in a file that is named by its path."""
    path = _find("suite", "suites", name)
    document = read(path, _Suite)
    return Suite(
        id=path.stem,
        about=document.about,
        workloads=document.workloads,
        clients=document.clients,
        without=document.except_,
        if_ready=document.if_ready,
        baseline=document.baseline,
        budget_s=document.budget_s,
        blocks=document.blocks,
    )


def names(room: str) -> list[str]:
    """The ids that ship in `workloads` or `suites`."""
    return sorted(path.stem for path in (shipped("catalog") / room).glob("*.toml"))


def _find(kind: str, room: str, name: str) -> Path:
    if name.endswith(".toml"):
        path = Path(name)
        if not path.is_file():
            raise InputError(f"{path}: no such file")
        return path
    path = shipped("catalog") / room / f"{name}.toml"
    if name not in names(room):
        raise UnknownName(kind, name, names(room))
    return path
