"""Causes in sentences: what was seen, what a cure is predicted to save, and what a trial showed."""

from __future__ import annotations

from fetchoff.model.cause import Cause, Diagnosis, Fact, KnownFault, Trial, Tried, Unit
from fetchoff.model.recording import Missing, Source
from fetchoff.report.wording.figures import (
    count,
    is_number,
    microseconds,
    number,
    percent,
    times,
)

SOURCES = {
    Source.EVENTS: "the origin's events",
    Source.SEGMENTS: "packets",
    Source.CALLS: "system calls",
    Source.NAMES: "lookups of names",
    Source.SINGLE: "exchanges one at a time",
}


def seen(cause: Cause, fault: KnownFault) -> str:
    """What was seen, with its figures."""
    facts = {fact.name: figure(fact) for fact in cause.facts}
    said = fault.saw.format(count=cause.count, of=cause.of, **facts)
    return said[:1].upper() + said[1:]


def spent(diagnosis: Diagnosis) -> str:
    """`: 305 µs its own CPU, 128 µs the origin's`; "" where nobody knows it."""
    known = [
        f"{microseconds(spent_us)} {whose}"
        for spent_us, whose in (
            (diagnosis.cpu_us, "its own CPU"),
            (diagnosis.origin_us, "the origin's"),
        )
        if is_number(spent_us)
    ]
    return f": {', '.join(known)}" if known else ""


def often(count: int, of: int) -> str:
    """`in 3 of 23` exchanges; or, of what an exchange may have several of, `46 times in 23`."""
    return f"in {count:,} of {of:,}" if count <= of else f"{count:,} times in {of:,}"


def figure(fact: Fact) -> str:
    """A fact with its unit."""
    if isinstance(fact.value, str):
        return fact.value
    match fact.unit:
        case Unit.MS:
            return microseconds(1e3 * fact.value)
        case Unit.US:
            return microseconds(fact.value)
        case Unit.BYTES:
            return f"{number(fact.value)} bytes"
        case Unit.SHARE:
            return percent(fact.value)
        case _:
            return number(fact.value, 0 if fact.value == int(fact.value) else 1)


def predicted(cause: Cause) -> str:
    """What an exchange would take without it; "" where a replay can't tell.

    Explanations of earlier versions may predict more than an exchange takes.
    """
    if cause.saves_us is None or cause.saves_us > cause.exchange_us:
        return ""
    left_us = cause.exchange_us - cause.saves_us
    return (
        f"an exchange takes {microseconds(cause.exchange_us)} in the recording, and would take "
        f"{microseconds(left_us)} without it"
    )


def tried(cause: Cause) -> str:
    """What the trial of its toggle showed; "" if it was not tried."""
    if cause.tried is None:
        return ""
    return f"{OUTCOMES[cause.tried.trial]}: where {cause.tried.toggle}, {_saving(cause.tried)}"


OUTCOMES = {
    Trial.CONFIRMED: "confirmed",
    Trial.IN_PART: "confirmed in part",
    Trial.NOT_THE_CAUSE: "not the cause",
    Trial.UNDECIDED: "undecided",
}


def _saving(trial: Tried) -> str:
    saved = trial.saved_us
    if not is_number(saved.half_width):
        return f"{count(trial.rounds, 'round')}, too few to tell what an exchange saves"
    low, high = microseconds(saved.low), microseconds(saved.high)
    return (
        f"an exchange takes {times(trial.ratio.point)} times as long and saves "
        f"{microseconds(saved.point)} ({low} to {high}, {trial.rounds} rounds)"
    )


def here(cause: Cause) -> str:
    """What ends it in this library."""
    if cause.cure is None:
        return "which option or code of this library does so is not known to Fetchoff"
    by = f" ({cause.cure.variant})" if cause.cure.variant else ""
    return f"{cause.cure.words}{by}"


def nothing(diagnosis: Diagnosis) -> str:
    """What is said where no rule found anything."""
    asked = "No known fault was found"
    return f"{asked}." if not diagnosis.silent else f"{asked} by the rules that could be asked."


def missing(gap: Missing) -> str:
    """A source that could not be had, or a part of it."""
    hint = f" ({gap.hint})" if gap.hint else ""
    return f"{_what_is_missing(gap)} were not recorded: {gap.reason}{hint}"


def _what_is_missing(gap: Missing) -> str:
    named = SOURCES[gap.source]
    if gap.source is Source.EVENTS:  # without any, nothing is told
        return f"some of {named}"
    return f"some {named}" if gap.in_part else named


def silent(diagnosis: Diagnosis) -> str:
    """How many rules could not be asked for want of a source; "" if all could."""
    count = len(diagnosis.silent)
    if not count:
        return ""
    rules = "1 rule" if count == 1 else f"{count} rules"
    return f"{rules} could not be asked without them"


def rests_on(cause: Cause) -> str:
    """The sources of a cause's evidence."""
    return " and ".join(SOURCES[source] for source in cause.rests_on)
