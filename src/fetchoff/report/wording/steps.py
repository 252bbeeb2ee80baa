"""What is said of the recordings on both sides of a step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fetchoff.model.cause import Cause
from fetchoff.model.history import Why
from fetchoff.report.wording.causes import seen


@dataclass(frozen=True)
class Sides:
    """A step, and sentences about its two sides."""

    heading: str
    sentences: tuple[str, ...]


def sides(whys: Sequence[Why]) -> tuple[Sides, ...]:
    """Each step that was explained."""
    return tuple(Sides(_heading(why), tuple(_sentences(why))) for why in whys)


def _heading(why: Why) -> str:
    return f"{why.step.older} → {why.step.newer}"


def _sentences(why: Why) -> Iterator[str]:
    for version, side in ((why.step.older, why.older), (why.step.newer, why.newer)):
        if side is None:
            yield f"{version} could not be recorded."
    if why.older and why.newer:
        yield from _named(f"New in {why.step.newer}", why, why.come)
        yield from _named(f"Gone since {why.step.older}", why, why.gone)
        yield from _named("On both sides", why, why.kept)
        if not why.known:
            yield "No known fault was found on either side."
        elif not (why.come or why.gone):
            yield "So the step has another cause than these, or one of them costs more than before."
    else:
        yield from _named("Found on the other side", why, why.come or why.gone)


def _named(where: str, why: Why, causes: Sequence[Cause]) -> Iterator[str]:
    for cause in causes:
        fault = why.known[cause.fault]
        yield f"{where}: {fault.title}. {seen(cause, fault)}."
