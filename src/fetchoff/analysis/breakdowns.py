"""Which processes of a client broke down on a workload, and what is told of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence

from fetchoff.analysis.series import Series
from fetchoff.model.experiment import Entrant
from fetchoff.model.failures import Failures
from fetchoff.model.finding import RoundsFailed, Whose
from fetchoff.model.observation import Invocation, Outcome


class Breakdowns:
    """Those of all clients. A client's controls are counted with it, as the run counts them.

    `failures`: of all records, also of attempts that do not count.
    """

    def __init__(self, series: Series, failures: Failures) -> None:
        self._workload = series.workload
        self._failures = failures
        self._of_client: dict[str, list[Invocation]] = defaultdict(list)
        for invocation in series.invocations:
            self._of_client[invocation.client].append(invocation)

    def is_given_up(self, entrant: Entrant) -> bool:
        """Whether its client broke down too often to be tried again."""
        return self._failures.is_given_up(entrant.client, self._workload)

    def of(self, entrant: Entrant) -> Sequence[Invocation]:
        """The processes of its client that broke down, the oldest first.

        Of a client that was given up, also those of attempts that do not count: they helped to end
        it.
        """
        if self.is_given_up(entrant):
            return self._failures.of(entrant.client, self._workload)
        return [i for i in self._of_client[entrant.client] if i.outcome is not Outcome.OK]

    def rounds_failed(self, entrant: Entrant) -> RoundsFailed | None:
        """In which share of its client's rounds that was, and why; None if in none."""
        failed = self.of(entrant)
        if not failed:
            return None
        rounds = {i.sample for i in failed}
        of_rounds = rounds | {i.sample for i in self._of_client[entrant.client]}
        return RoundsFailed(
            len(rounds),
            len(of_rounds),
            failed[-1].message,
            _whose({i.process for i in failed}, entrant.process),
            given_up=self.is_given_up(entrant),
        )


def _whose(processes: Collection[str], own: str) -> Whose:
    """Of whom these processes are; `own`: the one that is ranked."""
    if own not in processes:
        return Whose.CONTROLS
    return Whose.BOTH if len(processes) > 1 else Whose.OWN
