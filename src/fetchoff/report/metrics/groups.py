"""The standings of a workload, sorted into the ranked, the floors, and those without figures."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from fetchoff.model.analysis import Costs, RankingRow, WorkloadResult
from fetchoff.model.check import CheckOutcome, SelfCheck
from fetchoff.model.experiment import Role
from fetchoff.model.observation import Outcome


@dataclass(frozen=True)
class Groups:
    """`ranked`: best first, or by name where the ranking is withheld. `left_out`: no figures."""

    ranked: tuple[RankingRow, ...]
    floors: tuple[RankingRow, ...]
    left_out: tuple[RankingRow, ...]

    @property
    def measured(self) -> tuple[RankingRow, ...]:
        """Everything that has figures."""
        return self.ranked + self.floors


def groups_of(result: WorkloadResult) -> Groups:
    """Sort a workload's standings for display; controls are shown as self-checks instead."""
    shown = [s for s in result.standings if s.role is not Role.CONTROL]
    measured = [s for s in shown if s.outcome is Outcome.OK and s.costs is not None]
    ranked = [s for s in measured if s.role is Role.RANKED]
    if result.withheld:
        ranked.sort(key=lambda s: s.client)
    return Groups(
        ranked=tuple(ranked),
        floors=tuple(s for s in measured if s.role is Role.FLOOR),
        left_out=tuple(s for s in shown if s.outcome is not Outcome.OK or s.costs is None),
    )


def costs_of(standing: RankingRow) -> Costs:
    """The costs of a standing that is known to be measured."""
    if standing.costs is None:
        raise ValueError(f"{standing.client} has no costs")
    return standing.costs


def is_bulk(standings: Iterable[RankingRow]) -> bool:
    """Whether these clients move so much content that throughput says something."""
    return any(s.costs is not None and s.costs.throughput is not None for s in standings)


def has_parser(standings: Iterable[RankingRow]) -> bool:
    """Whether any of these clients left documents to its kit's parser, which took a known time."""
    return any(s.costs is not None and s.costs.parser_us is not None for s in standings)


def shows_read_size(result: WorkloadResult) -> bool:
    """Whether memory depends on how much is read at once: where content is not kept whole."""
    return result.streams or result.read_size is not None


def tally(checks: tuple[SelfCheck, ...]) -> str:
    """`12 passed, 1 failed, 2 inconclusive`."""
    counts = [
        (sum(c.outcome is outcome for c in checks), outcome.value) for outcome in CheckOutcome
    ]
    return ", ".join(f"{count} {name}" for count, name in counts if count) or "none"
