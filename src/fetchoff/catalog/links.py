"""catalog/links/*.toml: networks to measure over; the file's name is the id."""

from __future__ import annotations

from pathlib import Path
from typing import Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from fetchoff.catalog.files import find
from fetchoff.catalog.toml import Document, read
from fetchoff.model import link as model
from fetchoff.model.errors import InputError
from fetchoff.model.names import Address, Names


class _Bursts(Document):
    begin: float = Field(gt=0, le=1)
    end: float = Field(gt=0, le=1)
    within: float = Field(default=1.0, ge=0, le=1)
    outside: float = Field(default=0.0, ge=0, le=1)


class _Profile(Document):
    delay_ms: float = Field(default=0.0, ge=0, le=60_000)
    jitter_ms: float = Field(default=0.0, ge=0, le=60_000)
    rate_mbit_s: float | None = Field(default=None, gt=0, le=100_000)
    queue_bytes: int | None = Field(default=None, gt=0)
    queue_packets: int | None = Field(default=None, gt=0)
    loss: float = Field(default=0.0, ge=0, lt=1)
    bursts: _Bursts | None = None

    @model_validator(mode="after")
    def _agree(self) -> Self:
        for why, is_so in (
            ("jitter_ms is more than delay_ms", self.jitter_ms > self.delay_ms),
            ("has both loss and bursts", bool(self.loss and self.bursts)),
            ("a queue is limited in bytes or in packets", self.queue_bytes and self.queue_packets),
            (
                "a queue needs a rate_mbit_s",
                (self.queue_bytes or self.queue_packets) and self.rate_mbit_s is None,
            ),
        ):
            if is_so:
                raise PydanticCustomError("contradiction", "{why}", {"why": why})
        return self

    def to_model(self) -> model.Profile:
        plain = self.model_dump(exclude={"bursts"})
        bursts = model.Bursts(**self.bursts.model_dump()) if self.bursts else None
        return model.Profile(**plain, bursts=bursts)


class _Names(Document):
    addresses: tuple[Address, ...] = Field(default=(Address.ORIGIN,), min_length=1)
    delay_ms: float = Field(default=0.0, ge=0, le=10_000)

    @model_validator(mode="after")
    def _agree(self) -> Self:
        for why, is_so in (
            ("an address is named twice", len(set(self.addresses)) < len(self.addresses)),
            ("no address is the origin's", set(self.addresses) == {Address.DEAD_IPV6}),
        ):
            if is_so:
                raise PydanticCustomError("contradiction", "{why}", {"why": why})
        return self

    def to_model(self) -> Names:
        return Names(self.addresses, self.delay_ms)


class _Link(Document):
    schema_: int = Field(alias="schema", ge=1, le=1)
    about: str
    source: str = ""
    mtu: int = Field(default=1500, ge=1280, le=65_521)
    congestion: str = Field(default="cubic", pattern=r"^[a-z0-9_]+$")
    both: _Profile | None = None
    up: _Profile | None = None
    down: _Profile | None = None
    names: _Names | None = None

    @model_validator(mode="after")
    def _directions(self) -> Self:
        if self.both and (self.up or self.down):
            why = "has [both] and also [up] or [down]; use one or the other"
            raise PydanticCustomError("contradiction", "{why}", {"why": why})
        return self


def link(name: str) -> model.Link:
    """A shipped link by its id, or the one in a file that is named by its path."""
    if name == model.LOOPBACK.id:
        return model.LOOPBACK
    path = find("link", "links", name, others=[model.LOOPBACK.id])
    if path.stem == model.LOOPBACK.id:
        raise InputError(
            f"{path}: '{path.stem}' is the id of the link that is not emulated",
            "rename the file",
        )
    return _read(path)


def _read(path: Path) -> model.Link:
    document = read(path, _Link)
    up, down = (side or document.both or _Profile() for side in (document.up, document.down))
    return model.Link(
        id=path.stem,
        about=document.about,
        up=up.to_model(),
        down=down.to_model(),
        mtu=document.mtu,
        congestion=document.congestion,
        source=document.source,
        names=document.names.to_model() if document.names else None,
    )
