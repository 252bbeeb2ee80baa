"""Names on a link: by what a client finds the origin, for diagnosis only (docs/decisions/0015)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

ORIGIN_NAME = "origin.test"  # .test is nobody's: RFC 6761, section 6.2


class Address(StrEnum):
    """An address that a name has: one of the origin's, or a black hole."""

    ORIGIN = "origin"
    ORIGIN_IPV6 = "origin-ipv6"
    DEAD_IPV6 = "dead-ipv6"

    @property
    def is_ipv6(self) -> bool:
        return self is not Address.ORIGIN


@dataclass(frozen=True)
class Names:
    """What the name server of a link knows of the origin's name.

    `addresses`: in the order in which they are told. `delay_ms`: how much later than it comes a
    query is answered.
    """

    addresses: tuple[Address, ...] = (Address.ORIGIN,)
    delay_ms: float = 0.0
