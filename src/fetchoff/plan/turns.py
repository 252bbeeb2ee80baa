"""Who takes turns with whom, and in which order: pure functions of a seed."""

from __future__ import annotations

import random
from collections.abc import Sequence

from fetchoff.model.experiment import Entrant


def groups(entrants: Sequence[Entrant], most: int, order: random.Random) -> list[list[Entrant]]:
    """Entrants in groups of nearly equal size, at most so many each, drawn by chance.

    A control goes where its client is: they are compared with each other.
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
    return [group for group in found if group]


def cycles(group: Sequence[Entrant], count: int, order: random.Random) -> list[list[Entrant]]:
    """`count` cycles: in each everybody has a turn, in an order of its own.

    Controls have one only in so many cycles as `Entrant.presence` says.
    """
    found = []
    for number in range(count):
        here = [one for one in group if number % one.every == 0]
        found.append(order.sample(here, len(here)))
    return found
