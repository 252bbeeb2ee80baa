"""What the terminal shows of a diagnosis: the causes, and what could not be looked for."""

from __future__ import annotations

from collections.abc import Mapping

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from fetchoff.model.cause import Cause, Diagnosis, KnownFault
from fetchoff.report.wording import causes as wording
from fetchoff.report.wording.figures import microseconds

INDENT = (0, 0, 0, 2)


def whole(diagnosis: Diagnosis, faults: Mapping[str, KnownFault]) -> Group:
    """Everything about one client on one course, without its time line."""
    parts: list[RenderableType] = [heading(diagnosis)]
    for cause in diagnosis.causes:
        parts += [Text(), *_cause(cause, faults[cause.fault])]
    if not diagnosis.causes:
        parts += [Text(), Text(wording.nothing(diagnosis))]
    notes = [*map(wording.missing, diagnosis.missing), wording.silent(diagnosis)]
    notes += diagnosis.faults
    parts += [Text(f"note: {note}", style="dim") for note in notes if note]
    return Group(*parts)


def heading(diagnosis: Diagnosis) -> Text:
    """`python/requests  small-get · 512 µs an exchange: 430 µs its own CPU, 30 µs the origin's`."""
    times = (
        f"  {diagnosis.course} · {microseconds(diagnosis.exchange_us)} an exchange"
        f"{wording.spent(diagnosis)}"
    )
    return Text.assemble((diagnosis.client, "bold underline"), (times, "dim"))


def _cause(cause: Cause, fault: KnownFault) -> list[RenderableType]:
    number = ", ".join(map(str, fault.numbers))
    lines = [
        ("seen", f"{wording.seen(cause, fault)} (from {wording.rests_on(cause)})"),
        ("predicted", wording.predicted(cause)),
        ("tried", wording.tried(cause)),
        ("cure", fault.cure),
        ("here", wording.here(cause)),
    ]
    shown: list[RenderableType] = [Text.assemble((fault.title, "bold"), (f"  #{number}", "dim"))]
    for name, said in lines:
        if said:
            text = Text.assemble((f"{name:10}", "dim"), said)
            shown.append(Padding(text, INDENT))
    return shown
