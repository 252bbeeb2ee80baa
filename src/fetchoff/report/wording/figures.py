"""Numbers as readers see them. Everything that is shown is formatted here, and nowhere else."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from fetchoff.model.estimate import Estimate

MISSING = "–"
MOST_DIGITS = 4
SMALL = 5  # below it, a whole number would be too rough for an end: 1.6 is not 2


def is_number(value: float | None) -> bool:
    """Whether there is a finite figure to show."""
    return value is not None and math.isfinite(value)


def decimals_for(values: Iterable[float | None]) -> int:
    """One count of decimals for a whole column, so that its numerals line up.

    The smallest figure keeps two significant digits; large columns get none.
    """
    smallest = min((abs(v) for v in values if v is not None and math.isfinite(v) and v), default=1)
    if smallest >= 100:
        return 0
    return 1 if smallest >= 1 else 2


def decimals_for_rates(values: Iterable[float | None]) -> int:
    """As `decimals_for`, where the greatest is what matters: none if it has three digits."""
    known = [value for value in values if value is not None and math.isfinite(value)]
    return 0 if max(known, default=0) >= 100 else decimals_for(known)


def number(value: float | None, decimals: int = 0) -> str:
    """`12,345.6`, or a dash where there is none."""
    if value is None or not math.isfinite(value):
        return MISSING
    return f"{value:,.{decimals}f}"


def as_sure(value: float, within: float, decimals: int) -> str:
    """No digit that `within`, how far off it may be, leaves no meaning: 635.2 ± 31 is `640`."""
    if not math.isfinite(value) or not math.isfinite(within) or within <= 0:
        return number(value, decimals)
    place = min(decimals, -math.floor(math.log10(within)))
    return number(round(value, place), max(place, 0))


def ratio(value: float | None, decimals: int = 3) -> str:
    """Three decimals below 10, two below 100, then one: `0.482`, `1.003`, `13.42`."""
    if value is None or not math.isfinite(value):
        return MISSING
    size = abs(value)
    return (
        f"{value:.{decimals}f}" if size < 10 else f"{value:.2f}" if size < 100 else f"{value:.1f}"
    )


def interval(estimate: Estimate | None) -> str:
    """`0.478–0.486`; a dash for one that is so wide that it says nothing.

    As in `factor`, an end that is not 1 is not written as 1: `0.9700–0.9996`.
    """
    if estimate is None or not estimate.is_telling:
        return MISSING
    ends = (estimate.low, estimate.high)
    digits = _apart_from_one([end for end in ends if end != 1], 3)
    return "–".join(ratio(end, digits) for end in ends)


def interval_in_words(estimate: Estimate) -> str:
    """As `interval`; it says so where there is none."""
    told = interval(estimate)
    return "too few rounds for an interval" if told == MISSING else told


def three_digits(value: float) -> str:
    """Three significant digits and no exponent: `0.00405`, `1.48`, `1,230`."""
    if not math.isfinite(value):
        return MISSING
    rounded = f"{value:.2e}"
    exponent = int(rounded.partition("e")[2])
    return f"{float(rounded):,.{max(2 - exponent, 0)}f}".replace("-", "−")


def times(value: float) -> str:
    """A factor in prose: `1.04`, `2.1`, `13`."""
    if value < 1.2:
        return f"{value:.3f}"
    return f"{value:.2f}" if value < 2 else f"{value:.1f}" if value < 10 else f"{value:.0f}"


def factor(point: float, low: float, high: float) -> str:
    """A factor with its interval in prose, as precise as the interval: `2.1 × (1.9–2.3)`.

    An end that is not 1 is not written as 1: the verdict rests on that.
    """
    width = high - low
    if not (math.isfinite(width) and width > 0):
        return times(point) + " ×"
    least = 1 if low < SMALL else 0
    digits = min(max(math.ceil(-math.log10(width / 2)), least), MOST_DIGITS)
    digits = _apart_from_one((low, high), digits)
    return f"{point:.{digits}f} × ({low:.{digits}f}–{high:.{digits}f})"


def _apart_from_one(ends: Sequence[float], digits: int) -> int:
    """So many digits, and more if an end would be written as 1."""
    while digits < MOST_DIGITS and 1 in (round(end, digits) for end in ends):
        digits += 1
    return digits


def significant(value: float) -> float | None:
    """Six significant digits, for a machine to read."""
    return float(f"{value:.6g}") if math.isfinite(value) else None


def microseconds(value: float) -> str:
    """A time in prose, in the unit that suits it: `12.3 µs`, `4.56 ms`, `−15 ms`."""
    if not math.isfinite(value):
        return MISSING
    if value < 0:
        return f"−{microseconds(-value)}"
    if value < 1000:
        return f"{value:.3g} µs"
    return f"{value / 1000:.3g} ms" if value < 1e6 else f"{value / 1e6:.3g} s"


def percent(share: float, decimals: int = 0) -> str:
    """`2 %`, `0.5 %`."""
    if not math.isfinite(share):
        return MISSING
    return f"{share * 100:.{decimals}f} %"


def part(share: float) -> str:
    """As `percent`, but some are not none, and not all: `less than 1 %`, `more than 99 %`."""
    if 0 < share < 0.005:
        return "less than 1 %"
    return "more than 99 %" if 0.995 <= share < 1 else percent(share)


def tolerance(share: float) -> str:
    """As exactly as it was given: `2 %`, `0.25 %`."""
    return f"{100 * share:g} %"


def level(share: float) -> str:
    """A confidence, so exactly that it is not 100 %: `99 %`, `99.967 %`."""
    return f"{100 - float(f'{100 * (1 - share):.2g}'):.10g} %"


def size(count: int | None) -> str:
    """A read's size: `16 KiB`, `1,000 B`; `own` where every client reads as it likes."""
    if count is None:
        return "own"
    for unit, of in (("MiB", 2**20), ("KiB", 2**10)):
        if count % of == 0:
            return f"{count // of:,} {unit}"
    return f"{count:,} B"


