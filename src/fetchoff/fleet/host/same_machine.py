"""A host goes on only where it began: the name of a worker doesn't tell."""

from __future__ import annotations

from collections.abc import Collection

from fetchoff.app.same_machine import other_conditions, other_machine
from fetchoff.model.errors import HostError
from fetchoff.store.run_folder import Header


def must_be_the_same_machine(header: Header, cores: Collection[int]) -> None:
    """Raise HostError if this isn't the machine on which the run folder of a host was made, or if
    clients can't be measured here as they were. `cores`: those that may be used here."""
    if why := other_machine(header, cores):
        raise HostError(
            f"it is another machine than the one on which this run began ({why})",
            "start its worker on that machine again, or begin a new run",
        )
    if why := other_conditions(header):
        raise HostError(
            f"its permissions or limits have changed since this run began ({why})",
            "start its worker as the same user and in the same container, or begin a new run",
        )
