"""An article in a run that has its workloads at other sizes: `parallel-http1@10G`."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from fetchoff.model.claim import (
    Article,
    Claim,
    EqualClaim,
    OrderClaim,
    PublishedTable,
    RatioClaim,
    Side,
    SpreadClaim,
    Statement,
    UnmeasurableClaim,
)


def at_sizes_of(article: Article, workloads: Collection[str]) -> Article:
    """The article about the workloads that a run has.

    What stands after an '@' is the size of a workload. A workload that is not in the run is the one
    that differs from it in size alone, if there is exactly one such.
    """
    sized = _Sizes(workloads)
    return replace(
        article,
        claims=tuple(sized.claim(claim) for claim in article.claims),
        tables=tuple(sized.table(table) for table in article.tables),
        per_implementation=sized.workload(article.per_implementation),
    )


def _kind(workload: str) -> str:
    return workload.partition("@")[0]


class _Sizes:
    def __init__(self, workloads: Collection[str]) -> None:
        self._workloads = workloads

    def workload(self, name: str) -> str:
        alike = [known for known in self._workloads if _kind(known) == _kind(name)]
        return alike[0] if name not in self._workloads and len(alike) == 1 else name

    def side(self, side: Side) -> Side:
        return Side(side.client, self.workload(side.workload))

    def claim(self, claim: Claim) -> Claim:
        return replace(claim, statement=self._statement(claim.statement))

    def _statement(self, stated: Statement) -> Statement:
        match stated:
            case RatioClaim() | EqualClaim():
                return replace(stated, of=self.side(stated.of), to=self.side(stated.to))
            case OrderClaim() | SpreadClaim():
                return replace(stated, sides=tuple(map(self.side, stated.sides)))
            case UnmeasurableClaim():
                return stated

    def table(self, table: PublishedTable) -> PublishedTable:
        rows = (
            replace(row, cells=tuple(replace(c, side=self.side(c.side)) for c in row.cells))
            for row in table.rows
        )
        return replace(table, rows=tuple(rows))
