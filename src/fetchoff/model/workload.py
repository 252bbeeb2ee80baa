"""Workloads: the exchanges of one iteration, and their settings.

A workload knows no network and no server: exchanges have targets, not addresses.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum

from fetchoff.model.behaviour import Behaviour, Continue

Pairs = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class FormBody:
    """`application/x-www-form-urlencoded`."""

    fields: Pairs
    feature = "body.form"


@dataclass(frozen=True)
class JsonBody:
    """`application/json`; `text` is the document, serialised anew by the client each time."""

    text: str
    feature = "body.json"


@dataclass(frozen=True)
class FilePart:
    """A file of a multipart body: `size` deterministic bytes."""

    name: str
    filename: str
    content_type: str
    size: int


@dataclass(frozen=True)
class MultipartBody:
    """`multipart/form-data`."""

    fields: Pairs
    files: tuple[FilePart, ...] = ()
    feature = "body.multipart"


@dataclass(frozen=True)
class RawBody:
    """`size` deterministic bytes under a content type."""

    content_type: str
    size: int
    feature = "body.raw"


Body = FormBody | JsonBody | MultipartBody | RawBody


@dataclass(frozen=True)
class Expect:
    """What a right answer looks like. `bytes`: content after decoding, None: not checked.

    `varies`: the content differs from one time to the next, so only the status can be checked.
    `cut`: the origin ends it too early, so that a right client fails. No client is told the length:
    it must notice by itself.
    """

    status: int = 200
    bytes: int | None = None
    json: tuple[str, str] | None = None
    varies: bool = False
    cut: bool = False


@dataclass(frozen=True)
class Exchange:
    """One request and its response; `target` is the path and query at the origin."""

    method: str
    target: str
    body: Body | None = None
    headers: Pairs = ()
    expect: Expect = field(default_factory=Expect)


class Sink(StrEnum):
    """What a client does with the content. HASH: add each piece to a SHA-256 and discard it."""

    BUFFER = "buffer"
    JSON = "json"
    DISCARD = "discard"
    FILE = "file"
    HASH = "hash"

    @property
    def asked(self) -> Sink:
        """The sink that is requested of a client; the digest is requested with each batch."""
        return Sink.DISCARD if self is Sink.HASH else self


class Protocol(StrEnum):
    """The protocol: HTTP/1.1; HTTP/2 over TLS, negotiated by ALPN; or HTTP/2 in the clear, by prior
    knowledge."""

    HTTP_1_1 = "http/1.1"
    H2 = "h2"
    H2C = "h2c"


PLACED = "+"
"""Before the placement in the id of a workload that was asked for with another."""


class Placement(StrEnum):
    """Which cores the client and the origin run on (docs/analysis.md#placement)."""

    SHARED_CORE = "shared-core"
    SEPARATE_CORES = "separate-cores"
    FREE = "free"


@dataclass(frozen=True)
class TimeoutsMs:
    """Milliseconds; None leaves the library's default."""

    connect: int | None = None
    read: int | None = None
    total: int | None = None


def _must_suit_http2(behaviour: Behaviour) -> None:
    """ValueError for what the origin can do in HTTP/1.1 alone."""
    if not behaviour.keep_alive:
        raise ValueError("connections of HTTP/2 are kept")
    if behaviour.hangs_up:
        raise ValueError("hangs_up is for http/1.1 only")
    if behaviour.continues is Continue.NEVER:
        raise ValueError("continues is for http/1.1 only")


@dataclass(frozen=True)
class Settings:
    """How to do the exchanges; see docs/protocol.md.

    Proxies are for http URLs and HTTP/1.1 only: nothing is tunnelled through them. `tickets` is
    for the origin: whether it lets TLS sessions be resumed. So is `behaviour`: what a diagnosis
    toggles.
    """

    protocol: Protocol = Protocol.HTTP_1_1
    tls: bool = False
    tickets: bool = True
    proxy: bool = False
    reuse: bool | None = True
    concurrency: int = 1
    sink: Sink = Sink.BUFFER
    read_size: int | None = None
    cookies: bool = False
    decompress: bool = False
    redirects: int = 0
    timeout_ms: TimeoutsMs = field(default_factory=TimeoutsMs)
    options: tuple[tuple[str, bool | int | str], ...] = ()
    behaviour: Behaviour = field(default_factory=Behaviour)

    def __post_init__(self) -> None:
        """ValueError if the settings contradict each other."""
        if self.protocol is not Protocol.HTTP_1_1 and self.tls != (self.protocol is Protocol.H2):
            raise ValueError("h2 needs tls, and h2c goes without")
        if self.protocol is not Protocol.HTTP_1_1:
            _must_suit_http2(self.behaviour)
        if self.proxy and (self.tls or self.protocol is not Protocol.HTTP_1_1):
            raise ValueError("a proxy needs http/1.1 without tls")
        if self.sink is Sink.HASH and self.concurrency > 1:
            raise ValueError("content is hashed one at a time")
        if not (self.tls or self.tickets):
            raise ValueError("tickets are a matter of tls")


@dataclass(frozen=True)
class Workload:
    """The exchanges of one iteration.

    `batch_ms` is the length that batches are calibrated to; none has less than `batch_iterations`.
    `before`: what is done once, so that the origin can answer.
    """

    id: str
    about: str
    exchanges: tuple[Exchange, ...]
    settings: Settings = field(default_factory=Settings)
    placement: Placement = Placement.SHARED_CORE
    batch_ms: float = 10.0
    batch_iterations: int = 1
    before: tuple[Exchange, ...] = ()


def placed(workload: Workload, placement: Placement) -> Workload:
    """The same exchanges with another placement, which their id tells: `small-get+free`."""
    return replace(workload, id=f"{workload.id}{PLACED}{placement}", placement=placement)


def is_placed(workload: Workload) -> bool:
    """Whether the id tells the placement."""
    return workload.id.endswith(f"{PLACED}{workload.placement}")


def required_features(workload: Workload) -> tuple[str, ...]:
    """The features that an adapter must declare to be asked for this workload.

    The one place that turns a workload into the feature names of docs/protocol.md.
    """
    settings = workload.settings
    needed = [str(settings.protocol), f"sink.{settings.sink.asked}"]
    needed += sorted({f"method.{exchange.method.lower()}" for exchange in workload.exchanges})
    needed += sorted({x.body.feature for x in workload.exchanges if x.body is not None})
    if settings.reuse is not None:
        needed.append("connection.reuse" if settings.reuse else "connection.fresh")
    asked = {
        "tls": settings.tls,
        "proxy": settings.proxy,
        "headers": any(exchange.headers for exchange in workload.exchanges),
        "concurrency": settings.concurrency > 1,
        "read-size": settings.read_size is not None,
        "cookies": settings.cookies,
        "decompression": settings.decompress,
        "redirects": settings.redirects > 0,
        "timeout.connect": settings.timeout_ms.connect is not None,
        "timeout.read": settings.timeout_ms.read is not None,
        "timeout.total": settings.timeout_ms.total is not None,
    }
    needed += [feature for feature, is_asked in asked.items() if is_asked]
    needed += [f"option.{name}" for name, _ in settings.options]
    return tuple(needed)
