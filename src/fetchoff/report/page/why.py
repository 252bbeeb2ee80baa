"""Explained clients on the page: what was found, and a time line of a few exchanges."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from fetchoff.model.cause import Cause, KnownFault, Stretch
from fetchoff.model.explanation import Explanation
from fetchoff.model.recording import Event, Head
from fetchoff.report.page import vega
from fetchoff.report.page.vega import Rows, Spec, label, layer, number
from fetchoff.report.wording import causes as wording
from fetchoff.report.wording.events import from_client, from_origin
from fetchoff.report.wording.figures import count, microseconds

WORKS, UP, DOWN = "client works", "client → origin", "origin → client"
LANES = (WORKS, UP, DOWN)
MOST_EVENTS = 200


@dataclass(frozen=True)
class Found:
    """A cause in words: its title, and lines with their names."""

    title: str
    numbers: str
    lines: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Why:
    """What is known of one client on a workload. `caption`: of the time line, "" without one."""

    client: str
    anchor: str
    times: str
    found: tuple[Found, ...]
    notes: tuple[str, ...]
    timeline: Spec | None
    caption: str


def why_of(explanations: Sequence[Explanation], course: str, section: str) -> tuple[Why, ...]:
    """The explained clients of a workload. `section`: the anchor that theirs begin with."""
    mine = [each for each in explanations if each.diagnosis.course == course]
    return tuple(_why(each, f"{section}-why-{place}") for place, each in enumerate(mine, 1))


def _why(explanation: Explanation, anchor: str) -> Why:
    diagnosis, faults = explanation.diagnosis, explanation.faults
    notes = [*map(wording.missing, diagnosis.missing), wording.silent(diagnosis)]
    if not diagnosis.causes:
        notes.insert(0, wording.nothing(diagnosis))
    drawn = timeline(explanation.excerpt, explanation.marked)
    return Why(
        client=diagnosis.client,
        anchor=anchor,
        times=(
            f"{microseconds(diagnosis.exchange_us)} an exchange while it was recorded"
            f"{wording.spent(diagnosis)}"
        ),
        found=tuple(_found(cause, faults[cause.fault]) for cause in diagnosis.causes),
        notes=tuple(note for note in (*notes, *diagnosis.faults) if note),
        timeline=drawn,
        caption=_caption(explanation.excerpt, drawn) if drawn else "",
    )


def _caption(events: Sequence[Event], drawn: Spec) -> str:
    """What the time line shows; of how many events it shows the first, where it has no room for
    all."""
    exchanges = _exchanges(events)
    shown = exchanges[:1].upper() + exchanges[1:] if exchanges else "The first events"
    if len(events) > MOST_EVENTS:
        whose = f" of {exchanges}" if exchanges else ""
        shown = f"The first {MOST_EVENTS} of {len(events):,} events{whose},"
    what = "when the client worked, and what passed in each direction"
    told = f"{shown} as the origin saw them: {what}."
    is_marked = bool(drawn["datasets"]["marked"])
    return f"{told} The shaded part is the finding's place." if is_marked else told


def _exchanges(events: Sequence[Event]) -> str:
    """How many requests are among the events; "" without any."""
    heads = sum(isinstance(event, Head) for event in events)
    if heads > 2:
        return count(heads, "exchange")
    return ("", "one exchange", "two exchanges")[heads]


def _found(cause: Cause, fault: KnownFault) -> Found:
    lines = (
        ("seen", f"{wording.seen(cause, fault)} (from {wording.rests_on(cause)})"),
        ("predicted", wording.predicted(cause)),
        ("tried", wording.tried(cause)),
        ("cure", fault.cure),
        ("here", wording.here(cause)),
        ("reported", ", ".join(fault.reported)),
    )
    numbers = ", ".join(f"#{number}" for number in fault.numbers)
    return Found(fault.title, numbers, tuple((name, said) for name, said in lines if said))


def timeline(events: Sequence[Event], marked: Sequence[Stretch]) -> Spec | None:
    """Lanes for the client's work and both directions; None without events."""
    drawn = list(events[:MOST_EVENTS])
    if len(drawn) < 2:
        return None
    first_ns, last_ns = drawn[0].at_ns, drawn[-1].at_ns
    x_axis = {"format": "~r", "grid": True, "labelExpr": "datum.label + ' ms'"}
    span_ms = (last_ns - first_ns) / 1e6
    x = number("ms", scale={"domain": [0, span_ms], "nice": False}, axis=x_axis)
    lanes = {"field": "lane", "type": "nominal", "sort": list(LANES), "title": None}
    y = {**lanes, "scale": {"domain": list(LANES)}, "axis": {"labelLimit": 0}}
    told = [label("what", "what"), label("at", "at"), label("gap", "after")]
    colour = {
        "field": "lane",
        "type": "nominal",
        "legend": None,
        "scale": {"domain": [UP, DOWN], "range": ["var(--wall)", "var(--keyword)"]},
    }
    layers = [
        layer("marked", "rect", {"color": "var(--cpu)", "opacity": 0.18}, {"x": x, "x2": _end()}),
        layer(
            "work",
            "bar",
            {"height": 10, "color": "var(--cpu)"},
            {"x": x, "x2": _end(), "y": y, "tooltip": [label("what", "worked")]},
        ),
        layer(
            "events",
            "tick",
            {"thickness": 2, "height": 16},
            {"x": x, "y": y, "color": colour, "tooltip": told},
        ),
    ]
    datasets = {
        "marked": list(_marked(marked, first_ns, last_ns)),
        "work": list(_work(drawn)),
        "events": list(_moments(drawn)),
    }
    return vega.chart(len(LANES), layers, datasets)


def _end() -> Spec:
    return {"field": "end"}


def _marked(marked: Sequence[Stretch], first_ns: int, last_ns: int) -> Iterator[dict[str, object]]:
    for place in marked:
        begin, end = max(place.begin_ns, first_ns), min(place.end_ns, last_ns)
        if begin < end:
            yield {"ms": (begin - first_ns) / 1e6, "end": (end - first_ns) / 1e6}


def _work(events: Sequence[Event]) -> Iterator[dict[str, object]]:
    """What the client worked between two events, drawn before the second: nobody knows when."""
    first_ns = events[0].at_ns
    for before, after in pairwise(events):
        if before.cpu_ns is None or after.cpu_ns is None or after.cpu_ns <= before.cpu_ns:
            continue
        worked_ns = after.cpu_ns - before.cpu_ns
        begin_ns = max(before.at_ns, after.at_ns - worked_ns)
        yield {
            "lane": WORKS,
            "ms": (begin_ns - first_ns) / 1e6,
            "end": (after.at_ns - first_ns) / 1e6,
            "what": microseconds(worked_ns / 1e3),
        }


def _moments(events: Sequence[Event]) -> Rows:
    rows: Rows = []
    for before, event in zip((events[0], *events), events, strict=False):
        up, down = from_client(event), from_origin(event)
        if up or down:
            rows.append(
                {
                    "lane": UP if up else DOWN,
                    "ms": (event.at_ns - events[0].at_ns) / 1e6,
                    "what": up or down,
                    "at": microseconds((event.at_ns - events[0].at_ns) / 1e3),
                    "gap": microseconds((event.at_ns - before.at_ns) / 1e3),
                }
            )
    return rows
