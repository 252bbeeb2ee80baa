"""Leaves out turns in which something else slowed the core: docs/analysis.md#disturbed-turns."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf

import numpy as np
from scipy.special import bdtrc

from fetchoff.model.observation import Turns

MOST_SLOWED = 1.05
"""Times what quick probes take. Undisturbed, the mean of a turn's probes stays within 2 %; other
virtual machines add 12 to 40 % (docs/decisions/0023)."""
QUICK = 0.25  # quantile of all probes: a machine that is disturbed most of the time has it
OWN_QUICK, COLDEST = 0.1, 1.05
"""A client that leaves the core colder has quick probes of its own, up to 4 % slower than others'.
They are sought in a lower quantile and within this limit, so that a client which happened to be
disturbed more often than others is not measured by slow probes."""
MORE_OFTEN, BY_CHANCE = 0.4, 1e-4
"""A client slows the core itself if its turns are slow so much more often than others', as a share,
and chance gives as many with less than this probability."""


def undisturbed(turns: Sequence[Turns], clients: Mapping[str, str]) -> tuple[Turns, ...]:
    """The turns of one course on a shared core, each record with those that count.

    `clients`: by the key of their entrants. A turn counts if its probes were no more than 5 %
    slower than quick ones on the same host. What the client itself did in it has no part in that.
    Nor has how often this client was disturbed: if all turns counted of those that were disturbed
    in half of them, as it once was, equal clients would differ by as much as the machine slows. All
    turns of a client count if it seems to slow the core itself. The records of processes without a
    turn that counts are left out.
    """
    probes: dict[_Whose, list[int]] = defaultdict(list)
    for one in turns:
        probes[_whose(one, clients)] += [took for took in one.probe_ps if took]
    most_ps = _limits(probes)
    calm = (_calm(one, most_ps[_whose(one, clients)]) for one in turns)
    return tuple(one for one in calm if any(one.exchanges))


def left_out(before: Sequence[Turns], after: Sequence[Turns]) -> tuple[int, int]:
    """How many turns do not count, and of how many."""
    counted, given = (sum(len(one.exchanges) for one in each) for each in (after, before))
    return given - counted, given


_Whose = tuple[str, str]  # client and host


def _whose(one: Turns, clients: Mapping[str, str]) -> _Whose:
    return clients[one.entrant], one.host


@dataclass(frozen=True)
class _Slowed:
    """How many turns were slow, and of how many."""

    slow: int
    turns: int

    def __sub__(self, other: _Slowed) -> _Slowed:
        return _Slowed(self.slow - other.slow, self.turns - other.turns)


def _limits(probes: Mapping[_Whose, Sequence[int]]) -> dict[_Whose, float]:
    """What probes of a turn that counts may take, picoseconds, by client and host."""
    limits: dict[_Whose, float] = {}
    for host in {host for _, host in probes}:
        here = {whose: np.array(took) for whose, took in probes.items() if whose[1] == host}
        limits |= _limits_of_host({whose: took for whose, took in here.items() if took.size})
    return {whose: limits.get(whose, inf) for whose in probes}


def _limits_of_host(
    probes: Mapping[_Whose, np.ndarray[tuple[int], np.dtype[np.int64]]],
) -> dict[_Whose, float]:
    if not probes:
        return {}
    usual = float(np.quantile(np.concatenate(list(probes.values())), QUICK))
    limits, slowed = {}, {}
    for whose, took in probes.items():
        own = float(np.clip(np.quantile(took, OWN_QUICK), usual, COLDEST * usual))
        limits[whose] = MOST_SLOWED * own
        slowed[whose] = _Slowed(int((took > limits[whose]).sum()), took.size)
    of_all = _Slowed(sum(s.slow for s in slowed.values()), sum(s.turns for s in slowed.values()))
    return {
        whose: inf if _slows_the_core(slowed[whose], of_all - slowed[whose]) else limit
        for whose, limit in limits.items()
    }


def _slows_the_core(own: _Slowed, others: _Slowed) -> bool:
    """Whether turns are slow of this client and not of others, who take turns with it."""
    if not others.turns:
        return False
    usual = (others.slow + 1) / (others.turns + 2)  # Laplace: none yet is not never
    more_often = own.slow / own.turns - usual >= MORE_OFTEN
    return more_often and float(bdtrc(own.slow - 1, own.turns, usual)) < BY_CHANCE


def _calm(one: Turns, most_ps: float) -> Turns:
    chosen = [place for place, took in enumerate(one.probe_ps) if took <= most_ps]
    return one if len(chosen) == len(one.probe_ps) else one.only(chosen)
