"""Which rounds the budget has room for, by what earlier ones took: never by who was faster."""

from __future__ import annotations

from dataclasses import dataclass, field

from fetchoff.model.estimate import MINIMUM_ROUNDS
from fetchoff.model.experiment import Experiment


@dataclass(frozen=True)
class Budget:
    """The seconds that rounds have taken so far, and what of the experiment's budget is left."""

    experiment: Experiment
    seconds: dict[int, float] = field(default_factory=dict)

    def add(self, number: int, seconds: float) -> None:
        """Some more seconds of a round."""
        self.seconds[number] = self.seconds.get(number, 0.0) + seconds

    def has_room_for(self, number: int) -> bool:
        """Whether that round fits, if it takes as long as the last like it."""
        like = [n for n in self.seconds if self.is_long(n) == self.is_long(number)]
        if not like:  # nobody knows what it takes
            return self._left_s >= 0
        return self.seconds[max(like)] <= self._left_s

    def is_in_vain(self, number: int) -> bool:
        """Whether that round is long for clients that can't have enough of them for an interval.

        All others can have several rounds meanwhile. In a pair, only controls have fewer rounds,
        and checks pool what they have.
        """
        had = [n for n in self.seconds if self.is_long(n)]
        is_pair, nobody = self.experiment.pair_only, not self._are_some_seldom
        if is_pair or nobody or not had or not self.is_long(number):
            return False
        more = max(0.0, self._left_s) // self.seconds[max(had)]
        return len(had) + more < MINIMUM_ROUNDS

    def is_long(self, number: int) -> bool:
        """Whether the clients with an expensive warm-up take part in that round."""
        return not self._are_some_seldom or self.experiment.is_for_all(number)

    @property
    def _are_some_seldom(self) -> bool:
        return any(entrant.seldom for entrant in self.experiment.entrants)

    @property
    def _left_s(self) -> float:
        return self.experiment.budget_s - sum(self.seconds.values())
