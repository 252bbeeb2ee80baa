"""Leaves out turns in which something else slowed the core: docs/analysis.md#disturbed-turns."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtrc

from fetchoff.model.observation import Turns

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

MOST_SLOWED = 1.1
"""Times what quick probes take. Undisturbed, the mean of a turn's probes stays within 2 %; other
virtual machines add 12 to 40 % (docs/decisions/0023), and a clock that is stepped down 6 to 8 %
(docs/decisions/0025)."""
QUICK = 0.25  # quantile of all probes: quick on a machine that is disturbed for 75 % of the time
OWN_QUICK, COLDEST = 0.1, 1.05
"""A client that leaves the core colder has quick probes of its own, up to 4 % slower than others'.
They are sought in a lower quantile and within this limit, so that a client which happened to be
disturbed more often than others is not measured by slow probes."""
MORE_OFTEN, BY_CHANCE = 0.4, 1e-4
"""A client slows the core itself if its turns are slow so much more often than others', as a share,
and chance gives as many with less than this probability."""
NEARLY_ALL, HALF = 0.9, 0.5
"""Probes are apart if nearly all of a client's are slower than quick ones, or more than half
quicker."""


@dataclass(frozen=True)
class Sifted:
    """Turns, each record with those that count. `apart`: clients whose probes are slower or quicker
    than others' in the same rounds, and by how much, as a ratio; then all turns count."""

    turns: tuple[Turns, ...]
    apart: Mapping[str, float]


def undisturbed(turns: Sequence[Turns], clients: Mapping[str, str]) -> Sifted:
    """The turns of one course on a shared core that count.

    `clients`: by the key of their entrants. A turn counts if its probes were no more than 10 %
    slower than quick ones on the same host. What the client itself did in it has no part in that.
    Nor has how often this client was disturbed, or equal clients would differ by chance; but all
    turns of a client count if they are slow where those of others are not: it seems to slow the
    core itself, or if it mostly waits. The records of processes without a turn that counts are left
    out.

    Probes are to tell how fast the core is, and nothing of who has it. Where they are 10 % apart,
    which turns count would depend on the client; so all turns of everybody count.
    """
    probes: dict[str, dict[str, _Probes]] = defaultdict(lambda: defaultdict(_Probes))
    for one in turns:
        probes[one.host][clients[one.entrant]].add(one)
    apart = {host: _apart(here) for host, here in probes.items()}
    most_ps = {
        host: dict.fromkeys(here, inf) if apart[host] else _limits(here)
        for host, here in probes.items()
    }
    calm = (_calm(one, most_ps[one.host][clients[one.entrant]]) for one in turns)
    together = {client: ratio for here in apart.values() for client, ratio in here.items()}
    return Sifted(tuple(one for one in calm if any(one.exchanges)), together)


def left_out(before: Sequence[Turns], after: Sequence[Turns]) -> tuple[int, int]:
    """How many turns do not count, and of how many."""
    counted, given = (sum(len(one.exchanges) for one in each) for each in (after, before))
    return given - counted, given


def dearer_with(before: Sequence[Turns], after: Sequence[Turns]) -> float:
    """How much more wall time an exchange takes with the turns that do not count, as a share: the
    median over entrants."""
    costs = {one.entrant: _wall_ns(before, one.entrant) for one in after}
    more = [ns / _wall_ns(after, entrant) - 1 for entrant, ns in costs.items()]
    return float(np.median(more)) if more else 0.0


def _wall_ns(turns: Sequence[Turns], entrant: str) -> float:
    """Of an exchange of one entrant."""
    its = [one for one in turns if one.entrant == entrant]
    return sum(sum(one.wall_ns) for one in its) / sum(sum(one.exchanges) for one in its)


@dataclass
class _Probes:
    """What a client's probes took on a host, in picoseconds: of each turn, by round."""

    by_round: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    wall_ns: int = 0
    worked_ns: int = 0

    @property
    def mostly_waits(self) -> bool:
        """Whether client and origin work for less than half of its turns: a slow core costs such a
        client little, and probes after a wait are slow by themselves."""
        return 2 * self.worked_ns < self.wall_ns

    def add(self, one: Turns) -> None:
        self.wall_ns += sum(one.wall_ns)
        self.worked_ns += sum(one.cpu_ns) + sum(one.origin_ns)
        if took := [each for each in one.probe_ps if each]:
            self.by_round[one.round] += took

    @property
    def took(self) -> list[int]:
        return [each for took in self.by_round.values() for each in took]

    def slower_than(self, most_ps: float, rounds: Sequence[int]) -> tuple[int, int]:
        """How many turns of these rounds were slower, and of how many."""
        took = [each for number in rounds for each in self.by_round.get(number, ())]
        return sum(each > most_ps for each in took), len(took)


