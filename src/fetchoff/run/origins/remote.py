"""A server that somebody else runs, named by its URL: nothing of it is seen but its answers."""

from __future__ import annotations

import ipaddress
import socket
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

from fetchoff.model.errors import KEPT, InputError, OriginError
from fetchoff.model.observation import Seen
from fetchoff.model.origin import Counted, only_built_in
from fetchoff.model.workload import Settings, Workload
from fetchoff.protocol.origin import Counters
from fetchoff.run.host.placement import Cores, Urgency
from fetchoff.run.origins.built_in import PLAIN
from fetchoff.run.os.clocks import ReadKnownNs

# RFC 1918 and RFC 4193. `is_private` is wider: it has addresses that no host should have.
PRIVATE = tuple(
    map(ipaddress.ip_network, ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"))
)
PORTS = {"http": 80, "https": 443}
CONNECT_S = 2.0
NOTHING: frozenset[Counted] = frozenset()


class RemoteOrigin:
    """Answers at a URL. It is neither placed nor counted, so clients' reports are checked less."""

    def __init__(self, url: str) -> None:
        self.cpu_clock: ReadKnownNs = lambda: None  # it runs on a machine that isn't ours to ask
        self._url = url.rstrip("/")

    def open(self, settings: Settings = PLAIN) -> RemoteLedger:  # noqa: ARG002 - it is as it is
        return RemoteLedger(self._url)

    def place(self, cores: Cores, urgency: Urgency) -> None:
        """It runs where its owner put it."""

    def misplaced(self, cores: Cores, urgency: Urgency) -> str:  # noqa: ARG002
        return ""

    @property
    def turnstile(self) -> None:
        """A server that is not ours answers when it likes."""

    def involuntary_switches(self) -> int:
        return 0

    def must_be_there(self) -> None:
        """Whether a connection can be opened: while it is away, no client is to blame."""
        parts = urlsplit(self._url)
        port = parts.port or PORTS[parts.scheme]
        try:
            socket.create_connection((parts.hostname, port), timeout=CONNECT_S).close()
        except OSError as error:
            raise OriginError(f"the origin {self._url} is not there: {error}", KEPT) from error

    def end(self) -> None:
        """Nothing to end: somebody else runs it."""


class RemoteLedger:
    """A ledger that counts nothing."""

    counts = NOTHING
    tls_ca: Path | None = None

    def __init__(self, base_url: str) -> None:
        self.base_url = base_url

    def read(self, at_least: int = 0) -> Counters:  # noqa: ARG002
        return Counters.only(Seen())

    def close(self) -> Counters:
        return self.read()


def must_have_no_secret(url: str) -> None:
    """InputError for a URL with a user or a password: runs and reports name their origin."""
    _, _, rest = url.partition("://")
    if "@" in rest.partition("/")[0]:
        raise InputError(
            "the URL of an origin cannot have a user or a password: results would show them",
            "leave out what stands before '@'; the origin must answer without it",
        )


def must_be_permitted(url: str, *, allow_remote: bool) -> None:
    """InputError for a URL that cannot be used, or is not of this machine or its network.

    Whoever measures sends as many requests as a client can.
    """
    parts = _split(url)
    if parts is None or parts.scheme not in PORTS or not parts.hostname or parts.query:
        raise InputError(
            f"'{url}' cannot be an origin",
            "give scheme, host and port, and a path if targets are below one: http://127.0.0.1:8080",
        )
    if not allow_remote and not all(is_near(address) for address in _addresses(parts)):
        raise InputError(
            f"{parts.hostname} is neither this machine nor in a private network",
            "--allow-remote permits it; only for a server that you may load with requests",
        )


def must_fit(url: str, workload: Workload) -> None:
    """InputError if the exchanges of a workload with this URL would not be what it says.

    The scheme says whether there is TLS, and nobody else would notice: requests aren't counted.
    """
    settings = workload.settings
    is_safe = url.startswith("https://")
    if is_safe != settings.tls:
        says, has = ("TLS", "http") if settings.tls else ("no TLS", "https")
        raise InputError(
            f"workload '{workload.id}' has {says}, and origin {url} is {has}",
            f"give the server's {'http' if is_safe else 'https'} URL, or a workload "
            f"with tls = {'true' if is_safe else 'false'}",
        )
    if lack := only_built_in(settings):
        raise InputError(
            f"origin {url} cannot serve workload '{workload.id}': {lack}",
            "choose another workload, or the built-in origin",
        )


def _split(url: str) -> SplitResult | None:
    """None where its port cannot be one, or a bracket is missing."""
    try:
        parts = urlsplit(url)
        return parts if parts.port != 0 else None
    except ValueError:
        return None


def is_near(address: str) -> bool:
    """Whether it is of this machine or its network; ValueError for what is no address."""
    found = ipaddress.ip_address(address.partition("%")[0])
    return found.is_loopback or found.is_link_local or any(found in net for net in PRIVATE)


def _addresses(parts: SplitResult) -> set[str]:
    assert parts.hostname is not None
    try:
        found = socket.getaddrinfo(parts.hostname, parts.port, type=socket.SOCK_STREAM)
    except (OSError, ValueError) as error:
        raise OriginError(f"the origin {parts.netloc} is not found: {error}") from error
    return {str(address[0]) for *_, address in found}
