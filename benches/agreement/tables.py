"""The results of the bench as plain tables."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from benches.agreement.arithmetic import Agreement, Overall
from benches.agreement.findings import Loop
from rich.console import Console
from rich.table import Table

from fetchoff.model.estimate import Estimate

console = Console(width=150, highlight=False)


def show_loops(loops: Sequence[Loop]) -> None:
    """Absolute costs and ratios measured outside Fetchoff."""
    table = _table(
        "Outside Fetchoff: CPU time of an exchange",
        ("client", "driven by"),
        ("processes", "µs", "95 %", "ratio", "95 %", "2nd half ÷ 1st", "elsewhere", "connections"),
    )
    for loop in loops:
        table.add_row(
            loop.client,
            loop.way,
            str(loop.processes),
            f"{loop.cpu_us.point:.2f}",
            _range(loop.cpu_us, ".2f"),
            _number(loop.ratio.point, ".4f"),
            _range(loop.ratio, ".4f"),
            f"{loop.second_half.point:.3f}",
            f"{loop.elsewhere:.2%}",
            f"{loop.connections:.1f}",
        )
    console.print(table)
    console.print()


def show_agreements(title: str, agreements: Sequence[Agreement], names: tuple[str, str]) -> None:
    """Each pair of estimates with its deviation, and a summary of all."""
    found, reference = names
    level = max((one.ratio.level for one in agreements), default=0.0)
    joint = f"joint {level:.0%}" if level else "joint"
    table = _table(
        title, ("client",), (found, "interval", reference, "interval", "deviation", joint, "within")
    )
    for one in agreements:
        table.add_row(
            one.client,
            _figure(one.found.point),
            _range(one.found),
            _figure(one.reference.point),
            _range(one.reference),
            f"{one.ratio.point - 1:+.1%}",
            f"{one.ratio.low - 1:+.1%} to {one.ratio.high - 1:+.1%}" if one.has_interval else "–",
            _within(one),
        )
    console.print(table)
    if agreements:
        show_lines([summary(Overall.of(agreements), agreements[0].tolerance)])
    console.print()


def summary(overall: Overall, tolerance: float) -> str:
    """All agreements in a sentence."""
    return (
        f"{overall.within} of {overall.clients} within ±{tolerance:.0%} or the joint interval, "
        f"{overall.close} within ±{tolerance:.0%}; median deviation {overall.median:+.1%}, "
        f"of sizes {overall.median_size:.1%}, largest {overall.largest:.1%}; "
        f"median half-width of the joint intervals "
        + (f"{overall.half_width:.1%}" if overall.half_width < math.inf else "unknown")
    )


def show_kits(kits: Mapping[str, Estimate]) -> None:
    """The cost of adapters compared with plain loops."""
    table = _table("Adapters driven by hand ÷ plain loops", ("client",), ("ratio", "interval"))
    for client, ratio in sorted(kits.items(), key=lambda item: -item[1].point):
        table.add_row(client, f"{ratio.point:.3f}", _range(ratio, ".3f"))
    console.print(table)
    console.print()


def show_lines(lines: Sequence[str]) -> None:
    for line in lines:
        console.print(line, soft_wrap=True)


def _table(title: str, texts: tuple[str, ...], numbers: tuple[str, ...]) -> Table:
    table = Table(title=title, title_justify="left", box=None)
    for name in texts:
        table.add_column(name, no_wrap=True)
    for name in numbers:
        table.add_column(name, justify="right", no_wrap=True)
    return table


def _within(one: Agreement) -> str:
    if one.is_close:
        return "yes"
    if not one.has_interval:
        return "not told"
    return "interval" if one.is_within else "NO"


def _range(estimate: Estimate, form: str = "") -> str:
    if not estimate.level:
        return "–"
    low, high = (f"{x:{form}}" if form else _figure(x) for x in (estimate.low, estimate.high))
    return f"{low}–{high}"


def _number(value: float, form: str) -> str:
    return f"{value:{form}}" if math.isfinite(value) else "–"


def _figure(value: float) -> str:
    """About four significant digits, for ratios and microseconds."""
    return f"{value:.4f}" if value < 1 else f"{value:.2f}" if value < 100 else f"{value:,.1f}"
