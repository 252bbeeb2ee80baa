"""What the terminal shows of a breakdown: where the difference of two clients comes from."""

from __future__ import annotations

from collections.abc import Mapping

from rich.console import Group
from rich.table import Table
from rich.text import Text

from fetchoff.model.breakdown import Breakdown, Part
from fetchoff.model.cause import KnownFault
from fetchoff.report.wording import breakdown as wording
from fetchoff.report.wording.figures import microseconds, percent


def whole(found: Breakdown, faults: Mapping[str, KnownFault]) -> Group:
    """The sentence, and a table of the parts."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("")
    for title in (found.a, found.b, "difference", "of it"):
        table.add_column(title, justify="right")
    for part in found.parts:
        table.add_row(*_row(part, found, faults))
    table.add_row(
        "whole exchange",
        microseconds(found.a_us),
        microseconds(found.b_us),
        _signed(found.difference_us),
        "",
        style="bold",
    )
    return Group(Text(wording.sentence(found, faults)), Text(), table)


def _row(part: Part, found: Breakdown, faults: Mapping[str, KnownFault]) -> tuple[str, ...]:
    share = part.difference_us / found.difference_us if found.difference_us else 0.0
    return (
        wording.part(part, faults),
        *map(_shown, (part.a_us, part.b_us)),
        _signed(part.difference_us),
        percent(share),
    )


def _shown(value_us: float) -> str:
    return microseconds(value_us) if value_us >= 0 else _signed(value_us)


def _signed(value_us: float) -> str:
    sign = "+" if value_us >= 0 else "−"
    return f"{sign}{microseconds(abs(value_us))}"
