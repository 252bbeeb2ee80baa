"""The name server at the client's end of a link, and which of the name's addresses answer."""

from __future__ import annotations

import ipaddress

from fetchoff.model.errors import LinkError
from fetchoff.model.names import ORIGIN_NAME, Address, Names
from fetchoff.protocol import link as control
from fetchoff.protocol.fields import Garbled
from fetchoff.run.network.link_program import LinkProgram

ANY_ADDRESS = "[::]"  # of both versions: ipv6(7)
DEAD_HOST = 0xDEAD  # in the network of the link's ends; nobody has it
SEES_OWN_FILES = "--names"


class NameService:
    """What clients at a link's near end are told of the origin's name. LinkError where it can't be.

    `at_client`: the beginning of a command line that runs there and asks the name server.
    """

    def __init__(self, program: LinkProgram, opened: control.Opened, names: Names) -> None:
        self._program, self._link, self._names = program, opened.link, names
        if any(address.is_ipv6 for address in names.addresses) and not opened.far.ipv6:
            raise LinkError(
                "a name of this link has an IPv6 address, and the kernel has no IPv6",
                "choose another link: 'fetchoff links'",
            )
        self._addresses = {
            address: _place(address, opened.far) for address in dict.fromkeys(names.addresses)
        }
        self.at_client = program.inside(opened.near.namespace, SEES_OWN_FILES)
        self.be_easy()

    @property
    def listens_at(self) -> str | None:
        """Where the origin must listen to be found; None: at its ordinary address."""
        return ANY_ADDRESS if Address.ORIGIN_IPV6 in self._names.addresses else None

    def be_easy(self) -> None:
        """Answer at once; what is a black hole otherwise can't be reached, and says so.

        The addresses are the same as ever, so that a client learns nothing that is wrong later.
        """
        dead = [place for address, place in self._addresses.items() if address is Address.DEAD_IPV6]
        self._set(0.0, dead)

    def be_as_asked(self) -> None:
        """Answer as late as the link says; dead addresses are black holes."""
        self._set(self._names.delay_ms, [])

    def queries(self) -> control.Asked:
        """What clients have looked up since the last call."""
        try:
            return control.read_queries(self._program.ask(control.take_queries(self._link)))
        except Garbled as error:
            raise LinkError(f"the name server's queries are garbled: {error}") from error

    def _set(self, delay_ms: float, unreachable: list[str]) -> None:
        told = list(self._addresses.values())
        message = control.set_names(self._link, ORIGIN_NAME, told, delay_ms, unreachable)
        self._program.ask(message)


def _place(address: Address, far: control.End) -> str:
    match address:
        case Address.ORIGIN:
            return far.ipv4
        case Address.ORIGIN_IPV6:
            return far.ipv6
        case Address.DEAD_IPV6:
            network = ipaddress.IPv6Interface(f"{far.ipv6}/64").network
            return str(network[DEAD_HOST])
