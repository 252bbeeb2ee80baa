"""Toggles: one factor of a workload that is changed while everything else stays the same.

What no workload can change is a client's own: a cure of its adapter, as a variant (`Cure`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from fetchoff.model.workload import Workload


@dataclass(frozen=True)
class Toggle:
    """`about` says what is done, as in "the origin acknowledges each segment at once".

    `behaviour`: members of `Behaviour` that the origin gets; `settings`: members of `Settings` that
    the client is asked for. `when`: of which workloads it changes anything, in words; "" if of all.
    """

    about: str
    behaviour: Mapping[str, object] = field(default_factory=dict)
    settings: Mapping[str, object] = field(default_factory=dict)
    when: str = ""

    def apply(self, workload: Workload) -> Workload:
        """The workload with this factor changed; ValueError where it contradicts the others."""
        settings = workload.settings
        behaviour = replace(settings.behaviour, **self.behaviour)  # type: ignore[arg-type]
        changed = replace(settings, behaviour=behaviour, **self.settings)  # type: ignore[arg-type]
        return replace(workload, settings=changed)

    def change(self, workload: Workload) -> Workload | None:
        """The workload with this factor changed; None where it is as it should be already, or where
        it contradicts the others."""
        try:
            changed = self.apply(workload)
        except ValueError:
            return None
        return changed if changed != workload else None
