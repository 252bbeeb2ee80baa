"""What is said of the histories of many clients: a line for each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fetchoff.model.history import HistoriesPlan, Limit, OfClient, StretchKind
from fetchoff.report.wording import history as wording
from fetchoff.report.wording.figures import MISSING, count, percent, seconds

_ENDED = {
    Limit.BUDGET: "The budget ended the search.",
    Limit.COMPARISONS: "No more comparisons were allowed.",
    None: "",
}


@dataclass(frozen=True)
class Line:
    """A client as it is shown. `folder`: of its history, "" if there is none."""

    client: str
    releases: str
    steps: int
    said: str
    folder: str


def title(plan: HistoriesPlan) -> str:
    """`The last 8 releases of 60 clients`."""
    return f"The last {plan.last} releases of {count(len(plan.clients), 'client')}"


def about(plan: HistoriesPlan, done: Sequence[OfClient]) -> str:
    """`small-get · 58 of 60 clients searched · 2 h 10 min of measuring`."""
    searched = [one.history for one in done if one.history]
    return (
        f"{plan.course.id} · {len(searched)} of {count(len(plan.clients), 'client')} searched · "
        f"{seconds(sum(one.seconds for one in done))} of measuring"
    )


def lines(done: Sequence[OfClient]) -> Iterator[Line]:
    """Those with steps first, else in the order of the search."""
    yield from sorted(map(_line, done), key=lambda line: not line.steps)


def said(one: OfClient) -> str:
    """What was found, or why nothing was."""
    if one.history is None:
        return f"not searched: {one.reason}"
    headline = wording.headline(one.history)
    if one.reason:
        return f"{headline} The search ended early: {one.reason}"
    if one.history.steps or not one.history.has(StretchKind.OPEN):
        return headline
    return f"{headline} {_ENDED[one.history.limit]}".rstrip()


def notes(plan: HistoriesPlan, done: Sequence[OfClient]) -> Iterator[str]:
    """What must be known beside the lines."""
    alpha = next((one.history.plan.alpha for one in done if one.history), None)
    if alpha is not None:
        yield (
            f"each history errs with at most {percent(alpha)}, so among {len(plan.clients)} one "
            f"false step is to be expected in {percent(min(1.0, alpha * len(plan.clients)))} of "
            "such surveys"
        )
    left = len(plan.clients) - len(done)
    if left:
        yield f"{count(left, 'client')} not reached yet"


def _line(one: OfClient) -> Line:
    if one.history is None:
        return Line(one.client, MISSING, 0, said(one), "")
    oldest, newest = one.history.span
    return Line(one.client, f"{oldest} to {newest}", len(one.history.steps), said(one), one.folder)
