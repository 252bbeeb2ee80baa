"""Gates of a pretended head whose cost is known: the table of docs/decisions/0017-gate.md.

    python -m benches.stats.gates [--trials N] [--seed N]

A gate has two comparisons, as by wall and CPU time, which share half of their noise, and a budget
of 60 rounds. Log-ratios of a round are normal; noise is their standard deviation.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from benches.stats.tables import table

from fetchoff.analysis.gate import answer_of
from fetchoff.app.experiments import GATE_LOOKS
from fetchoff.model.estimate import StoppingRule
from fetchoff.model.gate import Answer
from fetchoff.stats import Joint, judge_jointly
from fetchoff.stats.within import Array

MARGIN = 0.02
BUDGET = 60
COMPARISONS = 2
RULE = StoppingRule(looks=GATE_LOOKS)
NOISES = (0.01, 0.02, 0.03)
HEADS = {
    "the same": 0.0,
    "1 % more": 0.01,
    "2 % more, the margin": 0.02,
    "2.5 % more": 0.025,
    "3 % more": 0.03,
}


@dataclass(frozen=True)
class Gate:
    """How one ended: `answer` of the whole, `faster`: whether any comparison says that."""

    answer: Answer
    faster: bool
    rounds: int


def differences(effect: float, noise: float, rng: np.random.Generator) -> list[Array]:
    """Log-ratios of head to base, by both clocks."""
    common = rng.standard_normal(BUDGET)
    own = rng.standard_normal((COMPARISONS, BUDGET))
    return list(np.log1p(effect) + noise * (common + own) / np.sqrt(2))


def gate(found: Sequence[Array]) -> Gate:
    """Look after each round that the rule names, until one is slower, nothing is left to tell, or
    the budget is spent."""
    looks = [look for look in RULE.looks if look < BUDGET]
    for rounds in looks:
        judged = judge_jointly([d[:rounds] for d in found], MARGIN, rule=RULE)
        if any(one.slower for one in judged) or all(one.is_settled(MARGIN) for one in judged):
            return _ended(judged, rounds)
    return _ended(judge_jointly(found, MARGIN, rule=RULE, final=True), BUDGET)


def _ended(judged: Sequence[Joint], rounds: int) -> Gate:
    answers = [answer_of(one) for one in judged]
    of_all = (Answer.SLOWER, Answer.CANNOT_TELL)
    answer = next((one for one in of_all if one in answers), Answer.NOT_SLOWER)
    return Gate(answer, Answer.FASTER in answers, rounds)


def cell(effect: float, noise: float, trials: int, rng: np.random.Generator) -> str:
    gates = [gate(differences(effect, noise, rng)) for _ in range(trials)]
    ends = Counter(one.answer for one in gates)
    told = [f"slower {ends[Answer.SLOWER] / trials:.1%}"]
    told.append(f"not slower {ends[Answer.NOT_SLOWER] / trials:.1%}")
    if faster := sum(one.faster for one in gates):
        told.append(f"faster {faster / trials:.1%}")
    return f"{', '.join(told)}; {np.mean([one.rounds for one in gates]):.0f} rounds"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trials", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    rng = np.random.default_rng(asked.seed)
    rows = (
        [head, *(cell(effect, noise, asked.trials, rng) for noise in NOISES)]
        for head, effect in HEADS.items()
    )
    table(["head costs", *(f"noise {noise:.0%}" for noise in NOISES)], rows)


if __name__ == "__main__":
    main()
