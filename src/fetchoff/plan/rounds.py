"""The order of a round: a pure function of the experiment, its seed and the round's number."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from fetchoff.model.course import Course
from fetchoff.model.experiment import (
    CONTROLS_SHARE,
    KNOWN,
    SELDOM,
    Effect,
    Entrant,
    Experiment,
    Role,
    in_batches,
    is_measured,
)

SEED_BITS = 48
ROUNDS_TO_TELL = 6
"""Of a pair, the rounds after which its controls take part in every third one only. With fewer
values than that, checks can't tell; in all rounds, controls would be half of the processes."""


@dataclass(frozen=True)
class Section:
    """One course of a round: `blocks[b]` is the order of entrants in block b.

    `seed`: of what the link does at random. It is the same for all in a block.
    """

    course: Course
    blocks: tuple[tuple[Entrant, ...], ...]
    entrants: tuple[Entrant, ...] = ()
    seed: int = 0

    @property
    def processes(self) -> frozenset[str]:
        """The processes that take part."""
        return frozenset(entrant.process for block in self.blocks for entrant in block)


@dataclass(frozen=True)
class Round:
    """Its sections in order, and the order in which the processes of each are started."""

    number: int
    processes: tuple[tuple[str, str], ...]  # (process, client)
    sections: tuple[Section, ...]


def plan_round(experiment: Experiment, number: int) -> Round:
    """Round `number` (from 0), the same for the same seed."""
    order = random.Random(f"{experiment.seed}/{number}")
    present = entrants_of_round(experiment, number)
    processes = list({entrant.process: entrant.client for entrant in present}.items())
    order.shuffle(processes)
    courses = order.sample(experiment.courses, len(experiment.courses))
    sections = []
    for course in courses:
        entrants = [e for e in present if is_measured(e, course)]
        blocks = tuple(
            _block(number, entrants, course, order)
            for number in range(experiment.blocks_of(course))
        )
        sections.append(Section(course, blocks, tuple(entrants), order.getrandbits(SEED_BITS)))
    return Round(number, tuple(processes), tuple(sections))


def _block(
    number: int, entrants: Sequence[Entrant], course: Course, order: random.Random
) -> tuple[Entrant, ...]:
    """Those who have a batch in block `number` of a course, from 0, in random order."""
    here = [e for e in (in_batches(e, course) for e in entrants) if number % e.every == 0]
    return tuple(order.sample(here, len(here)))


def entrants_of_round(experiment: Experiment, number: int) -> list[Entrant]:
    """Every client, and some of the controls in rotation.

    There are a fifth as many control processes as others, and at least two: half of them twins,
    half known effects. Clients that take part seldom are left out of the other rounds with their
    controls; other controls take their places. Controls of the seldom come last: to warm up two of
    them takes as long as a whole round without them. A gate's have as many rounds as the sides.
    """
    present = [entrant for entrant in experiment.entrants if entrant.takes_part(number)]
    others = [e for e in present if e.role is not Role.CONTROL]
    is_pair = experiment.pair_only and not experiment.jointly
    if is_pair and number >= ROUNDS_TO_TELL and number % SELDOM:
        return others
    controls = sorted((e for e in present if e.role is Role.CONTROL), key=lambda e: e.seldom)
    twins = list(dict.fromkeys(e.process for e in controls if not e.process.endswith(KNOWN)))
    known = list(dict.fromkeys(e.process for e in controls if e.process.endswith(KNOWN)))
    processes = len({entrant.process for entrant in others})
    room = min(len(twins) + len(known), max(2, round(CONTROLS_SHARE * processes)))
    # Rounds with those who take part seldom have a rotation of their own, and so have the others.
    turn = number
    if any(e.seldom for e in experiment.entrants):
        turn = number // SELDOM if number % SELDOM == 0 else number - number // SELDOM - 1
    chosen: set[str] = set()
    for kind, places in ((twins, -(-room // 2)), (known, room // 2)):
        chosen |= {kind[(turn * places + i) % len(kind)] for i in range(places) if kind}
    return [*others, *(e for e in controls if e.process in chosen)]


def iterations(entrant: Entrant, planned: int) -> int:
    """How many iterations a batch does that should have `planned`: more for the effect MORE."""
    if entrant.effect is Effect.MORE:
        return planned + max(1, round(planned * entrant.amount))
    return planned