def seconds(value: float) -> str:
    """A duration in prose: `48 s`, `3 min 5 s`, `1 h 2 min`."""
    if not math.isfinite(value):
        return MISSING
    whole = round(value)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def count(many: int, thing: str) -> str:
    """`1 round`, `7 rounds`."""
    return f"{many:,} {thing}{'' if many == 1 else 's'}"


def tier(tiers: tuple[int, int] | None) -> str:
    """`1`, or `2–4` for a client that may stand in any of them."""
    if tiers is None:
        return ""
    best, worst = tiers
    return str(best) if best == worst else f"{best}–{worst}"


def names(clients: Iterable[str], most: int = 4) -> str:
    """`a`, `b` and `c`; a long list ends in `and 7 more`. Names are in backticks."""
    quoted = [f"`{client}`" for client in clients]
    if len(quoted) > most:
        quoted = [*quoted[: most - 1], f"{len(quoted) - most + 1} more"]
    if len(quoted) < 2:
        return "".join(quoted)
    return f"{', '.join(quoted[:-1])} and {quoted[-1]}"


def sure_time(estimate: Estimate) -> str:
    """A time of microseconds in the unit that suits it, with no digit that its interval leaves no
    meaning: `186 µs`, `4.6 ms`."""
    point = estimate.point
    if not math.isfinite(point):
        return MISSING
    unit, scale = ("µs", 1.0) if point < 1000 else ("ms", 1e3) if point < 1e6 else ("s", 1e6)
    scaled = estimate.times(1 / scale)
    return f"{as_sure(scaled.point, scaled.half_width, 2 if scale > 1 else 1)} {unit}"


def roughly(value: float, decimals: int = 1) -> str:
    """A figure without an interval, to 5 %: `29`, `6.2`, `640`."""
    return as_sure(value, abs(value) / 20, decimals)
