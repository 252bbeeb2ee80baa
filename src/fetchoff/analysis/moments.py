"""Whether a cost depends on the moment at which it was measured: docs/analysis.md#self-checks.

Three moments are looked at: the second half of a process's turns beside the first, the later places
of a cycle of turns or of a block of batches beside the earlier ones, and the first place of a block
beside the others. Values are 1 + the logarithm of a ratio.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import isfinite, log, nan
from statistics import fmean, median

from fetchoff.analysis.series import Series
from fetchoff.model.experiment import Role
from fetchoff.model.observation import Batch, Sample, Turns
from fetchoff.stats.pooled import Asked

TREND = 0.04
POSITION = 0.04
ENOUGH_TO_SHARE = 4  # processes of a round, to tell what they have in common


def trends(series: Series, metric: str) -> tuple[Asked, Asked | None]:
    """Of each client beside the others in its round, and of what all in a round have in common.

    A machine drifts now up, now down, so the mean over rounds of what is common is near 1 unless
    nobody has settled. Of a few processes nobody can say what is common to them, and the noise that
    they share must count once: then there is one question alone, with one value for each round.
    (Taken as independent, it withheld 4 of 25 comparisons of two clients while other work went on
    and off on the machine.)
    """
    roles = {entrant.key: entrant.role for entrant in series.entrants}
    rows = {sample: row for row, sample in enumerate(series.samples)}
    turns = [one for one in series.turns if roles[one.entrant] is not Role.CONTROL]
    values = [_halves(one, metric) for one in turns]
    groups = tuple(one.entrant for one in turns)
    rounds = [rows[one.sample] for one in turns]
    common = _common(values, rounds)
    if common is None:
        return Asked(tuple(values), groups, 1.0, TREND, blocks=tuple(rounds)), None
    apart = tuple(value - common[row] + 1 for value, row in zip(values, rounds, strict=True))
    return Asked(apart, groups, 1.0, TREND), _of_all(common.values(), TREND)


def positions(series: Series, metric: str) -> Asked:
    """The later places of cycles beside the earlier ones: a value for each group in each round.

    Those who take turns with each other share the noise of those moments, so they count once.
    """
    of_group: dict[tuple[Sample, int], list[float]] = defaultdict(list)
    for one, earlier, later in _by_place(series):
        ratio = _ratio([earlier.total()], [later.total()], metric)
        if isfinite(ratio):
            of_group[one.sample, one.group].append(ratio)
    return _of_all(map(fmean, of_group.values()), POSITION)


def batch_positions(series: Series, metric: str) -> Asked:
    """The later places of blocks beside the earlier ones: a value for each round, in which all take
    part in the same blocks. None where nobody had batches at both."""
    return _in_blocks(series, metric, lambda place, last: 2 * place - last)


def first_batches(series: Series, metric: str) -> Asked:
    """The first places of blocks beside the others, likewise.

    Among many clients, halves of blocks would hardly differ if only the first place did.
    """
    return _in_blocks(series, metric, lambda place, last: 2 * place - 1 if last else 0)


def _in_blocks(series: Series, metric: str, side: Callable[[int, int], int]) -> Asked:
    """`side`: of a place in a block, whose last place is told, too; 0: on neither side."""
    of_round: dict[Sample, list[float]] = defaultdict(list)
    for sample, batches in _by_block(series):
        sides = [side(batch.position, last) for batch, last in batches]
        before, after = (
            [batch for (batch, _), own in zip(batches, sides, strict=True) if own * sign > 0]
            for sign in (-1, 1)
        )
        ratio = _ratio(before, after, metric)
        if isfinite(ratio):
            of_round[sample].append(ratio)
    return _of_all(map(fmean, of_round.values()), POSITION)


def _by_block(series: Series) -> Iterator[tuple[Sample, list[tuple[Batch, int]]]]:
    """The batches of an entrant in a round, each with the last place of its block."""
    as_turns = {(one.sample, one.entrant) for one in series.turns}
    batches = [b for b in series.batches if (b.sample, b.entrant) not in as_turns]
    last: dict[tuple[Sample, int], int] = defaultdict(int)
    for batch in (*batches, *(one.batch for one in series.left_out)):
        last[batch.sample, batch.block] = max(last[batch.sample, batch.block], batch.position)
    found: dict[tuple[Sample, str], list[tuple[Batch, int]]] = defaultdict(list)
    for batch in batches:
        found[batch.sample, batch.entrant].append((batch, last[batch.sample, batch.block]))
    for (sample, _), own in found.items():
        yield sample, own


def _of_all(values: Iterable[float], tolerance: float) -> Asked:
    """A question about nobody in particular."""
    each = tuple(values)
    return Asked(each, ("",) * len(each), 1.0, tolerance)


def _halves(one: Turns, metric: str) -> float:
    pieces = one.pieces(2)
    return _ratio(pieces[:1], pieces[1:], metric) if len(pieces) == 2 else nan


def _ratio(first: Sequence[Batch], second: Sequence[Batch], metric: str) -> float:
    """1 + log(cost of an exchange in the second ÷ that in the first); NaN if either is empty."""
    before, after = (_cost(part, metric) for part in (first, second))
    return 1 + log(after / before) if before > 0 and after > 0 else nan


def _cost(batches: Sequence[Batch], metric: str) -> float:
    """Nanoseconds of an exchange; NaN without any."""
    exchanges = sum(batch.exchanges for batch in batches)
    costs = (batch.cost for batch in batches)
    ns = sum(cost.wall_ns if metric == "wall" else cost.cpu_ns for cost in costs)
    return ns / exchanges if exchanges else nan


def _common(values: Sequence[float], rounds: Sequence[int]) -> Mapping[int, float] | None:
    """What all processes of each round have in common; None if any round has too few to tell."""
    of_round: dict[int, list[float]] = {number: [] for number in rounds}
    for value, number in zip(values, rounds, strict=True):
        if isfinite(value):
            of_round[number].append(value)
    if any(len(here) < ENOUGH_TO_SHARE for here in of_round.values()):
        return None
    return {number: median(here) for number, here in of_round.items()}


def _by_place(series: Series) -> Iterator[tuple[Turns, Turns, Turns]]:
    """The turns of a process in a round, and those at earlier and at later places of their cycles.

    A place in the middle is neither.
    """
    last: dict[tuple[Sample, int], int] = defaultdict(int)
    for one in series.given_turns:
        for cycle, position in zip(one.cycle, one.position, strict=True):
            last[one.sample, cycle] = max(last[one.sample, cycle], position)
    for one in series.turns:
        places = list(enumerate(zip(one.cycle, one.position, strict=True)))
        off_middle = [(at, 2 * place - last[one.sample, cycle]) for at, (cycle, place) in places]
        earlier = one.only([at for at, off in off_middle if off < 0])
        yield one, earlier, one.only([at for at, off in off_middle if off > 0])
