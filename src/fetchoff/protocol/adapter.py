"""The adapter protocol, version 1 (docs/protocol.md): requests as dicts, answers as types."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from fetchoff.model import workload as w
from fetchoff.model.allocations import Allocated
from fetchoff.model.client import Description
from fetchoff.model.workload import Workload, required_features
from fetchoff.protocol.content import content
from fetchoff.protocol.fields import Garbled, Message, printable, text, texts, whole

VERSION = 1
HELLO: Mapping[str, object] = {"op": "hello", "protocol": VERSION}
FINISH: Mapping[str, object] = {"op": "finish"}


@dataclass(frozen=True)
class Spool:
    """A folder for the files of an invocation: bodies to send, and downloads.

    Adapters have working directories of their own, so they are told absolute paths only.
    """

    folder: Path

    def __post_init__(self) -> None:
        object.__setattr__(self, "folder", self.folder.absolute())

    def path_of(self, size: int, filename: str = "content") -> Path:
        """The file with `size` deterministic bytes; some libraries send only its own name."""
        return self.folder / str(size) / filename


def fill(spool: Spool, workload: Workload) -> None:
    """Write the files that the workload's bodies are made of."""
    for exchange in workload.exchanges:
        match exchange.body:
            case w.RawBody(size=size):
                _write(spool.path_of(size), size)
            case w.MultipartBody(files=files):
                for part in files:
                    _write(spool.path_of(part.size, part.filename), part.size)


def _write(path: Path, size: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content(size))


def prepare(
    workload: Workload,
    base_url: str,
    spool: Spool,
    extra_features: tuple[str, ...] = (),
    *,
    tls_ca: Path | None = None,
) -> Message:
    """The `prepare` request. `base_url` has no slash at its end; the proxy has the same."""
    settings = workload.settings
    timeouts = settings.timeout_ms
    return {
        "op": "prepare",
        "require": [*required_features(workload), *extra_features],
        "exchanges": [_exchange(exchange, base_url, spool) for exchange in workload.exchanges],
        "settings": {
            "protocol": str(settings.protocol),
            "reuse": settings.reuse,
            "concurrency": settings.concurrency,
            "sink": str(settings.sink.asked),
            "read_size": settings.read_size,
            "directory": str(spool.folder),
            "cookies": settings.cookies,
            "decompress": settings.decompress,
            "redirects": settings.redirects,
            "timeout_ms": {
                "connect": timeouts.connect,
                "read": timeouts.read,
                "total": timeouts.total,
            },
            "tls_ca": str(tls_ca) if tls_ca else None,
            "proxy": base_url if settings.proxy else None,
            "options": dict(settings.options),
        },
    }


def with_nonsense(message: Message) -> Message:
    """A `prepare` request that also requires a feature with a random name: it must be refused."""
    required = message["require"]
    assert isinstance(required, list)
    return {**message, "require": [*required, f"made-up-{secrets.token_hex(4)}"]}


def _exchange(exchange: w.Exchange, base_url: str, spool: Spool) -> Message:
    expect = exchange.expect
    return {
        "method": exchange.method,
        "url": base_url + exchange.target,
        "headers": [list(header) for header in exchange.headers],
        "body": _body(exchange.body, spool),
        "expect": {
            "status": expect.status,
            "bytes": expect.bytes,
            "json": list(expect.json) if expect.json else None,
        },
    }


def _body(body: w.Body | None, spool: Spool) -> Message | None:
    match body:
        case None:
            return None
        case w.FormBody(fields):
            return {"kind": "form", "fields": [list(field) for field in fields]}
        case w.JsonBody(document):
            return {"kind": "json", "value": json.loads(document)}
        case w.MultipartBody(fields, files):
            parts = [
                {
                    "name": part.name,
                    "filename": part.filename,
                    "content_type": part.content_type,
                    "path": str(spool.path_of(part.size, part.filename)),
                    "bytes": part.size,
                }
                for part in files
            ]
            return {"kind": "multipart", "fields": [list(f) for f in fields], "files": parts}
        case w.RawBody(content_type, size):
            path = str(spool.path_of(size))
            return {"kind": "raw", "content_type": content_type, "path": path, "bytes": size}


def run(n: int, *, digest: bool = False, busy_ns: int = 0, allocations: bool = False) -> Message:
    """The `run` request for n iterations."""
    message: dict[str, object] = {"op": "run", "n": n}
    if digest:
        message["digest"] = True
    if busy_ns:
        message["busy_ns"] = busy_ns
    if allocations:
        message["allocations"] = True
    return message


def read_description(message: Message) -> Description:
    """Read the answer to `hello`; raise Garbled if it is malformed or of another version."""
    if "error" in message:
        raise Garbled(f"answers hello with an error: {printable(str(message['error']))}")
    if whole(message, "protocol") != VERSION:
        raise Garbled(f"speaks protocol {message['protocol']}, not {VERSION}")
    return Description(
        version=text(message, "version"),
        runtime=text(message, "runtime"),
        engine=text(message, "engine"),
        features=frozenset(texts(message, "features")),
    )


@dataclass(frozen=True)
class Prepared:
    """The answer to `prepare`: ready when both texts are empty."""

    unsupported: str = ""
    error: str = ""

    @property
    def is_ready(self) -> bool:
        return not self.unsupported and not self.error


def read_prepared(message: Message) -> Prepared:
    """The answer to `prepare`."""
    if message.get("ready") is True:
        return Prepared()
    if "unsupported" in message:
        return Prepared(unsupported=text(message, "unsupported"))
    if "error" in message:
        return Prepared(error=text(message, "error"))
    raise Garbled(f"answers prepare with {printable(str(sorted(message)))}")


@dataclass(frozen=True)
class Done:
    """The answer to `run`.

    `children_ns` is (user, system), None if the adapter says nothing of it. `parse_ns` is the time
    in its kit's JSON parser, None where that is not used. `allocated`: None unless it was asked
    for, and is known.
    """

    done: int
    failed: int
    bytes: int
    wall_ns: int
    error: str = ""
    sha256: tuple[str, ...] = ()
    spun_ns: int = 0
    children_ns: tuple[int, int] | None = None
    children_peak_kb: int = 0
    parse_ns: int | None = None
    allocated: Allocated | None = None


def read_done(message: Message) -> Done:
    """Read the answer to `run`; raise Garbled if it is malformed."""
    if "done" not in message and "error" in message:
        raise Garbled(f"answers run with an error: {printable(str(message['error']))}")
    children = message.get("children")
    if children is not None and not isinstance(children, dict):
        raise Garbled("'children' is not an object")
    return Done(
        done=whole(message, "done"),
        failed=whole(message, "failed"),
        bytes=whole(message, "bytes"),
        wall_ns=whole(message, "wall_ns"),
        error=text(message, "error") if message.get("error") is not None else "",
        sha256=texts(message, "sha256") if "sha256" in message else (),
        spun_ns=whole(message, "busy_ns") if "busy_ns" in message else 0,
        children_ns=(whole(children, "user_ns"), whole(children, "system_ns"))
        if children
        else None,
        children_peak_kb=whole(children, "peak_kb") if children else 0,
        parse_ns=whole(message, "parse_ns") if "parse_ns" in message else None,
        allocated=_allocated(message["allocations"]) if "allocations" in message else None,
    )


def _allocated(told: object) -> Allocated:
    if not isinstance(told, dict):
        raise Garbled("'allocations' is not an object")
    known = (whole(told, name) if name in told else None for name in ("calls", "bytes"))
    return Allocated(*known)
