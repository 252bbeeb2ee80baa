"""The right answers of a run's workloads: each asked for once, before anybody is measured."""

from __future__ import annotations

from fetchoff.model.errors import InputError
from fetchoff.model.workload import Workload
from fetchoff.run.network.seam import Network
from fetchoff.run.origins.built_in import Origin
from fetchoff.run.origins.reference import FetchReference, Reference, do_before


class RightAnswers:
    """Asks an origin for the answers of each workload, once in a run."""

    def __init__(self, fetch: FetchReference) -> None:
        self._fetch = fetch
        self._known: dict[str, Reference] = {}

    def knows(self, workload: Workload) -> bool:
        return workload.id in self._known

    def of(self, workload: Workload, origin: Origin, network: Network) -> Reference:
        """What is right; the workload's `before` is done each time.

        InputError if no client can do it right, or the origin answers otherwise than expected.
        """
        if any(exchange.expect.cut for exchange in workload.exchanges):
            raise InputError(
                f"workload '{workload.id}' has answers that are cut off: no client can do it right",
                "'fetchoff explain' says whether a client notices",
            )
        ledger = origin.open()
        try:
            do_before(workload, ledger.base_url, network)
            if not self.knows(workload):
                self._known[workload.id] = self._fetch(workload, ledger.base_url, network)
        finally:
            ledger.close()
        return self._known[workload.id]
