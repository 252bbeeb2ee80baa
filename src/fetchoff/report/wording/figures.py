"""Numbers as readers see them. Everything that is shown is formatted here, and nowhere else."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from fetchoff.model.estimate import Estimate

MISSING = "–"
MINUS = "−"
MOST_DIGITS = 4
SMALL = 5  # below it, a whole number would be too rough for an end: 1.6 is not 2
FINE = 0.1  # a ratio below it has two significant digits
UNITS = (("µs", 1.0), ("ms", 1e3), ("s", 1e6))  # and how many microseconds they have


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
    """`12,345.6`, `−3`, or a dash where there is none."""
    if value is None or not math.isfinite(value):
        return MISSING
    return f"{value:z,.{decimals}f}".replace("-", MINUS)


def plain(value: float, digits: int) -> str:
    """So many significant digits, without an exponent or zeros at the end: `1,230`, `0.00001`."""
    if not math.isfinite(value):
        return MISSING
    rounded = f"{value:.{digits - 1}e}"
    text = number(float(rounded), max(digits - 1 - _exponent(rounded), 0))
    return text.rstrip("0").rstrip(".") if "." in text else text


def as_sure(value: float, within: float, decimals: int) -> str:
    """No digit that `within`, how far off it may be, leaves no meaning: 635.2 ± 31 is `640`."""
    if not math.isfinite(value) or not math.isfinite(within) or within <= 0:
        return number(value, decimals)
    return _to_place(value, min(decimals, _first_place(within)))


def sure_amount(value: float, within: float, decimals: int) -> str:
    """As `as_sure`, of what is more than 0: its first digit is kept, so 3 ± 40 is `3`.

    Where nobody knows how far off it may be, it has two digits.
    """
    if not math.isfinite(value):
        return MISSING
    return _to_place(value, _sure_place(value, within, decimals))


def _sure_place(value: float, within: float, decimals: int) -> int:
    """How many decimals an amount keeps; −1: whole tens."""
    if within <= 0:
        return decimals
    first = _first_place(value)
    known = _first_place(within) if math.isfinite(within) else first + 1
    return max(min(decimals, known), first)


def _first_place(value: float) -> int:
    """The decimal in which the first digit stands: 0 of 6.2, 3 of 0.0042, −1 of 35."""
    return -math.floor(math.log10(abs(value))) if value else 0


def _to_place(value: float, place: int) -> str:
    return number(round(value, place), max(place, 0))


def _exponent(scientific: str) -> int:
    return int(scientific.partition("e")[2])


def ratio(value: float | None, decimals: int = 3) -> str:
    """Three decimals below 10, two below 100, then one: `0.482`, `1.003`, `13.42`.

    More where they would leave less than two digits: `0.00045`.
    """
    if value is None or not math.isfinite(value):
        return MISSING
    size = abs(value)
    if size < 10:
        return f"{value:.{max(decimals, 1 - _exponent(f'{size:.1e}'))}f}"
    return f"{value:.2f}" if size < 100 else f"{value:.1f}"


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
    return number(float(rounded), max(2 - _exponent(rounded), 0))


def times(value: float) -> str:
    """A factor in prose: `0.00045`, `1.04`, `2.1`, `13`."""
    if value < 1.2:
        return ratio(value)
    return f"{value:.2f}" if value < 2 else f"{value:.1f}" if value < 10 else f"{value:.0f}"


def factor(point: float, low: float, high: float) -> str:
    """A factor with its interval in prose, as precise as the interval: `2.1 × (1.9–2.3)`.

    An end that is not 1 is not written as 1: the verdict rests on that. Nor is one written as 0.
    """
    width = high - low
    if not (math.isfinite(width) and width > 0):
        return times(point) + " ×"
    least = 1 if low < SMALL else 0
    digits = min(max(math.ceil(-math.log10(width / 2)), least), MOST_DIGITS)
    digits = max(_apart_from_one((low, high), digits), _least_digits(low, high))
    return f"{point:.{digits}f} × ({low:.{digits}f}–{high:.{digits}f})"


def _apart_from_one(ends: Sequence[float], digits: int) -> int:
    """So many digits, and more if an end would be written as 1."""
    while digits < MOST_DIGITS and 1 in (round(end, digits) for end in ends):
        digits += 1
    return digits


def _least_digits(low: float, high: float) -> int:
    """So many that the lower end keeps its first digit, and a small ratio between them two."""
    if low <= 0:
        return 0
    between = math.sqrt(low * high)
    return max(_first_place(low), _first_place(between) + 1 if between < FINE else 0)


def significant(value: float) -> float | None:
    """Six significant digits, for a machine to read."""
    return float(f"{value:.6g}") if math.isfinite(value) else None


def microseconds(value: float) -> str:
    """A time in prose, in the unit that suits it: `12.3 µs`, `4.56 ms`, `−15 ms`, `2,510 s`."""
    if not math.isfinite(value):
        return MISSING
    size = float(f"{abs(value):.3g}")
    unit, scale = next((one for one in UNITS if size < 1000 * one[1]), UNITS[-1])
    return f"{plain(value / scale, 3)} {unit}"


def percent(share: float, decimals: int = 0) -> str:
    """`2 %`, `0.5 %`, `−3 %`."""
    return f"{number(share * 100, decimals)} %" if math.isfinite(share) else MISSING


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
    if not math.isfinite(estimate.point):
        return MISSING
    for unit, scale in UNITS:
        scaled = estimate.times(1 / scale)
        decimals = 1 if unit == "µs" else 2
        place = _sure_place(scaled.point, scaled.half_width, decimals)
        if round(scaled.point, place) < 1000:
            break
    return f"{_to_place(scaled.point, place)} {unit}"


def roughly(value: float, decimals: int = 1) -> str:
    """A figure without an interval, to 5 %: `29`, `6.2`, `640`."""
    return sure_amount(value, abs(value) / 20, decimals)
