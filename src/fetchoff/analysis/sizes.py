"""An article in a run that has its workloads at other sizes, or over a link of its own choice."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from fetchoff.model.claim import (
    AmountClaim,
    Article,
    Claim,
    EqualClaim,
    FindingClaim,
    OrderClaim,
    PublishedTable,
    RatioClaim,
    Side,
    SpreadClaim,
    Statement,
    UnmeasurableClaim,
)
from fetchoff.model.course import parts_of
from fetchoff.model.link import LOOPBACK
from fetchoff.model.workload import PLACED


def at_sizes_of(article: Article, workloads: Collection[str]) -> Article:
    """The article about the courses that a run has, `workloads` being their ids.

    What stands after an '@' is the size of a workload. A course that is not in the run is the one
    that differs from it in size alone, if there is exactly one such. Where the article names no
    link, and the run has nothing of it over loopback, it is the one over a link.
    """
    sized = _Sizes(workloads)
    return replace(
        article,
        claims=tuple(sized.claim(claim) for claim in article.claims),
        tables=tuple(sized.table(table) for table in article.tables),
        per_implementation=sized.everywhere(article.per_implementation),
    )


def _kind(course: str) -> str:
    """What a workload is at any size and over any link, with its placement."""
    workload, mark, placement = parts_of(course)[0].partition(PLACED)
    return workload.partition("@")[0] + mark + placement


def _place(course: str) -> tuple[str, str]:
    return _kind(course), parts_of(course)[1]


class _Sizes:
    def __init__(self, workloads: Collection[str]) -> None:
        self._workloads = workloads

    def course(self, name: str) -> str:
        if name in self._workloads:
            return name
        alike = [known for known in self._workloads if _place(known) == _place(name)]
        if not alike and parts_of(name)[1] == LOOPBACK.id:
            alike = [known for known in self._workloads if parts_of(known)[0] == name]
            alike = alike or [known for known in self._workloads if _kind(known) == _kind(name)]
        return alike[0] if len(alike) == 1 else name

    def everywhere(self, workload: str) -> str:
        """A workload that is looked at over every link."""
        there = dict.fromkeys(parts_of(known)[0] for known in self._workloads)
        alike = [known for known in there if _kind(known) == _kind(workload)]
        return alike[0] if workload not in there and len(alike) == 1 else workload

    def side(self, side: Side) -> Side:
        return Side(side.client, self.course(side.workload))

    def claim(self, claim: Claim) -> Claim:
        return replace(claim, statement=self._statement(claim.statement))

    def _statement(self, stated: Statement) -> Statement:
        match stated:
            case RatioClaim() | EqualClaim():
                return replace(stated, of=self.side(stated.of), to=self.side(stated.to))
            case OrderClaim() | SpreadClaim():
                return replace(stated, sides=tuple(map(self.side, stated.sides)))
            case AmountClaim():
                return replace(stated, of=self.side(stated.of))
            case FindingClaim() | UnmeasurableClaim():
                return stated

    def table(self, table: PublishedTable) -> PublishedTable:
        rows = (
            replace(row, cells=tuple(replace(c, side=self.side(c.side)) for c in row.cells))
            for row in table.rows
        )
        return replace(table, rows=tuple(rows))
