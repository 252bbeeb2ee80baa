"""What is found of clients, in words: one sentence for all of whom the same was found.

Evidence is the same if it differs in numbers alone; the sentence then has the range of each number.
Each function takes all evidence of a sentence, which is of one type.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields
from typing import Any, TypeVar

from fetchoff.model.finding import (
    AnsweredWrong,
    ClientEvidence,
    Clock,
    ClocksApart,
    FewRounds,
    FurtherThreads,
    Holdup,
    InBatches,
    NotMeasured,
    OriginBound,
    PageFaults,
    Pool,
    ProcessesUnlike,
    RarelyDear,
    RoundsFailed,
    TwoModes,
    Unsteady,
    WarmUpCutOff,
    Whose,
    Window,
    WorkMoved,
)
from fetchoff.model.link import INITIAL_WINDOW

E = TypeVar("E", bound=ClientEvidence)
SLOW_MOMENTS = 0.01
"""What others would cost more with the turns that don't count, from which on it is told."""
Teller = Callable[[Sequence[E]], str]

_TELLERS: dict[type, Teller[Any]] = {}


def sentence(found: Sequence[ClientEvidence]) -> str:
    """What all of this evidence says; it must be the same by `key`."""
    return _TELLERS[type(found[0])](found)


def key(found: ClientEvidence) -> object:
    """What evidence must have in common to be told in one sentence: all but numbers."""
    values = (getattr(found, field.name) for field in fields(found))
    return (type(found), tuple(... if _is_number(value) else value for value in values))


def known() -> frozenset[type]:
    """The types that there are sentences for."""
    return frozenset(_TELLERS)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _tells(kind: type[E]) -> Callable[[Teller[E]], Teller[E]]:
    """Marks the function that makes the sentence of a type of evidence."""

    def add(teller: Teller[E]) -> Teller[E]:
        _TELLERS[kind] = teller
        return teller

    return add


def _range(values: Iterable[float], decimals: int = 0) -> str:
    """`12`, or `12 to 18`."""
    ordered = sorted(values)
    low, high = (f"{value:,.{decimals}f}" for value in (ordered[0], ordered[-1]))
    return low if low == high else f"{low} to {high}"


def _percent(shares: Iterable[float]) -> str:
    return f"{_range(100 * share for share in shares)} %"


def _its(found: Sequence[ClientEvidence]) -> str:
    return "its" if len(found) == 1 else "their"


@_tells(Unsteady)
def _unsteady(found: Sequence[Unsteady]) -> str:
    exchanges, rounds, of_rounds = (
        _range(getattr(one, name) for one in found) for name in ("exchanges", "rounds", "of_rounds")
    )
    return (
        f"still getting cheaper after {exchanges} exchanges in {rounds} of {of_rounds} rounds: "
        f"what is shown may be above {_its(found)} steady state"
    )


@_tells(WarmUpCutOff)
def _cut_off(found: Sequence[WarmUpCutOff]) -> str:
    exchanges, rounds, of_rounds = (
        _range(getattr(one, name) for one in found) for name in ("exchanges", "rounds", "of_rounds")
    )
    ups = "warm-up was" if len(found) == 1 else "warm-ups were"
    return (
        f"{_its(found)} {ups} cut off after {exchanges} exchanges in {rounds} of {of_rounds} "
        f"rounds, before {_its(found)} steady state could be tested: what is shown may be above it"
    )


@_tells(OriginBound)
def _origin_bound(found: Sequence[OriginBound]) -> str:
    share = _percent(one.origin_share for one in found)
    return f"the origin takes {share} of the wall time: it is the bottleneck"


@_tells(WorkMoved)
def _work_moved(found: Sequence[WorkMoved]) -> str:
    own, with_origin = found[0].own.value, found[0].with_origin.value
    moves = "it moves" if len(found) == 1 else "they move"
    return (
        f"{own} than the baseline in {_its(found)} own CPU time, but {with_origin} with the "
        f"origin's: {moves} work to the server"
    )


@_tells(ClocksApart)
def _clocks_apart(found: Sequence[ClocksApart]) -> str:
    clocks = "its own clock is" if len(found) == 1 else "their own clocks are"
    if found[0].of_baseline:
        clocks = "the baseline's own clock is"
    said = f"{clocks} {_percent(one.share for one in found)} off the harness's"
    if not found[0].withheld:
        return said
    difference = "the difference" if len(found) == 1 else "each difference"
    return f"{said}, and {difference} to the baseline is less: no verdict in wall time"


@_tells(InBatches)
def _in_batches(found: Sequence[InBatches]) -> str:
    its, batches = _its(found), _range(one.batches for one in found)
    it, was = ("it", "was") if len(found) == 1 else ("they", "were")
    return (
        f"{it} can't take turns here, so {it} {was} measured in {batches} batches, after the turns "
        f"of the others: {its} figures contain what a batch costs by itself{_slow_moments(found)}"
    )


def _slow_moments(found: Sequence[InBatches]) -> str:
    """That all batches count and not all turns, where this makes a difference."""
    more = max(one.others_share for one in found)
    if more < SLOW_MOMENTS:
        return ""
    return (
        ", and moments in which something else slowed the core: with those, the others would cost "
        f"{100 * more:.0f} % more"
    )


