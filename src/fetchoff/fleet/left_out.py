"""Who takes no part in a run, and why: told at once, and kept in the run for its readers."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from fetchoff.model.errors import HostError

Warn = Callable[[str], None]


class LeftOut:
    """Hosts that are left out. `known`: those of which the user has been told already.

    Hints are shown and not kept, because they may hold addresses.
    """

    def __init__(self, warn: Warn, known: Mapping[str, HostError]) -> None:
        self._warn = warn
        self._reasons = {host: error.message for host, error in known.items()}

    def add(self, host: str, reason: str, hint: str = "") -> None:
        """Another one; the user is told."""
        self._reasons[host] = reason
        self._warn(f"{host} is left out: {reason}{f' ({hint})' if hint else ''}")

    def notes(self) -> list[str]:
        """A note for each reason, with the hosts that it is of."""
        hosts: dict[str, list[str]] = {}
        for host, reason in sorted(self._reasons.items()):
            hosts.setdefault(reason, []).append(host)
        return [
            f"{', '.join(names)} {'was' if len(names) == 1 else 'were'} left out: {reason}"
            for reason, names in hosts.items()
        ]
