"""Explanations: what a run keeps of the clients that it explained after their ranking."""

from __future__ import annotations

from dataclasses import dataclass

from fetchoff.model.cause import Diagnosis, KnownFault, Stretch
from fetchoff.model.recording import Event


@dataclass(frozen=True)
class Explanation:
    """A diagnosis that can be told without the rules that found it.

    `known`: the faults that its causes name. `excerpt`: the events of a few exchanges.
    """

    diagnosis: Diagnosis
    known: tuple[KnownFault, ...] = ()
    excerpt: tuple[Event, ...] = ()

    @property
    def faults(self) -> dict[str, KnownFault]:
        """The faults that are named, by their ids."""
        return {fault.id: fault for fault in self.known}

    @property
    def marked(self) -> tuple[Stretch, ...]:
        """The places of all causes."""
        return tuple(place for cause in self.diagnosis.causes for place in cause.places)
