"""Who takes turns with whom, and in which order: pure functions of a seed."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace

from fetchoff.model.experiment import Entrant


def groups(
    entrants: Sequence[Entrant], most: int, order: random.Random, baseline: str = ""
) -> list[list[Entrant]]:
    """Draw groups of nearly equal size, with at most `most` entrants each.

    A control joins its client's group, as the two are compared. The baseline is also a guest of all
    other groups, with half as many turns as their own members: it is in every ratio, so a better
    estimate of it improves all of them.
    """
    families: dict[str, list[Entrant]] = {}
    for entrant in entrants:
        families.setdefault(entrant.client, []).append(entrant)
    drawn = order.sample(list(families.values()), len(families))
    drawn.sort(key=len, reverse=True)
    count = max(1, -(-len(entrants) // most))
    found: list[list[Entrant]] = [[] for _ in range(count)]
    for family in drawn:
        min(found, key=len).extend(family)
    filled = [group for group in found if group]
    guests = [replace(one, every=2 * one.every) for one in entrants if one.key == baseline]
    return [group if baseline in {one.key for one in group} else group + guests for group in filled]


COMPILERS_TURNS = 12
"""The least of those with a compiler in a round, in which they have warmed up for seconds."""


def cycles_of_compilers(turns: int) -> int:
    """How many cycles those with compilers have for each of everybody's, `turns` in a round.

    Their exchanges cost what collectors and compilers just do, so their turns vary several times
    as much as others', while their processes hardly vary more (docs/decisions/0029).
    """
    return max(1, -(-COMPILERS_TURNS // turns))


VISIT = 1  # cycles of one group, before it is another one's
AT_ONCE = 6  # groups of a set: the next set begins when these have had all of their turns
COMPILING_AT_ONCE = 3  # processes of a set with a compiler: they rehearse one after another first


def sets(
    groups_: Sequence[Sequence[Entrant]], compiles: Callable[[Entrant], bool]
) -> list[list[Sequence[Entrant]]]:
    """Groups that take turns with each other, in as few sets as that allows.

    If a hundred clients took turns, some would be held until their own time-outs: httpx's is 5 s.
    And of those who have a compiler, the first to rehearse waits until the last has done so, and
    V8 gives up compiled code meanwhile (docs/decisions/0022-processes-of-their-own.md).
    """
    found: list[list[Sequence[Entrant]]] = []
    compiling: set[str] = set()
    for group in groups_:
        more = {one.process for one in group if compiles(one)}  # a guest is in several groups
        is_full = len(found[-1]) == AT_ONCE if found else True
        if is_full or len(compiling | more) > COMPILING_AT_ONCE:
            found.append([])
            compiling = set()
        found[-1].append(group)
        compiling |= more
    return found


def visits(
    groups_: Sequence[Sequence[Entrant]], count: int, order: random.Random
) -> list[list[Entrant]]:
    """`count` cycles of each group of a set: VISIT cycles of one group, then of another.

    The machine is faster in some seconds than in others. If groups were measured one after the
    other, that would look like a difference between their members.
    """
    plans = [cycles(group, count, order) for group in groups_]
    found: list[list[Entrant]] = []
    for first in range(0, count, VISIT):
        for plan in order.sample(plans, len(plans)):
            found += plan[first : first + VISIT]
    return found


def cycles(group: Sequence[Entrant], count: int, order: random.Random) -> list[list[Entrant]]:
    """`count` cycles, each in a random order of its own, in which every entrant has a turn.

    An entrant with `every` above 1 has a turn only in every so many cycles.
    """
    found = []
    for number in range(count):
        here = [one for one in group if number % one.every == 0]
        found.append(order.sample(here, len(here)))
    return found
