"""Whether a ratio is within a limit: docs/analysis.md#limits."""

from __future__ import annotations

from math import ceil, isfinite, log, log1p, sqrt

from fetchoff.model.estimate import MINIMUM_ROUNDS, Estimate, LimitAnswer, StoppingRule
from fetchoff.stats import student
from fetchoff.stats.sequential import looks_taken, nominal_level

LIKELY = 1.0
"""Standard errors to spare."""

SPARE = 1.4
"""Times the rounds that would do if few rounds told exactly how much noise there is; with these,
three of four runs are told."""


def within_limit(ratio: Estimate, limit: float) -> LimitAnswer:
    """`limit`: how much more the cost may be, as a share: 0.03 for 3 %."""
    if ratio.high <= 1 + limit:
        return LimitAnswer.WITHIN
    return LimitAnswer.BEYOND if ratio.low > 1 + limit else LimitAnswer.UNCLEAR


def rounds_to_tell(ratio: Estimate, rounds: int, limit: float, rule: StoppingRule) -> int | None:
    """At which look a ratio that was left unclear would probably be told from the limit.

    `ratio` is what all the error that there was had made of `rounds` rounds. If nothing is known of
    the noise, it is the first look; None: not at any look of the rule.
    """
    if rounds < MINIMUM_ROUNDS or not isfinite(log(ratio.high)) or ratio.low <= 0:
        return rule.looks[0]
    distance = abs(log(ratio.point) - log1p(limit))
    final = nominal_level(rule, looks_taken(rule, rounds), final=True)
    half_width = log(ratio.high / ratio.low) / 2
    deviation = half_width * sqrt(rounds) / student.critical(final, rounds - 1)
    for look in (look for look in rule.looks if look > rounds):
        is_last = look == rule.horizon
        level = nominal_level(rule, looks_taken(rule, look), final=is_last)
        if (student.critical(level, look - 1) + LIKELY) * deviation / sqrt(look) <= distance:
            return min(ceil(SPARE * look), rule.horizon)
    return None
