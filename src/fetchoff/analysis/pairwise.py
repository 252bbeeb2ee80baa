"""All pairs of a course's ranked clients, by each clock."""

from __future__ import annotations

from fetchoff.analysis import clocks
from fetchoff.analysis.series import Series
from fetchoff.analysis.stopping import rule_of
from fetchoff.model.experiment import Experiment, Role
from fetchoff.model.pairwise import Pairwise
from fetchoff.stats import pairwise

CLOCKS = ("wall", "cpu")


def pairs_of(experiment: Experiment, series: Series, *, final: bool) -> dict[str, Pairwise]:
    """What the rankings of a course rest on, by the name of the clock."""
    ranked = [i for i, entrant in enumerate(series.entrants) if entrant.role is Role.RANKED]
    names = [series.entrants[i].key for i in ranked]
    rule = rule_of(experiment)
    hidden = {"wall": clocks.hidden_in(series)[ranked]}
    return {
        clock: pairwise(
            series.logs(clock)[:, ranked], names, rule=rule, final=final, hidden=hidden.get(clock)
        )
        for clock in CLOCKS
    }
