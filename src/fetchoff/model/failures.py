"""Whom a run gives up on a course, and what that leaves to find out: docs/analysis.md#outcomes."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable

from fetchoff.model.experiment import Experiment, Role
from fetchoff.model.observation import Invocation, Outcome, Record

MOST_FAILURES = 2  # of a client on a course, before it is not tried any more


class Failures:
    """How often each client has failed on each course, its controls included: they are the same
    program. One wrong answer, or a feature that it lacks, is enough to be given up."""

    def __init__(self, records: Iterable[Record] = ()) -> None:
        self._counted: Counter[tuple[str, str]] = Counter()
        self._noted: defaultdict[tuple[str, str], list[Invocation]] = defaultdict(list)
        for record in records:
            if isinstance(record, Invocation):
                self.note(record)

    def note(self, record: Invocation) -> None:
        """Another invocation, whether or not its attempt counts."""
        key = (record.client, record.workload)
        if record.outcome is not Outcome.OK:
            self._noted[key].append(record)
        if record.outcome is Outcome.UNSUPPORTED or record.answered_wrong:
            self._counted[key] = MOST_FAILURES
        elif record.outcome is not Outcome.OK:
            self._counted[key] += 1

    def is_given_up(self, client: str, course: str) -> bool:
        """Whether a client is not tried any more on a course, by its id."""
        return self._counted[client, course] >= MOST_FAILURES

    def of(self, client: str, course: str) -> tuple[Invocation, ...]:
        """The invocations of a client that failed on a course, the oldest first."""
        return tuple(self._noted.get((client, course), ()))

    def leave_anything(self, experiment: Experiment, course: str) -> bool:
        """Whether a course still has a client to rank, or both clients of a pair."""
        clients = {e.client for e in experiment.entrants if e.role is not Role.CONTROL}
        enough = all if experiment.pair_only else any
        return enough(not self.is_given_up(client, course) for client in clients)
