"""Estimates, verdicts, rankings and self-checks: pure functions over arrays, no I/O.

Costs are natural logarithms of total nanoseconds (or of anything else that is compared by ratios)
÷ total exchanges of an invocation, `y[round, client]`, NaN where there is none. A round is one
invocation, that is one fresh process, of each client. Rounds stand in the order in which they were
measured.

    compare(y, a, b)              two clients         -> Comparison
    judge_jointly(differences)    several comparisons -> whether each keeps a limit
    rank(y, baseline=...)         many clients        -> Ranking
    pairwise(y, names)            all their pairs     -> Pairwise
    subset(pairs, shown)          some of them        -> Subset: their own tiers and ratios
    summarise(y, client)          one client's cost   -> Summary
    turn_costs(ns, exchanges)     one invocation      -> TurnCosts
    modes_of(y, client)           one client          -> its modes, if there are any
    above_geometric(y)            many clients        -> what processes of each cost more on average
    rank_over_hosts(levels)       clients on hosts    -> Ranking of hosts in general
    heterogeneity(costs, base)    clients on hosts    -> whether hosts differ

docs/analysis.md explains each rule, with the sources of its formulas.

Results are ratios of costs, never logarithms. Both `compare` and `rank` take `rule`, the
`StoppingRule`, and `final`, which says that no further round will be measured. Call them after any
round with all rounds so far, and once with `final` when a budget that was fixed in advance is
spent.

Missing rounds are left out pair by pair. With fewer than three rounds the verdict is undecided, and
`doubt` says why. Arrays of another shape, and more rounds than the rule provides for, raise
`ValueError`; the data themselves never raise an error.
"""

from __future__ import annotations

from fetchoff.stats.comparison import compare, compare_differences
from fetchoff.stats.hosts import (
    Heterogeneity,
    heterogeneity,
    levels_of_host,
    rank_over_hosts,
    shown_to_differ,
)
from fetchoff.stats.joint import Joint, judge_jointly
from fetchoff.stats.limits import rounds_to_tell, within_limit
from fetchoff.stats.means import above_geometric
from fetchoff.stats.modes import Mode, modes, modes_of
from fetchoff.stats.pairwise import pairwise
from fetchoff.stats.ranking import rank
from fetchoff.stats.sequential import nominal_level
from fetchoff.stats.shares import upper_bound
from fetchoff.stats.subset import Standing, Subset, subset
from fetchoff.stats.summaries import summarise, summarise_rounds
from fetchoff.stats.tiers import unproven_neighbours
from fetchoff.stats.verdicts import verdict
from fetchoff.stats.within import TurnCosts, pair_differences, turn_costs

__all__ = [
    "Heterogeneity",
    "Joint",
    "Mode",
    "Standing",
    "Subset",
    "TurnCosts",
    "above_geometric",
    "compare",
    "compare_differences",
    "heterogeneity",
    "judge_jointly",
    "levels_of_host",
    "modes",
    "modes_of",
    "nominal_level",
    "pair_differences",
    "pairwise",
    "rank",
    "rank_over_hosts",
    "rounds_to_tell",
    "shown_to_differ",
    "subset",
    "summarise",
    "summarise_rounds",
    "turn_costs",
    "unproven_neighbours",
    "upper_bound",
    "verdict",
    "within_limit",
]
