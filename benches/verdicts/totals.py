"""Summarise many trials."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Sequence
from itertools import combinations

from benches.verdicts.trials import RankingTrial, Trial, bounds, share
from rich.console import Console
from rich.table import Table

EVERYBODY = "all"
IDENTICAL, RANKING = "identical", "ranking"


def show(trials: Sequence[Trial | RankingTrial]) -> None:
    """Tables and lines on standard output, quiet and disturbed sessions apart."""
    console = Console(width=200)
    for disturbed in (False, True):
        here = [t for t in trials if t.disturbed is disturbed]
        if not here:
            continue
        state = "disturbed" if disturbed else "quiet"
        pairs = [t for t in here if isinstance(t, Trial) and t.part != IDENTICAL]
        if pairs:
            console.print(_table(f"comparisons, {state}", pairs))
        again = [t for t in here if isinstance(t, Trial) and t.part == IDENTICAL]
        for line in _identical(again):
            console.print(f"identical comparisons, {state}: {line}", highlight=False)
        rankings = [t for t in here if isinstance(t, RankingTrial)]
        for line in _rankings(rankings):
            console.print(f"rankings, {state}: {line}", highlight=False)
    console.print(
        "wrong: called faster or slower where nothing differs, in wall or CPU; or faster or\n"
        "equivalent where it is slower. Found, and when: of those on target, in which about as\n"
        "much was put in as the part says. Bounds are Clopper and Pearson's, one-sided, at 95 %.\n"
        "Times are of turns, those of controls included, until the CPU verdict; whole: the wait.",
        highlight=False,
    )


def summary(trials: Sequence[Trial | RankingTrial]) -> list[dict[str, object]]:
    """The same as data: a row of the comparisons' table each."""
    rows: list[dict[str, object]] = []
    for disturbed in (False, True):
        pairs = [t for t in trials if isinstance(t, Trial) and t.disturbed is disturbed]
        for part, client, cell in _cells(pairs):
            wrong = sum(map(_is_wrong, cell))
            low, high = bounds(wrong, len(cell))
            rows.append(
                {
                    "part": part,
                    "client": client,
                    "disturbed": disturbed,
                    "trials": len(cell),
                    "wrong": wrong,
                    "wrong_low": low,
                    "wrong_high": high,
                    "on_target": len(_on_target(cell)),
                    "found_cpu": _found(cell, "cpu"),
                    "found_wall": _found(cell, "wall"),
                    "withheld": sum(bool(t.withheld) for t in cell),
                    "recovered_cpu": _recovered(cell),
                    "first_cpu_s": _quantile([t.first_cpu_s for t in cell], 0.5),
                    "first_both_s": _quantile([t.first_both_s for t in cell], 0.5),
                    "measured_s": _quantile([t.measured_s for t in cell], 0.5),
                    "whole_s": _quantile([t.whole_s for t in cell], 0.5),
                }
            )
    return rows


def _cells(trials: Sequence[Trial]) -> Iterator[tuple[str, str, list[Trial]]]:
    """The trials by part and client, and those of all clients of a part together."""
    for part in dict.fromkeys(t.part for t in trials):
        of_part = [t for t in trials if t.part == part]
        for client in dict.fromkeys(t.subject for t in of_part):
            yield part, client, [t for t in of_part if t.subject == client]
        yield part, EVERYBODY, of_part


def _on_target(cell: Sequence[Trial]) -> list[Trial]:
    """The trials that count for how many effects were found, and when."""
    return [trial for trial in cell if trial.is_on_target]


def _found(cell: Sequence[Trial], metric: str) -> int:
    """How many of these trials were called slower, with a ranking that was not withheld."""
    on_target = [trial for trial in _on_target(cell) if not trial.withheld]
    return sum(getattr(trial, metric).verdict == "slower" for trial in on_target)


def _is_wrong(trial: Trial) -> bool:
    if trial.cpu_truth == 1.0:
        return trial.is_false_alarm
    return not trial.withheld and trial.cpu.verdict in ("faster", "equivalent")


