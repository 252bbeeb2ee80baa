"""What the trials of a session have found that chance does not explain."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from benches.verdicts.totals import comparable, is_wrong, of_known_truth, opposites
from benches.verdicts.trials import IDENTICAL, RankingTrial, Trial, bounds, share

from fetchoff.model.experiment import Experiment

RIVALS = ("alternated-", "hyperfine-", "criterion-")  # parts in which others give the verdicts


def faults(trials: Sequence[Trial | RankingTrial]) -> Iterator[str]:
    """Errors above the nominal rate (the lower bound at 95 % is above it), opposite verdicts, and
    parts that could not show either.

    Pairs of a ranking's equals are not counted one by one: they share its noise, so there is no
    bound for them.
    """
    comparisons = [
        t for t in of_known_truth(trials) if t.can_tell and not t.part.startswith(RIVALS)
    ]
    for part in dict.fromkeys(t.part for t in comparisons):
        told = [t for t in comparisons if t.part == part]
        yield from _too_many(part, [t for t in told if is_wrong(t)], told)
    rankings = [t for t in trials if isinstance(t, RankingTrial) and t.can_tell]
    yield from _too_many("rankings", [t for t in rankings if t.is_false_alarm], rankings)
    if against := opposites(trials):
        yield f"opposite verdicts in {against} pairs of repetitions"
    yield from _untested(trials)


def _untested(trials: Sequence[Trial | RankingTrial]) -> Iterator[str]:
    """The parts of which nothing is left that could have been a fault."""
    for part in dict.fromkeys(t.part for t in trials if not t.part.startswith(RIVALS)):
        own = [t for t in trials if t.part == part]
        if part == IDENTICAL:
            if not comparable(own):
                yield f"{part}: no two repetitions could contradict each other"
        elif not any(t.can_tell for t in own):
            yield f"{part}: none of {len(own)} trials could be wrong"


def _too_many(part: str, wrong: Sequence[object], told: Sequence[object]) -> Iterator[str]:
    if bounds(len(wrong), len(told))[0] > Experiment.alpha:
        yield f"{part}: wrong in {share(wrong, told)}, more than {Experiment.alpha:.0%}"
