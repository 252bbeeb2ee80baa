"""The workload as `prepare` describes it, parsed once: the measured loop only reads slots."""

from __future__ import annotations

import json
import os
from urllib.parse import urlencode, urlsplit

TYPE_CHECKING = False  # typing itself would cost start-up time in every process
if TYPE_CHECKING:
    from ssl import SSLContext
    from typing import Any, BinaryIO, TypeVar

    Name = TypeVar("Name")


class Settings:
    """The settings of one `prepare`."""

    def __init__(self, message: dict[str, Any]) -> None:
        self.protocol: str = message["protocol"]
        self.reuse: bool | None = message["reuse"]
        self.concurrency: int = message["concurrency"]
        self.sink: str = message["sink"]
        self.read_size: int | None = message["read_size"]
        self.directory: str | None = message["directory"]
        self.cookies: bool = message["cookies"]
        self.decompress: bool = message["decompress"]
        self.redirects: int = message["redirects"]
        self._timeouts_ms: dict[str, int | None] = message["timeout_ms"]
        self.tls_ca: str | None = message["tls_ca"]
        self.proxy: str | None = message["proxy"]
        self.options: dict[str, Any] = message["options"]
        if self.concurrency < 1:
            raise ValueError(f"concurrency is {self.concurrency}, and must be at least 1")
        if self.sink == "file" and not self.directory:
            raise ValueError("the sink is file, and there is no directory")

    def tls_context(self) -> SSLContext:
        """What the standard library makes of `tls_ca`, or of the system's authorities."""
        import ssl  # takes long to import, and most workloads do without

        return ssl.create_default_context(cafile=self.tls_ca)

    def timeouts_ms(self, **names: Name) -> dict[Name, int]:
        """The timeouts that were asked for, by the names that the library has for them."""
        asked = {name: self._timeouts_ms[kind] for kind, name in names.items()}
        return {name: timeout for name, timeout in asked.items() if timeout is not None}

    def timeouts(self, **names: Name) -> dict[Name, float]:
        """The same in seconds."""
        return {name: timeout / 1000 for name, timeout in self.timeouts_ms(**names).items()}


def worker_file(settings: Settings, worker: int, exchange: int) -> str:
    """Where the sink `file` puts the content: workers do not write over each other's."""
    if settings.directory is None:
        return os.devnull
    return os.path.join(settings.directory, f"{worker}-{exchange}")


class Upload:
    """A file of a multipart body; opened anew for every exchange."""

    def __init__(self, message: dict[str, Any]) -> None:
        self.name: str = message["name"]
        self.filename: str = message["filename"]
        self.content_type: str = message["content_type"]
        self.path: str = message["path"]

    def open(self) -> BinaryIO:
        return open(self.path, "rb")


class Exchange:
    """One request, and what is expected of its response."""

    __slots__ = (
        "arguments",
        "body",
        "bytes",
        "content_type",
        "fields",
        "file",
        "files",
        "headers",
        "host",
        "kind",
        "member",
        "method",
        "port",
        "scheme",
        "sha256",
        "status",
        "target",
        "url",
    )

    def __init__(self, message: dict[str, Any]) -> None:
        self.method: str = message["method"]
        self.url: str = message["url"]
        parts = urlsplit(self.url)
        self.scheme = parts.scheme
        self.host = parts.hostname or ""
        self.port = parts.port or (443 if parts.scheme == "https" else 80)
        self.target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        self.headers: list[tuple[str, str]] = _pairs(message["headers"])

        self.kind, self.body, self.content_type = _body(message["body"])
        self.files: list[Upload] = []
        if self.kind == "multipart":
            self.files = [Upload(file) for file in message["body"]["files"]]
        if self.kind == "raw":
            self.headers.append(("Content-Type", self.content_type))

        expect = message["expect"]
        self.status: int = expect["status"]
        self.bytes: int | None = expect["bytes"]
        self.member: tuple[str, str] | None = tuple(expect["json"]) if expect["json"] else None
        self.file = os.devnull
        self.sha256 = ""
        self.arguments: Any = None

    def body_as(self, **keywords: str) -> dict[str, Any]:
        """The body as a keyword argument, by the name that the library has for its kind."""
        return {keywords[self.kind]: self.body} if self.kind in keywords else {}

    def typed_headers(self) -> list[tuple[str, str]]:
        """The headers for clients that take any body as bytes, and cannot know its type."""
        if self.kind in ("form", "json"):
            return [*self.headers, ("Content-Type", self.content_type)]
        return self.headers

    def encode(self) -> bytes | None:
        """The body made anew, for clients that take bytes."""
        kind = self.kind
        if kind is None or kind == "multipart":
            return None
        if kind == "form":
            return urlencode(self.body).encode()
        if kind == "json":
            return json.dumps(self.body).encode()
        return self.body  # type: ignore[no-any-return]

    def fields_by_name(self) -> dict[str, list[str]]:
        """The fields of a form, for clients that take no pairs."""
        groups: dict[str, list[str]] = {}
        for name, value in self.body:
            groups.setdefault(name, []).append(value)
        return groups

    def open_parts(self) -> OpenParts:
        """For `with`: the parts of a multipart body, its files opened anew; empty for others."""
        return OpenParts(self.body, self.files) if self.kind == "multipart" else NO_PARTS


class OpenParts:
    """A multipart body in the shape that many libraries share, its files open inside a `with`."""

    def __init__(self, fields: list[tuple[str, str]], uploads: list[Upload]) -> None:
        self._fields = fields
        self._uploads = uploads
        self._files: list[BinaryIO] = []

    def __enter__(self) -> list[tuple[str, tuple[Any, ...]]]:
        parts: list[tuple[str, tuple[Any, ...]]] = [(n, (None, v)) for n, v in self._fields]
        for upload in self._uploads:
            file = upload.open()
            self._files.append(file)
            parts.append((upload.name, (upload.filename, file, upload.content_type)))
        return parts

    def __exit__(self, *error: object) -> None:
        for file in self._files:
            file.close()


NO_PARTS = OpenParts([], [])


def _body(message: dict[str, Any] | None) -> tuple[str | None, Any, str]:
    """The kind of a body, its fields, document or bytes, and its content type."""
    if message is None:
        return None, None, ""
    kind = message["kind"]
    if kind == "raw":
        return kind, _read(message["path"]), message["content_type"]
    if kind == "json":
        return kind, message["value"], "application/json"
    if kind == "form":
        return kind, _pairs(message["fields"]), "application/x-www-form-urlencoded"
    if kind == "multipart":
        return kind, _pairs(message["fields"]), "multipart/form-data"
    raise ValueError(f"unknown kind of body {kind!r}")


def _pairs(message: list[list[str]]) -> list[tuple[str, str]]:
    return [(name, value) for name, value in message]


def _read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()