def _busy(probes: Mapping[str, _Probes]) -> dict[str, _Probes]:
    """Of the clients that have probes which say something."""
    return {c: own for c, own in probes.items() if own.by_round and not own.mostly_waits}


def _apart(probes: Mapping[str, _Probes]) -> dict[str, float]:
    """By client, on one host: its probes relative to quick ones of the same rounds, where they are
    apart, and more often so than chance makes of others' in these rounds."""
    relative = _relative(_busy(probes))
    found = {}
    for client, own in relative.items():
        mine, others = _of(own, own), [_of(o, own) for c, o in relative.items() if c != client]
        rest = np.concatenate(others) if others else mine[:0]
        slower, quicker = mine > MOST_SLOWED, mine < 1 / MOST_SLOWED
        if slower.mean() >= NEARLY_ALL and _more_often(slower, rest > MOST_SLOWED):
            found[client] = float(np.median(mine[slower]))
        elif quicker.mean() > HALF and _more_often(quicker, rest < 1 / MOST_SLOWED):
            found[client] = float(np.median(mine[quicker]))
    return found


def _relative(probes: Mapping[str, _Probes]) -> dict[str, dict[int, Array]]:
    """What the probes of each turn took, relative to quick ones of the same round, by round. (The
    core is faster in some rounds than in others, and not everybody is in all.)"""
    quick_ps = {}
    for number in {number for own in probes.values() for number in own.by_round}:
        together = [took for own in probes.values() for took in own.by_round.get(number, ())]
        quick_ps[number] = float(np.quantile(together, QUICK))
    return {
        client: {n: np.array(took) / quick_ps[n] for n, took in own.by_round.items()}
        for client, own in probes.items()
    }


def _of(relative: Mapping[int, Array], rounds: Collection[int]) -> Array:
    """Those of some rounds together."""
    some = [each for number, each in relative.items() if number in rounds]
    return np.concatenate(some) if some else np.zeros(0)


def _more_often(own: Flags, others: Flags) -> bool:
    """Whether more of a client's turns are such than chance makes of others' share of them."""
    usual = _usual(int(others.sum()), others.size)
    return float(bdtrc(own.sum() - 1, own.size, usual)) < BY_CHANCE


def _usual(count: int, of: int) -> float:
    """A share, by Laplace's rule: none of them yet is not never."""
    return (count + 1) / (of + 2)


def _limits(probes: Mapping[str, _Probes]) -> dict[str, float]:
    """What the probes of a turn that counts may take on a host, by client."""
    with_probes = _busy(probes)
    if not with_probes:
        return dict.fromkeys(probes, inf)
    usual = float(np.quantile([t for own in with_probes.values() for t in own.took], QUICK))
    limits = {
        client: MOST_SLOWED
        * float(np.clip(np.quantile(own.took, OWN_QUICK), usual, COLDEST * usual))
        for client, own in with_probes.items()
    }
    slows = {client for client in limits if _slows_the_core(client, with_probes, limits)}
    return {client: inf if client in slows else limits.get(client, inf) for client in probes}


def _slows_the_core(
    client: str, probes: Mapping[str, _Probes], limits: Mapping[str, float]
) -> bool:
    """Whether its turns are slow, and not those of others in the same rounds."""
    rounds = list(probes[client].by_round)
    slow, turns = probes[client].slower_than(limits[client], rounds)
    others = [probes[o].slower_than(limits[o], rounds) for o in probes if o != client]
    if not sum(of for _, of in others):
        return False
    usual = _usual(sum(count for count, _ in others), sum(of for _, of in others))
    more_often = slow / turns - usual >= MORE_OFTEN
    return more_often and float(bdtrc(slow - 1, turns, usual)) < BY_CHANCE


def _calm(one: Turns, most_ps: float) -> Turns:
    chosen = [place for place, took in enumerate(one.probe_ps) if took <= most_ps]
    return one if len(chosen) == len(one.probe_ps) else one.only(chosen)
