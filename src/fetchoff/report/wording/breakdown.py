"""Why one client is slower than another, in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from fetchoff.model.breakdown import Breakdown, Part, PartKind
from fetchoff.model.cause import KnownFault
from fetchoff.model.finding import Finding
from fetchoff.report.wording import findings
from fetchoff.report.wording.figures import factor, microseconds, percent

NAMES = {
    PartKind.CPU: "its own work",
    PartKind.USER: "its own work, user",
    PartKind.SYSTEM: "its own work, system",
    PartKind.ORIGIN: "work of the origin",
    PartKind.ROUND_TRIPS: "whole round trips",
    PartKind.TRANSFER: "bytes on the link",
    PartKind.MEANWHILE: "less work done while it waited",
    PartKind.REST: "switches, and what is not explained",
}


def part(found: Part, faults: Mapping[str, KnownFault]) -> str:
    """The name of a part."""
    if found.kind is PartKind.WAIT:
        title = faults[found.fault].title
        return title[:1].lower() + title[1:]
    return NAMES[found.kind]


def sentence(found: Breakdown, faults: Mapping[str, KnownFault]) -> str:
    """Which client is slower, by how much, and most of all why; or why that isn't told."""
    if found.withheld:
        return f"The comparison is withheld: {withheld(found.withheld)}."
    slower, faster = (found.b, found.a) if found.difference_us >= 0 else (found.a, found.b)
    ratio = found.ratio
    if ratio.contains(1):
        return f"{found.a} and {found.b} were not shown to differ on {found.course}."
    sign = 1 if found.difference_us >= 0 else -1
    main = max(found.parts, key=lambda each: sign * each.difference_us)
    share = main.difference_us / found.difference_us
    by = factor(ratio.point, ratio.low, ratio.high)
    return (
        f"An exchange of {found.b} takes {by} as long as one of {found.a}. {slower} takes "
        f"{microseconds(abs(found.difference_us))} more than {faster}; {percent(share)} of that: "
        f"{part(main, faults)}."
    )


def withheld(finding: Finding) -> str:
    """Why figures must not be believed, of whom that is known, and what to do about it."""
    said = ". ".join(
        (*findings.remarks((replace(finding, advice=None),)), *findings.advice(finding))
    )
    return said.replace("`", "")
