"""How many round trips an exchange needs by its protocols, where nothing is wasted."""

from __future__ import annotations

import re
from dataclasses import replace

from fetchoff.model.content import iteration_each_way
from fetchoff.model.workload import Exchange, Workload

EXCHANGE = 1
TCP = 1  # RFC 9293, 3.5
TLS_1_3 = 1  # RFC 8446, 2; a resumed one without early data needs as many
TLS_1_2 = 2  # RFC 5246, 7.3
TLS_1_2_RESUMED = 1
FIRST_BYTES = 10 * 1448  # what TCP sends before the first acknowledgement (RFC 6928)
_REDIRECTS = re.compile(r"/redirect/(\d+)")


def needed_round_trips(
    workload: Workload, *, tls_version: str = "1.3", resumed: bool = False
) -> float | None:
    """Round trips an exchange, the mean of those of an iteration.

    A connection that is kept needs none, as where the client may choose, and each redirect needs
    another request. None where it depends: with more content than TCP's first window holds, or
    several exchanges at a time.
    """
    settings = workload.settings
    if settings.concurrency > 1 or _is_large(workload):
        return None
    exchanges = [_of(exchange, follows=settings.redirects) for exchange in workload.exchanges]
    is_fresh = settings.reuse is False
    opening = TCP if is_fresh else 0
    if settings.tls and is_fresh:
        opening += _handshake(tls_version, resumed=resumed)
    return sum(count * (EXCHANGE + opening) for count in exchanges) / len(exchanges)


def _of(exchange: Exchange, follows: int) -> int:
    """Requests of an exchange: itself and the redirects that are followed.

    /redirect/K leads to /redirect/K-1, and at 0 to / (docs/origin.md).
    """
    found = _REDIRECTS.match(exchange.target)
    return 1 + min(follows, int(found[1]) + 1) if found else 1


def _handshake(version: str, *, resumed: bool) -> int:
    if version == "1.3":
        return TLS_1_3
    return TLS_1_2_RESUMED if resumed else TLS_1_2


def _is_large(workload: Workload) -> bool:
    """Whether an exchange has so much content in one direction, as far as that is stated."""
    each = (replace(workload, exchanges=(exchange,)) for exchange in workload.exchanges)
    return max(max(iteration_each_way(one)) for one in each) > FIRST_BYTES
