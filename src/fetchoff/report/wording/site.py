"""What the pages of a site say of stored results: figures, and short sentences."""

from __future__ import annotations

import re

from fetchoff.model.check import CheckOutcome
from fetchoff.model.claim import Measure
from fetchoff.model.course import parts_of
from fetchoff.model.estimate import Estimate
from fetchoff.model.link import LOOPBACK
from fetchoff.model.results_file import (
    StoredAsked,
    StoredCheck,
    StoredClaim,
    StoredProfile,
    StoredRelative,
)
from fetchoff.report.wording import claims
from fetchoff.report.wording.figures import (
    MISSING,
    count,
    interval,
    is_number,
    microseconds,
    number,
    percent,
    ratio,
)

_AMOUNT = re.compile(r"\d (?:µs|ms|s|MB|a request)")


def course(workload: str) -> str:
    """`download@10M over london`; over loopback the workload alone."""
    name, link = parts_of(workload)
    return name if link == LOOPBACK.id else f"{name} over {link}"


def time(found: Estimate) -> str:
    """A time an exchange, with its interval: `186 µs (170 µs–205 µs)`."""
    if not is_number(found.point):
        return MISSING
    point = microseconds(found.point)
    if not _tells(found):
        return point
    return f"{point} ({microseconds(found.low)}–{microseconds(found.high)})"


def against(relative: StoredRelative | None) -> str:
    """A ratio with its interval: `0.482 × (0.478–0.486)`."""
    if relative is None or relative.ratio.point is None:
        return MISSING
    found = relative.ratio.estimate
    span = interval(found)
    return f"{ratio(found.point)} ×" + ("" if span == MISSING else f" ({span})")


def memory(peak_mb: float | None) -> str:
    """`31.2 MB`."""
    return MISSING if peak_mb is None else f"{number(peak_mb, 1)} MB"


def checks(done: tuple[StoredCheck, ...]) -> str:
    """`12 passed, 2 inconclusive`."""
    counts = ((sum(c.outcome is one for c in done), one.value) for one in CheckOutcome)
    return ", ".join(f"{many} {name}" for many, name in counts if many) or "none"


def measured(claim: StoredClaim) -> str:
    """Our ratio or amount beside a published one, with its interval; a dash if there is none."""
    if claim.measured is None or claim.measured.point is None:
        return MISSING
    found = claim.measured.estimate
    if not _AMOUNT.search(claim.published):
        span = interval(found)
        return f"×{ratio(found.point)}" + ("" if span == MISSING else f" ({span})")
    measure = next((one for one in Measure if one.value.lower() == claim.measure), Measure.WALL)
    point = claims.amount(measure, found.point)
    if not _tells(found):
        return point
    return f"{point} ({claims.amount(measure, found.low)}–{claims.amount(measure, found.high)})"


def profile(one: StoredProfile) -> str:
    """One direction of a link: `45 ms, 100 Mbit/s, 1.0 % loss`."""
    parts = [f"{one.delay_ms:g} ms"]
    if one.jitter_ms:
        parts.append(f"± {one.jitter_ms:g} ms")
    parts.append("any rate" if one.rate_mbit_s is None else f"{one.rate_mbit_s:g} Mbit/s")
    if one.loss:
        parts.append(f"{percent(one.loss, 1)} loss")
    return ", ".join(parts)


def link(asked: StoredAsked) -> str:
    """Both directions."""
    return f"up {profile(asked.up)}; down {profile(asked.down)}"


def runs(many: int) -> str:
    return count(many, "run")


def clients(many: int) -> str:
    return count(many, "client")


def _tells(found: Estimate) -> bool:
    """Whether the interval says anything."""
    return found.low < found.high and found.is_telling
