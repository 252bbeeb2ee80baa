"""Running a client until it is steady: the curve of its cost over its first exchanges.

Nothing of it is measured for a ranking, so clients warm up side by side, on two cores.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from threading import Event

from fetchoff.run.adapters.seam import AdapterProcess, Timed, no_cpu
from fetchoff.stats.steadiness import can_be_tested, is_steady

STRETCH_MS = 2.5
LONG_STRETCH_MS = 10.0  # of who has a compiler, and does thousands of exchanges
LEAST_EXCHANGES = 20
LONG_ENOUGH_S = 0.5  # for a client that mostly waits, and has no compiler
LEAST_CPU_MS = 20.0
COMPILERS_CPU_MS = 1200.0  # V8 has compiled undici anew after 5000 exchanges, which take it 0.3 s
PLENTY = 2.5  # times as much, of a client whose exchanges are long
MOST_EXCHANGES = 60_000
MOST_S = 12.0  # a compiler does the rest before its turns, alone on the core
BATCHES_MOST_S = 20.0  # where it has none
TIMEOUT_S = 10.0
WAITS = 0.1  # of the time on a CPU, or less
MOST_COMPILING_S, LOOK_S = 2.0, 0.02
QUIET = 0.1  # of the time on a CPU, or less: nothing is left to compile
POINTS = 40  # of a curve, as it is kept


@dataclass(frozen=True)
class Curve:
    """What an exchange cost, stretch by stretch.

    `points` are pairs: exchanges so far, CPU microseconds of each of the last ones. `was_tested`:
    whether it went on for long enough to look for a trend.
    """

    points: tuple[tuple[int, float], ...]
    is_steady: bool
    wall_us: float = 0.0  # of an exchange in the last stretches; others were at work meanwhile
    was_tested: bool = True

    @property
    def settled_us(self) -> float:
        """The mean cost of an exchange in the last quarter of all exchanges."""
        done = self.points[-1][0]
        late, before = 0.0, 0
        for upto, cost in reversed(self.points):
            earlier = next((d for d, _ in reversed(self.points) if d < upto), 0)
            late += cost * (upto - earlier)
            before = earlier
            if before <= 0.75 * done:
                break
        return late / max(1, done - before)


@dataclass(frozen=True)
class Work:
    """What warms a client up.

    `run` so many iterations: raises if they fail. `exchanges`: of an iteration. `fewest` and
    `most`: iterations at a time. `most_s`: seconds until it is cut off.
    """

    run: Callable[[int], Timed]
    exchanges: int = 1
    fewest: int = 1
    most: int = MOST_EXCHANGES
    most_s: float = MOST_S

    @classmethod
    def unchecked(cls, adapter: AdapterProcess, exchanges: int) -> Work:
        """Of a client whose answers nobody ranks."""
        return cls(lambda n: adapter.run_timed(n, TIMEOUT_S, no_cpu), exchanges)


def warm_up(
    adapter: AdapterProcess, work: Work, least: int, stop: Event, beyond: float = 0.0
) -> Curve:
    """Run stretches until no trend is left. Raises AdapterError, and what `work` raises.

    `least`: the least number of exchanges. `stop`: set if another client's failure has ended the
    section. `beyond`: how much longer to go on when no trend is left, as a share of what went
    before. Draw it at random: collections come at the same exchanges in each process, and the turns
    would otherwise meet all of them or none.
    """
    exchanges = work.exchanges
    n, done, spent_ns, took_s = work.fewest, 0, 0, 0.0
    stretch_ms = LONG_STRETCH_MS if adapter.launch.compiles else STRETCH_MS
    least_cpu_ns = 1e6 * (COMPILERS_CPU_MS if adapter.launch.compiles else LEAST_CPU_MS)
    walls: list[float] = []
    counts: list[int] = []
    costs: list[float] = []
    steady, tested = False, False
    while not stop.is_set():
        timed = work.run(n)
        counts.append(n * exchanges)
        costs.append(timed.cpu_ns / 1e3 / (n * exchanges))
        walls.append(timed.wall_ns / 1e3 / (n * exchanges))
        done += n * exchanges
        spent_ns += timed.cpu_ns
        enough = spent_ns >= least_cpu_ns and (
            done >= LEAST_EXCHANGES or spent_ns >= PLENTY * least_cpu_ns
        )
        enough = enough and done >= least
        tested = enough and can_be_tested(counts)
        steady = tested and is_steady(counts, costs)
        took_s += timed.wall_ns / 1e9
        if steady or done >= max(MOST_EXCHANGES, 2 * least) or took_s > work.most_s:
            break
        if not least and took_s > LONG_ENOUGH_S and spent_ns < WAITS * took_s * 1e9:
            steady = True  # what it waits for does not depend on how warm it is
            break
        fitting = n * stretch_ms * 1e6 / max(1, timed.wall_ns)
        n = max(work.fewest, min(round(fitting), 4 * n, work.most))
    left = round(beyond * done / exchanges) if took_s <= work.most_s else 0
    while left > 0 and not stop.is_set():
        some = max(work.fewest, min(left, n))
        timed = work.run(some)
        counts.append(some * exchanges)
        costs.append(timed.cpu_ns / 1e3 / (some * exchanges))
        left -= some
    if adapter.launch.compiles:
        let_compile(adapter, stop)
    return Curve(_thinned(counts, costs), steady, median(walls[-5:]) if walls else 0.0, tested)


def let_compile(adapter: AdapterProcess, stop: Event | None = None) -> None:
    """Wait until the compilers' queues are empty; later exchanges would pay for them otherwise."""
    for _ in range(round(MOST_COMPILING_S / LOOK_S)):
        if (stop and stop.is_set()) or adapter.idle_cpu_ns(LOOK_S) < QUIET * LOOK_S * 1e9:
            break


def _thinned(counts: list[int], costs: list[float]) -> tuple[tuple[int, float], ...]:
    """At most POINTS points: successive stretches are joined."""
    together = -(-len(counts) // POINTS) if counts else 1
    points, done = [], 0
    for first in range(0, len(counts), together):
        some = counts[first : first + together]
        paid = sum(c * n for c, n in zip(costs[first : first + together], some, strict=True))
        done += sum(some)
        points.append((done, round(paid / sum(some), 3)))
    return tuple(points)
