"""Servers that clients are measured against: what each can answer, and how to start it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from fetchoff.model.behaviour import ORDINARY
from fetchoff.model.client import Readiness, Recipe
from fetchoff.model.workload import Exchange, Protocol, Settings, Workload

BUILT_IN = "built-in"


class Counted(StrEnum):
    """What an origin can count in a batch; the report says what it cannot check."""

    REQUESTS = "requests"
    CONNECTIONS = "connections"
    BYTES = "bytes"
    SEGMENTS = "segments"


EVERYTHING = frozenset(Counted)


@dataclass(frozen=True)
class Serves:
    """What an origin can answer.

    `files`: whatever the built-in origin answers to one of `methods`, as a file of the same
    content. `own`: patterns of targets that its own program answers, each for any method.
    """

    protocols: frozenset[Protocol] = frozenset({Protocol.HTTP_1_1})
    tls: bool = False
    files: bool = False
    methods: frozenset[str] = frozenset({"GET", "HEAD"})
    own: tuple[str, ...] = ()

    def lacks(self, workload: Workload) -> str:
        """What the origin lacks to serve this workload; "" if nothing."""
        settings = workload.settings
        if settings.protocol not in self.protocols:
            return f"{settings.protocol} is not spoken"
        if settings.tls and not self.tls:
            return "TLS is not spoken"
        if lack := only_built_in(settings):
            return lack
        for exchange in (*workload.before, *workload.exchanges):
            if not self.answers(exchange, settings):
                return f"{exchange.method} {exchange.target} is not answered"
        return ""

    def answers(self, exchange: Exchange, settings: Settings) -> bool:
        """Whether it can answer this exchange."""
        return self.answers_itself(exchange) or (
            self.files and exchange.method in self.methods and _is_a_file(exchange, settings)
        )

    def answers_itself(self, exchange: Exchange) -> bool:
        """Whether its own program answers instead of a file."""
        return any(re.fullmatch(pattern, exchange.target) for pattern in self.own)


def only_built_in(settings: Settings) -> str:
    """What no origin but the built-in one can be asked for; "" if nothing.

    A server that resumes sessions, or keeps a connection that should hang up, would measure
    something else under the workload's name, and no count would show it.
    """
    if settings.proxy:
        return "it is no proxy"
    if not settings.tickets:
        return "whether it lets TLS sessions be resumed cannot be chosen"
    if settings.behaviour != ORDINARY:
        return "how it behaves where HTTP and TCP leave a choice cannot be chosen"
    return ""


# What the built-in origin does with time, or with the request, is not in the content of a file.
_DOES_MORE = re.compile(r"/(?:delay|drip|need)/.*|/echo(?:\?.*)?")


def _is_a_file(exchange: Exchange, settings: Settings) -> bool:
    """Whether the same file is always the right answer."""
    return (
        exchange.expect.status == 200
        and not (settings.cookies or settings.decompress or settings.redirects)
        and not _DOES_MORE.fullmatch(exchange.target)
    )


@dataclass(frozen=True)
class AccessLog:
    """A log with one line per request: the numbers `first received sent`, separated by spaces.

    `first`: what the first number is for the first request of a connection; None: not told.
    """

    file: str
    first: int | None = None
    bytes: bool = False


@dataclass(frozen=True)
class Statistics:
    """The server's own counters as JSON: each figure is the sum of the members at its paths.

    A path has dots between names; `*` is any name.
    """

    target: str
    requests: tuple[str, ...]
    connections: tuple[str, ...] = ()


@dataclass(frozen=True)
class OriginManifest:
    """A server of the catalogue.

    `templates`: files of its folder that are filled in and written for each start. `alive`: the
    target that answers once it serves, within `ready_s`. `kept`: started once a run, not once a
    round, for a server that takes long to start. `counted_by`: None, it is not counted.
    """

    id: str
    about: str
    homepage: str
    folder: Path
    serves: Serves
    recipe: Recipe
    version: tuple[str, ...]
    version_pattern: str
    command: tuple[str, ...]
    env: Mapping[str, str]
    templates: tuple[str, ...]
    alive: str
    ready_s: float
    counted_by: AccessLog | Statistics | None
    kept: bool = False


@dataclass(frozen=True)
class Server:
    """An origin of the catalogue with its state on this machine.

    `built`: the folder that its steps were run in. `reason` and `hint`: why it is not ready.
    """

    manifest: OriginManifest
    readiness: Readiness
    built: Path
    version: str = ""
    reason: str = ""
    hint: str = ""


@dataclass(frozen=True)
class OriginRecord:
    """What a run stores about its origin. `counts`: see `Counted`."""

    id: str = BUILT_IN
    about: str = "the origin that comes with Fetchoff"
    version: str = ""
    counts: tuple[str, ...] = tuple(Counted)
