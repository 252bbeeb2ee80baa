"""What clients can be chosen by: language, kind, protocol, capability."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from fetchoff.model.analysis import ClientCard

COMMANDS = "command"
"""What stands for the language of a command's client, in its id."""
MARKS = "+@~"
"""They begin a variant, a version and a runtime in an id."""

PROTOCOLS = {
    "http/1.1": "HTTP/1.1",
    "h2": "HTTP/2",
    "h2c": "HTTP/2 without TLS",
}
CAPABILITIES = {
    "tls": "TLS",
    "concurrency": "several at a time",
    "cookies": "cookies",
    "redirects": "redirects",
    "decompression": "decompression",
    "proxy": "proxy",
    "body.multipart": "multipart forms",
    "sink.discard": "streamed answers",
    "timeout.connect": "connect timeout",
    "timeout.read": "read timeout",
    "timeout.total": "total timeout",
}
"""Features of docs/protocol.md in a reader's words; those of the harness are left out."""


@dataclass(frozen=True)
class Option:
    """A value of a facet, and what the reader reads."""

    value: str
    label: str


@dataclass(frozen=True)
class Facet:
    """What clients are divided by; `options` are those that some client has and another has not."""

    key: str
    label: str
    options: tuple[Option, ...]


@dataclass(frozen=True)
class Traits:
    """By what a client is found. `is_variant`: another configuration, version or runtime of a
    client that is in the run too."""

    language: tuple[str, ...]
    kind: tuple[str, ...]
    protocol: tuple[str, ...]
    capability: tuple[str, ...]
    is_variant: bool


def traits_of(card: ClientCard, clients: Collection[str], *, kinds_known: bool) -> Traits:
    """`clients`: all of the run. `kinds_known`: older runs don't say where a library is from."""
    language = card.client.partition("/")[0]
    plain = card.client
    for mark in MARKS:
        plain = plain.partition(mark)[0]
    return Traits(
        language=(language,),
        kind=(_kind(card, language, kinds_known=kinds_known),),
        protocol=tuple(name for name in PROTOCOLS if name in card.features),
        capability=tuple(name for name in CAPABILITIES if name in card.features),
        is_variant=plain != card.client and plain in clients,
    )


def _kind(card: ClientCard, language: str, *, kinds_known: bool) -> str:
    if language == COMMANDS:
        return "command"
    if not kinds_known:
        return "library"
    return "standard library" if card.is_standard else "third party"


def facets_of(traits: Sequence[Traits]) -> tuple[Facet, ...]:
    """The facets that divide these clients."""
    found = (
        _facet("language", "language", [each.language for each in traits], {}),
        _facet("kind", "kind", [each.kind for each in traits], {}),
        _facet("protocol", "protocol", [each.protocol for each in traits], PROTOCOLS),
        _facet("capability", "can do", [each.capability for each in traits], CAPABILITIES),
    )
    return tuple(facet for facet in found if facet.options)


def _facet(
    key: str, label: str, values: Sequence[tuple[str, ...]], labels: dict[str, str]
) -> Facet:
    known = list(labels) or sorted({value for each in values for value in each})
    counts = {value: sum(value in each for each in values) for value in known}
    dividing = (value for value, count in counts.items() if 0 < count < len(values))
    return Facet(key, label, tuple(Option(value, labels.get(value, value)) for value in dividing))
