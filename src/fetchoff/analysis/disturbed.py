"""Leaves out turns in which something else slowed the core: docs/analysis.md#disturbed-turns."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from math import inf

import numpy as np

from fetchoff.model.observation import Turns

MOST_SLOWED = 1.05
"""Times what a client's quick probes take. Undisturbed, the mean of a turn's probes stays within
2 %, and a client that touches more memory adds up to 4 %; other virtual machines add 12 to 40 %
(docs/decisions/0023)."""
QUICK = 0.25  # quantile of a client's probes: a machine that is disturbed half of the time has it


def undisturbed(turns: Sequence[Turns], clients: Mapping[str, str]) -> tuple[Turns, ...]:
    """The turns of one course on a shared core, each record with those that count.

    `clients`: by the key of their entrants. A turn counts if its probes were no more than 5 %
    slower than the quick ones of the same client on the same host. What the client itself did in it
    has no part in that. All turns of a client count if half of them were slow: then it slows the
    core itself, or the whole machine is disturbed. The records of processes without a turn that
    counts are left out.
    """
    probes: dict[_Whose, list[int]] = defaultdict(list)
    for one in turns:
        probes[_whose(one, clients)] += [took for took in one.probe_ps if took]
    most_ps = {whose: _most_ps(took) for whose, took in probes.items()}
    calm = (_calm(one, most_ps[_whose(one, clients)]) for one in turns)
    return tuple(one for one in calm if any(one.exchanges))


def left_out(before: Sequence[Turns], after: Sequence[Turns]) -> tuple[int, int]:
    """How many turns do not count, and of how many."""
    counted, given = (sum(len(one.exchanges) for one in each) for each in (after, before))
    return given - counted, given


_Whose = tuple[str, str]  # client and host


def _whose(one: Turns, clients: Mapping[str, str]) -> _Whose:
    return clients[one.entrant], one.host


def _most_ps(took: Sequence[int]) -> float:
    """What probes of a turn that counts may take."""
    if not took:
        return inf
    most_ps = MOST_SLOWED * float(np.quantile(took, QUICK))
    return inf if np.median(took) > most_ps else most_ps


def _calm(one: Turns, most_ps: float) -> Turns:
    chosen = [place for place, took in enumerate(one.probe_ps) if took <= most_ps]
    return one if len(chosen) == len(one.probe_ps) else one.only(chosen)
