"""A figure over time, as SVG inside a page: points with their intervals, from zero up.

Drawn here rather than by Vega: docs/decisions/0021-site.md has the times of both. Colours and sizes
are classes of the site's style sheet, because its policy forbids styles within a page.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

from fetchoff.model.estimate import Estimate
from fetchoff.report.wording.figures import is_number, microseconds

WIDTH, HEIGHT = 720.0, 220.0
LEFT, RIGHT, TOP, BOTTOM = 66.0, 14.0, 12.0, 28.0
SERIES = 4  # of as many looks; further ones begin again
REACH = 2.0  # an interval that ends higher than so many times its point doesn't stretch the axis
GRID_LINES = 5
LEAST_US = 1e-6  # the height of an axis, if all figures are zero
MOST_US = 1e15  # 30 years: only a file that somebody broke has more, which no axis has room for
SHAPES = (
    "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0Z",
    "M0-5 5 0 0 5-5 0Z",
    "M-3.5-3.5h7v7h-7Z",
    "M0-4.5 4.5 3.5h-9Z",
)


@dataclass(frozen=True)
class Dot:
    """A figure at a place of the horizontal axis. `words`: shown to who points at it."""

    x: float
    found: Estimate
    words: str
    series: int = 0


@dataclass(frozen=True)
class Tick:
    """A label of the horizontal axis."""

    x: float
    text: str


def drawn(dots: Sequence[Dot], ticks: Sequence[Tick], label: str) -> Markup | None:
    """The chart; None if fewer than two dots have a figure that can be."""
    shown = [dot for dot in dots if is_number(dot.found.point) and 0 <= dot.found.point <= MOST_US]
    if len(shown) < 2:
        return None
    frame = _Frame.of(shown)
    parts = [
        f'<svg class="chart" viewBox="0 0 {WIDTH:.0f} {HEIGHT:.0f}" role="img" '
        f'aria-label="{escape(label)}">',
        *_grid(frame),
        *_labels(frame, ticks),
        *(_mark(frame, dot) for dot in shown),
        "</svg>",
    ]
    return Markup("".join(parts))


def key(series: int) -> Markup:
    """The mark of a series, for a legend."""
    look = series % SERIES
    return Markup(
        f'<svg class="key" viewBox="-7 -7 14 14" aria-hidden="true">'
        f'<path class="s{look}" d="{SHAPES[look]}"/></svg>'
    )


@dataclass(frozen=True)
class _Frame:
    """The scales: from figures to places in the picture."""

    first: float
    last: float
    top: float

    @classmethod
    def of(cls, dots: Sequence[Dot]) -> _Frame:
        xs = [dot.x for dot in dots]
        top = max(max(d.found.point, min(d.found.high, REACH * d.found.point)) for d in dots)
        return cls(min(xs), max(xs), max(top * 1.05, LEAST_US))

    def x(self, value: float) -> float:
        width = WIDTH - LEFT - RIGHT - 16
        if self.first == self.last:
            return LEFT + 8 + width / 2
        return LEFT + 8 + width * (value - self.first) / (self.last - self.first)

    def y(self, value: float) -> float:
        share = min(max(value / self.top, 0.0), 1.0)
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * share


def _grid(frame: _Frame) -> Iterator[str]:
    step = _step(frame.top / GRID_LINES)
    for number in range(int(frame.top / step) + 1):
        y = frame.y(number * step)
        yield f'<path class="grid" d="M{LEFT:.0f} {y:.1f}H{WIDTH - RIGHT:.0f}"/>'
        text = microseconds(number * step) if number else "0"
        yield f'<text class="end" x="{LEFT - 8:.0f}" y="{y + 4:.1f}">{text}</text>'


def _step(least: float) -> float:
    """1, 2 or 5 of some decade."""
    decade = 10.0 ** math.floor(math.log10(least))
    return next(digit * decade for digit in (1, 2, 5, 10) if digit * decade >= least * (1 - 1e-9))


def _labels(frame: _Frame, ticks: Sequence[Tick]) -> Iterator[str]:
    for tick in ticks:
        x = frame.x(tick.x)
        look = "start" if x < WIDTH / 4 else "end" if x > 3 * WIDTH / 4 else "middle"
        yield f'<text class="{look}" x="{x:.1f}" y="{HEIGHT - 8:.0f}">{escape(tick.text)}</text>'


def _mark(frame: _Frame, dot: Dot) -> str:
    x, found, look = frame.x(dot.x), dot.found, dot.series % SERIES
    low, high = frame.y(max(found.low, 0.0)), frame.y(min(found.high, frame.top))
    return (
        f'<g class="s{look}"><title>{escape(dot.words)}</title>'
        f'<path class="span" d="M{x:.1f} {low:.1f}V{high:.1f}"/>'
        f'<path d="{SHAPES[look]}" transform="translate({x:.1f} {frame.y(found.point):.1f})"/></g>'
    )