def _recovered(cell: Sequence[Trial]) -> float:
    """The share of a known effect that came back, over all trials; NaN where there is none."""
    truth = sum(math.log(t.cpu_truth) for t in cell)
    return sum(math.log(t.cpu.ratio) for t in cell) / truth if truth else math.nan


def _quantile(values: Sequence[float], share_: float) -> float:
    """A quantile of the values; those that are 0 are left out, because 0 stands for never."""
    there = sorted(value for value in values if value)
    return there[min(len(there) - 1, math.ceil(share_ * len(there)) - 1)] if there else math.nan


def _table(title: str, trials: Sequence[Trial]) -> Table:
    table = Table(title=title, title_justify="left", box=None)
    for column in (
        "part", "client", "trials", "wrong", "withheld", "on target", "slower (CPU)", "(wall)",
        "CPU ratio", "truth", "recovered", "first CPU s: 50 %", "90 %", "measured s", "whole s",
    ):  # fmt: skip
        table.add_column(column, justify="left" if column in ("part", "client") else "right")
    for part, client, cell in _cells(trials):
        first = [t.first_cpu_s for t in _on_target(cell)]
        wrong = [t for t in cell if _is_wrong(t)]
        table.add_row(
            part,
            client,
            str(len(cell)),
            share(wrong, cell).partition(": ")[2] if client == EVERYBODY else str(len(wrong)),
            str(sum(bool(t.withheld) for t in cell)),
            str(len(_on_target(cell))),
            str(_found(cell, "cpu")),
            str(_found(cell, "wall")),
            f"{statistics.mean(t.cpu.ratio for t in cell):.4f}",
            f"{statistics.mean(t.cpu_truth for t in cell):.4f}",
            f"{_recovered(cell):.2f}",
            *(f"{_quantile(first, q):.2f}" for q in (0.5, 0.9)),
            f"{_quantile([t.measured_s for t in cell], 0.5):.2f}",
            f"{_quantile([t.whole_s for t in cell], 0.5):.2f}",
        )
    return table


def _identical(trials: Sequence[Trial]) -> Iterator[str]:
    """Of each pair of clients: its verdicts, and which repetitions contradict each other."""
    opposite = apart = both = 0
    for a, b in dict.fromkeys((t.client, t.other) for t in trials):
        cell = [t for t in trials if (t.client, t.other) == (a, b)]
        couples = list(combinations(cell, 2))
        against = sum(x.wall.opposes(y.wall) or x.cpu.opposes(y.cpu) for x, y in couples)
        disjoint = sum(
            (not x.wall.overlaps(y.wall)) + (not x.cpu.overlaps(y.cpu)) for x, y in couples
        )
        opposite, apart, both = opposite + against, apart + disjoint, both + 2 * len(couples)
        told = ", ".join(f"{t.cpu.verdict} {t.cpu.ratio:.3f}" for t in cell)
        yield f"{b} ÷ {a}: CPU {told}; {against} opposite, {disjoint} intervals apart"
    if both:
        yield f"{opposite} opposite; intervals apart: {apart} of {both}"


def _rankings(trials: Sequence[RankingTrial]) -> Iterator[str]:
    if not trials:
        return
    wrong = [t for t in trials if t.is_false_alarm]
    clients = statistics.median(t.clients for t in trials)
    yield (
        f"of {clients:g} clients, equals told apart in {share(wrong, trials)}; withheld "
        f"{sum(bool(t.withheld) for t in trials)}; median half-width "
        f"{statistics.median(t.half_width for t in trials):.2%}, measured "
        f"{statistics.median(t.measured_s for t in trials):.1f} s, whole "
        f"{statistics.median(t.whole_s for t in trials):.1f} s"
    )
    alone = sum(len(t.alone) for t in trials)
    pairs = sum(t.pairs_of_equals for t in trials)
    yield (
        f"as comparisons by themselves: {alone} of {pairs} pairs of equals called different "
        f"({alone / pairs:.2%}; 95 % bounds {bounds(alone, pairs)[0]:.2%} to "
        f"{bounds(alone, pairs)[1]:.2%}; pairs of one run share its noise)"
    )
    for trial in wrong:
        yield f"seed {trial.seed}: wall {trial.wrong_wall}, CPU {trial.wrong_cpu}"
