"""Leaves out turns in which something else slowed the core: docs/analysis.md#disturbed-turns."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

import numpy as np

from fetchoff.model.observation import Turns

MOST_SLOWED = 1.05
"""Times what a probe takes on the core by itself. Undisturbed, the mean of a turn's probes stays
within 2 %; what other virtual machines do adds 12 to 40 % (docs/decisions/0023)."""
BY_ITSELF = 0.25  # quantile of all probes: a machine that is disturbed half of the time has it


def undisturbed(turns: Sequence[Turns]) -> tuple[Turns, ...]:
    """The turns of one course on a shared core, each record with those that count.

    A turn counts if its probes were no more than 5 % slower than the host's quick ones. What the
    client itself did in it has no part in that. All turns of a client count if half of them were
    slow: then it is slow by itself, or the whole machine is. The records of processes without a
    turn that counts are left out.
    """
    by_host = {host: _quick(t for t in turns if t.host == host) for host in {t.host for t in turns}}
    probes: dict[str, list[float]] = defaultdict(list)
    for one in turns:
        probes[one.entrant] += [took / by_host[one.host] for took in one.probe_ps if took]
    slow = {key for key, each in probes.items() if each and np.median(each) > MOST_SLOWED}
    calm = (
        one if one.entrant in slow else _calm(one, MOST_SLOWED * by_host[one.host]) for one in turns
    )
    return tuple(one for one in calm if any(one.exchanges))


def left_out(before: Sequence[Turns], after: Sequence[Turns]) -> tuple[int, int]:
    """How many turns do not count, and of how many."""
    counted, given = (sum(len(one.exchanges) for one in each) for each in (after, before))
    return given - counted, given


def _quick(turns: Iterable[Turns]) -> float:
    took = [ps for one in turns for ps in one.probe_ps if ps]
    return float(np.quantile(took, BY_ITSELF)) if took else float("inf")


def _calm(one: Turns, most_ps: float) -> Turns:
    chosen = [place for place, took in enumerate(one.probe_ps) if took <= most_ps]
    return one if len(chosen) == len(one.probe_ps) else one.only(chosen)
