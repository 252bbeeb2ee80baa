"""All pairs of a ranking in few bytes: four for each pair, most of which compress to nothing.

`page/scripts/pairs.mjs` reads what is written here. The bytes of n pairs are, one after the other:

1. n bits, the first pair's in the lowest bit of the first byte: whether it was shown to differ;
2. n bits, the same way: whether the whole interval lies within the margin;
3. n bytes, how far the interval reaches below the difference, as the number of a step;
4. n bytes, the same above it, less the byte of 3, modulo 256;
5. n signed numbers of two bytes, the lower byte first: the difference less that of the levels of
   the two clients, in units of `GRAIN`. They are 0 where no client missed a round.

A step is 11 % wider than the one before it, and a reach takes the next wider one: an interval may
be drawn a little too wide, never too narrow. No verdict rests on that: a comparison ends as soon as
its interval lies within the margin, where a wider one would not.
"""

from __future__ import annotations

import base64
import zlib
from dataclasses import dataclass
from math import log1p

import numpy as np
from numpy.typing import NDArray

from fetchoff.model.pairwise import Pairwise

GRAIN = 5e-4
"""Of a log-ratio: less than what any interval of a report shows."""
STEP = 0.1
NOWHERE = 255
"""The step of an interval without an end."""

Array = NDArray[np.float64]


@dataclass(frozen=True)
class PackedPairs:
    """`order`: the clients by their numbers in the document, the cheapest first. `levels`: the
    logarithm of each one's cost ÷ the cheapest one's. `packed`: deflated, then in base 64."""

    order: tuple[int, ...]
    tests: int
    levels: tuple[float, ...]
    packed: str


def packed(pairs: Pairwise, numbers: dict[str, int], margin: float) -> PackedPairs:
    """All pairs of a ranking; `numbers` are those of the clients in the document."""
    size = len(pairs.clients)
    differences = np.array(pairs.differences, dtype=np.float64)
    levels = _levels(differences, size)
    i, j = np.triu_indices(size, 1)
    known = np.where(np.isfinite(differences), differences, levels[j] - levels[i])
    grains = np.rint((known - (levels[j] - levels[i])) / GRAIN).clip(-32768, 32767)
    below, above = (_steps(np.array(reach)) for reach in (pairs.below, pairs.above))
    shown = np.frombuffer(pairs.shown, dtype=np.uint8)
    planes = (
        np.packbits(shown, bitorder="little"),
        np.packbits(_equivalent(pairs, margin), bitorder="little"),
        below.astype(np.uint8),
        ((above - below) % 256).astype(np.uint8),
        grains.astype("<i2"),
    )
    return PackedPairs(
        order=tuple(numbers[client] for client in pairs.clients),
        tests=pairs.tests,
        levels=tuple(round(float(level), 6) for level in levels),
        packed=deflated(b"".join(plane.tobytes() for plane in planes)),
    )


def _equivalent(pairs: Pairwise, margin: float) -> NDArray[np.bool_]:
    """As stats/verdicts.py has it; never without an interval."""
    found, below, above = map(np.array, (pairs.differences, pairs.below, pairs.above))
    tolerated = log1p(margin)
    inside: NDArray[np.bool_] = (-tolerated < found - below) & (found + above < tolerated)
    return inside


def deflated(content: bytes) -> str:
    """Content for a script element: the browser inflates it when it is needed."""
    return base64.b64encode(zlib.compress(content, 9)).decode("ascii")


def _levels(differences: Array, size: int) -> Array:
    """Each client's difference to the cheapest one; 0 where they have no round in common."""
    levels = np.concatenate([np.zeros(min(size, 1)), differences[: max(size - 1, 0)]])
    return np.where(np.isfinite(levels), levels, 0.0)


def _steps(reach: Array) -> NDArray[np.int64]:
    """The least step that reaches as far; half a grain is added for the rounded difference."""
    with np.errstate(divide="ignore"):
        steps = np.ceil(np.log((reach + GRAIN / 2) / GRAIN) / STEP)
    is_far = ~np.isfinite(steps) | (steps >= NOWHERE)
    return np.where(is_far, NOWHERE, np.maximum(np.where(is_far, 0, steps), 0)).astype(np.int64)