@_tells(RarelyDear)
def _rarely_dear(found: Sequence[RarelyDear]) -> str:
    cost = "it costs" if len(found) == 1 else "they cost"
    return (
        f"{cost} {_percent(one.more_share for one in found)} more on average than in an ordinary "
        "batch: some batches are much dearer (collections, compiling, stops); the mean is what is "
        "ranked"
    )


@_tells(ProcessesUnlike)
def _processes_unlike(found: Sequence[ProcessesUnlike]) -> str:
    return (
        f"{_its(found)} processes differ so much that they cost "
        f"{_percent(one.more_share for one in found)} more on average than their geometric mean, "
        "which is what is shown"
    )


@_tells(TwoModes)
def _two_modes(found: Sequence[TwoModes]) -> str:
    clock = "CPU" if found[0].clock is Clock.CPU else "wall"
    cheap = _mode([(one.cheap_share, one.cheap_us) for one in found])
    dear = _mode([(one.dear_share, one.dear_us) for one in found])
    processes = _range(one.processes for one in found)
    return (
        f"{_its(found)} processes fall into two modes: {cheap}, {dear} of {clock} time an exchange "
        f"(of {processes} processes)"
    )


def _mode(modes: Sequence[tuple[float, float]]) -> str:
    costs_us = [cost_us for _, cost_us in modes]
    decimals = 0 if min(costs_us) >= 100 else 1
    return f"{_percent(share for share, _ in modes)} take {_range(costs_us, decimals)} µs"


@_tells(Window)
def _window(found: Sequence[Window]) -> str:
    kilobytes = _range(one.in_flight_bytes / 1e3 for one in found)
    reached = _range((one.mbit_s for one in found), 1)
    best = _range((one.best_mbit_s for one in found), 1)
    return (
        f"held back as if by a window of about {kilobytes} kB: {reached} Mbit/s, where {best} were "
        "carried"
    )


@_tells(Pool)
def _pool(found: Sequence[Pool]) -> str:
    under_way = _range((one.exchanges for one in found), 1)
    of_exchanges = _range(one.of_exchanges for one in found)
    return f"about {under_way} of {of_exchanges} were in flight: {_holdup(found)}"


def _holdup(found: Sequence[Pool]) -> str:
    its, them = _its(found), "it" if len(found) == 1 else "them"
    segments = _range(one.segments or 0 for one in found)
    match found[0].holdup:
        case Holdup.POOL_OR_QUEUE:
            return f"{its} pool or {its} queue holds {them} back"
        case Holdup.QUEUE:
            return f"{its} queue holds {them} back"
        case Holdup.QUEUE_OR_NAGLE:
            return (
                f"{its} queue holds {them} back, or Nagle's algorithm the later ones of {its} "
                f"{segments} segments"
            )
        case Holdup.INITIAL_WINDOW:
            return (
                f"requests in {segments} segments, more than the {INITIAL_WINDOW} packets that TCP "
                "begins with"
            )


@_tells(FurtherThreads)
def _further_threads(found: Sequence[FurtherThreads]) -> str:
    share = _percent(one.share for one in found)
    where = "free to run on other cores" if found[0].placed_freely else "which share one core here"
    return f"{share} of {_its(found)} CPU time is in further threads, {where}"


@_tells(PageFaults)
def _page_faults(found: Sequence[PageFaults]) -> str:
    pages = _range(round(one.an_exchange) for one in found)
    has = "its allocator gives" if len(found) == 1 else "their allocators give"
    return (
        f"{pages} page faults an exchange, probably because {has} memory back to the system; in a "
        "program that holds more, there may be none"
    )


@_tells(FewRounds)
def _few_rounds(found: Sequence[FewRounds]) -> str:
    rounds, of_rounds = (
        _range(getattr(one, name) for one in found) for name in ("rounds", "of_rounds")
    )
    warms = "it warms up" if len(found) == 1 else "they warm up"
    lost = _range(one.lost for one in found)
    uncounted = ""
    if any(one.lost for one in found):
        uncounted = f", and {lost} of these {'does' if lost == '1' else 'do'} not count"
    return (
        f"took part in {rounds} of {of_rounds} rounds, because {warms} for seconds{uncounted}; so "
        "few cannot tell much"
    )


@_tells(RoundsFailed)
def _rounds_failed(found: Sequence[RoundsFailed]) -> str:
    rounds, of_rounds = _range(o.rounds for o in found), _range(o.of_rounds for o in found)
    them, was = ("it", "it was") if len(found) == 1 else ("each", "they were")
    whose = {
        Whose.OWN: "",
        Whose.CONTROLS: f", in a further process of {them}",
        Whose.BOTH: f", also in a further process of {them}",
    }[found[0].whose]
    after = f", so {was} not tried again" if found[0].given_up else ""
    return f"in {rounds} of {of_rounds} rounds{whose}{after}: {found[0].message}"


@_tells(AnsweredWrong)
def _answered_wrong(found: Sequence[AnsweredWrong]) -> str:
    numbers = [str(number + 1) for number in found[0].rounds]
    return f"in round{'s' if len(numbers) > 1 else ''} {', '.join(numbers)}: {found[0].message}"


@_tells(NotMeasured)
def _not_measured(found: Sequence[NotMeasured]) -> str:
    if found[0].disturbed:
        return "something else slowed the core in all turns"
    if found[0].reasons:
        return f"none of {_its(found)} batches counts: {'; '.join(found[0].reasons)}"
    return found[0].message or "was not measured"
