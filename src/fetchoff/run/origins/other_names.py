"""Other names of an origin: where a workload has itself redirected to (docs/origin.md)."""

from __future__ import annotations

import socket
from urllib.parse import parse_qs, urlsplit

from fetchoff.model.errors import InputError
from fetchoff.model.workload import Workload
from fetchoff.run.network.seam import Network

REDIRECT = "/redirect/"


def other_names(workload: Workload) -> tuple[str, ...]:
    """The hosts to which the built-in origin redirects clients that follow redirects."""
    if not workload.settings.redirects:
        return ()
    targets = [urlsplit(exchange.target) for exchange in workload.exchanges]
    asked = [parse_qs(each.query) for each in targets if each.path.startswith(REDIRECT)]
    return tuple(dict.fromkeys(name for query in asked for name in query.get("host", ())))


def must_be_the_origin(workload: Workload, network: Network) -> None:
    """InputError if one of these names does not lead to the origin in this network.

    Namespaces of the network share the machine's names, so that the harness can ask for them.
    """
    for name in other_names(workload):
        if network.origin_address not in _addresses(name):
            raise InputError(
                f"workload '{workload.id}' is redirected to '{name}', which does not lead to the "
                f"origin at {network.origin_address}",
                "without a link, 'localhost' does; leave out --link",
            )


def _addresses(name: str) -> set[str]:
    try:
        found = socket.getaddrinfo(name, None, type=socket.SOCK_STREAM)
    except OSError:
        return set()
    return {str(address[0]) for *_, address in found}
