"""Which rounds the budget has room for, by what earlier ones took: never by who was faster."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from fetchoff.model.estimate import MINIMUM_ROUNDS
from fetchoff.model.experiment import Experiment

FEWEST_FOR_ALL = 6
"""Rounds that those without compilers must have, if the others are to have their three: with five,
an interval is half as wide again as with eight (docs/decisions/0011-turns.md, item 5)."""


@dataclass(frozen=True)
class Budget:
    """The seconds that rounds have taken so far, and what of the experiment's budget is left."""

    experiment: Experiment
    seconds: dict[int, float] = field(default_factory=dict)

    def add(self, number: int, seconds: float) -> None:
        """Some more seconds of a round."""
        self.seconds[number] = self.seconds.get(number, 0.0) + seconds

    def next_round(self, had: Collection[int]) -> int | None:
        """The first round that was not `had` whole and is to be measured now; None if none is.

        One that was begun and cut off comes before all others. If only a round without those that
        are expensive to warm up fits, rounds with them are left out, and so is what is no good use
        of the time: round numbers then have gaps.
        """
        begun = self.seconds.keys() - set(had)
        if begun:
            return min(begun)
        for number in range(self.experiment.looks[-1]):
            if number in had or self.should_be_left_out(number):
                continue
            if len(had) < self.experiment.least_rounds or self.has_room_for(number):
                return number
            if not self.is_long(number):  # a long one would not fit either
                return None
        return None

    def has_room_for(self, number: int) -> bool:
        """Whether that round fits, if it takes as long as the last like it."""
        like = [n for n in self.seconds if self.is_long(n) == self.is_long(number)]
        if not like:  # nobody knows what it takes
            return self._left_s >= 0
        return self.seconds[max(like)] <= self._left_s

    def should_be_left_out(self, number: int) -> bool:
        """Whether another round is a better use of the time.

        A round is long for clients that need MINIMUM_ROUNDS of them for an interval. If they can't
        have so many, or nobody could have more than a few rounds beside those, all others have
        several rounds meanwhile; and if they lack one, it comes before short ones that would leave
        no room for it. In a pair, only controls have fewer rounds, and checks pool what they have.
        """
        long = [seconds for n, seconds in self.seconds.items() if self.is_long(n)]
        if self.experiment.pair_only or not self._are_some_seldom or not long:
            return False
        short = [seconds for n, seconds in self.seconds.items() if not self.is_long(n)]
        if self.is_long(number):
            missing = MINIMUM_ROUNDS - len(long)
            if missing > max(0.0, self._left_s) // long[-1]:
                return True
            two = missing == 1  # have been paid for, and would be for nothing
            return bool(short) and not two and self._rounds_with(missing) < FEWEST_FOR_ALL
        lacks_one = len(long) == MINIMUM_ROUNDS - 1
        return bool(short and lacks_one) and long[-1] <= self._left_s < short[-1] + long[-1]

    def _rounds_with(self, missing: int) -> float:
        """How many rounds of all kinds there would be with so many more long ones."""
        last = {self.is_long(number): seconds for number, seconds in self.seconds.items()}
        return len(self.seconds) + missing + (self._left_s - missing * last[True]) // last[False]

    def is_long(self, number: int) -> bool:
        """Whether the clients with an expensive warm-up take part in that round."""
        return all(entrant.takes_part(number) for entrant in self.experiment.entrants)

    @property
    def _are_some_seldom(self) -> bool:
        return any(entrant.seldom for entrant in self.experiment.entrants)

    @property
    def _left_s(self) -> float:
        return self.experiment.budget_s - sum(self.seconds.values())
