"""A host that `fetchoff fleet doctor` examines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fetchoff.app.doctor import MachineCheck
    from fetchoff.fleet.seam.told import Examined
    from fetchoff.model.client import Client


@dataclass(frozen=True)
class Patient:
    """What is known of a host that answers. `clients`: those of the suite, as they stand there;
    `ahead_s`: how far its clock is ahead, None if it didn't say; `checks`: what limits it, beside
    other hosts and this machine as well as by itself.
    """

    host: str
    examined: Examined
    clients: tuple[Client, ...]
    ahead_s: float | None
    checks: tuple[MachineCheck, ...]

    @property
    def is_unfit(self) -> bool:
        """Whether nothing can be measured there, or `fleet run` would not take it."""
        from fetchoff.app.doctor import Health

        return any(check.health is Health.BAD for check in self.checks)
