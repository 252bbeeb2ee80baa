"""Whether a ratio is within a limit: docs/analysis.md#limits."""

from __future__ import annotations

from math import ceil, isfinite, log, log1p, sqrt

from fetchoff.model.estimate import MINIMUM_ROUNDS, Estimate, LimitAnswer, StoppingRule
from fetchoff.stats import student
from fetchoff.stats.sequential import looks_taken, nominal_level

LIKELY = 1.0
"""Standard errors that the interval should clear the limit by."""

SPARE = 1.4
"""Safety factor on the number of rounds, because few rounds estimate the noise poorly; with it,
three of four runs are decided."""


def within_limit(ratio: Estimate, limit: float) -> LimitAnswer:
    """`limit`: how much more the cost may be, as a share: 0.03 for 3 %."""
    if ratio.high <= 1 + limit:
        return LimitAnswer.WITHIN
    return LimitAnswer.BEYOND if ratio.low > 1 + limit else LimitAnswer.UNCLEAR


def rounds_to_tell(
    ratio: Estimate,
    rounds: int,
    limit: float,
    rule: StoppingRule,
    *,
    shown_by: StoppingRule | None = None,
) -> int | None:
    """The look at which an unclear ratio would probably be decided; None if at no look of the rule.

    `ratio` is the estimate of the final look after `rounds` rounds, which spent all the error. If
    the noise is unknown, the answer is the first look. `shown_by`: with a share of the rule's error
    rate, where the ratio is one of several and must be shown over all of them.
    """
    shown_by = shown_by or rule
    if rounds < MINIMUM_ROUNDS or not isfinite(log(ratio.high)) or ratio.low <= 0:
        return rule.looks[0]
    distance = abs(log(ratio.point) - log1p(limit))
    final = nominal_level(rule, looks_taken(rule, rounds), final=True)
    half_width = log(ratio.high / ratio.low) / 2
    deviation = half_width * sqrt(rounds) / student.critical(final, rounds - 1)
    for look in (look for look in rule.looks if look > rounds):
        is_last = look == rule.horizon
        level = nominal_level(shown_by, looks_taken(rule, look), final=is_last)
        if (student.critical(level, look - 1) + LIKELY) * deviation / sqrt(look) <= distance:
            return min(ceil(SPARE * look), rule.horizon)
    return None
