"""Summarise many trials."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Sequence
from itertools import combinations

from benches.verdicts.trials import IDENTICAL, RankingTrial, Trial, bounds, share
from rich.console import Console
from rich.table import Table

from fetchoff.model.experiment import Experiment

EVERYBODY = "all"
UNDECIDED = "undecided"
CLOCKS = ("wall", "cpu")
LEGEND = f"""\
wrong: called faster or slower where nothing differs, in wall or CPU; or faster where it is slower,
or equivalent where it is slower by {Experiment.margin:.0%} or more.
Shares are of the trials that could be wrong: they aren't withheld, and have an interval. Found, and
when: of those on target, in which about as much was put in as the part says. Bounds are Clopper and
Pearson's, one-sided, at 95 %.
Times are of turns, those of controls included, until the CPU verdict, which may be that of the end;
a trial without one, or withheld, counts as never. By a look: the median of those alone that a
planned look told before the budget ended. Whole: the wait."""


def show(trials: Sequence[Trial | RankingTrial]) -> None:
    """Tables and lines on standard output, quiet and disturbed sessions apart."""
    console = Console(width=220, highlight=False)
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
            console.print(f"identical comparisons, {state}: {line}", soft_wrap=True)
        rankings = [t for t in here if isinstance(t, RankingTrial)]
        for line in _rankings(rankings):
            console.print(f"rankings, {state}: {line}", soft_wrap=True)
    console.print(LEGEND)


def summary(trials: Sequence[Trial | RankingTrial]) -> list[dict[str, object]]:
    """The same as data: a row of the comparisons' table each.

    `wrong` is of `told`, the trials that could be; seconds are infinite where half never told, and
    NaN where nothing was.
    """
    rows: list[dict[str, object]] = []
    for disturbed in (False, True):
        pairs = [t for t in of_known_truth(trials) if t.disturbed is disturbed]
        for part, client, cell in _cells(pairs):
            told = [t for t in cell if t.can_tell]
            wrong = sum(map(is_wrong, told))
            low, high = bounds(wrong, len(told))
            rows.append(
                {
                    "part": part,
                    "client": client,
                    "disturbed": disturbed,
                    "trials": len(cell),
                    "told": len(told),
                    "wrong": wrong,
                    "wrong_low": low,
                    "wrong_high": high,
                    "on_target": len(_on_target(cell)),
                    "found_cpu": _found(cell, "cpu"),
                    "found_wall": _found(cell, "wall"),
                    "withheld": sum(bool(t.withheld) for t in cell),
                    "recovered_cpu": _recovered(cell),
                    "first_cpu_s": _quantile(_found_after_s(cell, ("cpu",)), 0.5),
                    "first_cpu_by_a_look_s": _quantile(_found_by_a_look_s(cell), 0.5),
                    "first_both_s": _quantile(_found_after_s(cell, CLOCKS), 0.5),
                    "measured_s": _quantile([t.measured_s for t in cell], 0.5),
                    "whole_s": _quantile([t.whole_s for t in cell], 0.5),
                }
            )
    return rows


def of_known_truth(trials: Sequence[Trial | RankingTrial]) -> list[Trial]:
    """The comparisons that can be called right or wrong."""
    return [t for t in trials if isinstance(t, Trial) and t.part != IDENTICAL]


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


def _found_after_s(cell: Sequence[Trial], clocks: Sequence[str]) -> list[float]:
    """Seconds of turns of each trial on target until these clocks told, at the latest when its
    budget ended; infinite where they never did, or it was withheld."""
    return [_told_after_s(trial, clocks) for trial in _on_target(cell)]


def _found_by_a_look_s(cell: Sequence[Trial]) -> list[float]:
    """Seconds of turns of each trial on target whose CPU time a planned look told, before the
    budget ended."""
    told = (t for t in _on_target(cell) if math.isfinite(_told_after_s(t, ("cpu",))))
    return [trial.first_cpu_s for trial in told if trial.first_cpu_s]


def _told_after_s(trial: Trial, clocks: Sequence[str]) -> float:
    verdicts = [getattr(trial, clock).verdict for clock in clocks]
    has_told = [v == "slower" if trial.aim else v != UNDECIDED for v in verdicts]
    if trial.withheld or not all(has_told):
        return math.inf
    return (trial.first_both_s if len(clocks) > 1 else trial.first_cpu_s) or trial.measured_s


def is_wrong(trial: Trial) -> bool:
    """Whether a comparison of known truth says what is not so. Within the margin, an equivalence
    is right."""
    if trial.cpu_truth == 1.0:
        return trial.is_false_alarm
    says = trial.cpu.verdict
    is_beyond = trial.cpu_truth >= 1 + Experiment.margin
    return not trial.withheld and (says == "faster" or (says == "equivalent" and is_beyond))


def _recovered(cell: Sequence[Trial]) -> float:
    """The share of a known effect that came back, over all trials; NaN where there is none."""
    truth = sum(math.log(t.cpu_truth) for t in cell)
    return sum(math.log(t.cpu.ratio) for t in cell) / truth if truth else math.nan


def _quantile(values: Sequence[float], share_: float) -> float:
    """A quantile of the values; those that are 0 are left out, because 0 stands for unknown."""
    there = sorted(value for value in values if value)
    return there[min(len(there) - 1, math.ceil(share_ * len(there)) - 1)] if there else math.nan


def _table(title: str, trials: Sequence[Trial]) -> Table:
    table = Table(title=title, title_justify="left", box=None)
    for column in (
        "part", "client", "trials", "wrong", "withheld", "no interval", "on target",
        "slower (CPU)", "(wall)", "CPU ratio", "truth", "recovered", "first CPU s: 50 %", "90 %",
        "by a look s", "measured s", "whole s",
    ):  # fmt: skip
        table.add_column(column, justify="left" if column in ("part", "client") else "right")
    for part, client, cell in _cells(trials):
        first = _found_after_s(cell, ("cpu",))
        told = [t for t in cell if t.can_tell]
        wrong = [t for t in told if is_wrong(t)]
        table.add_row(
            part,
            client,
            str(len(cell)),
            share(wrong, told) if client == EVERYBODY else str(len(wrong)),
            *map(str, _not_told(cell)),
            str(len(_on_target(cell))),
            str(_found(cell, "cpu")),
            str(_found(cell, "wall")),
            f"{statistics.mean(t.cpu.ratio for t in cell):.4f}",
            f"{statistics.mean(t.cpu_truth for t in cell):.4f}",
            f"{_recovered(cell):.2f}",
            *(_seconds(first, q) for q in (0.5, 0.9)),
            _seconds(_found_by_a_look_s(cell), 0.5),
            _seconds([t.measured_s for t in cell], 0.5),
            _seconds([t.whole_s for t in cell], 0.5),
        )
    return table


def _seconds(values: Sequence[float], share_: float) -> str:
    found = _quantile(values, share_)
    if math.isnan(found):
        return "–"
    return f"over {1 - share_:.0%} never" if math.isinf(found) else f"{found:.2f}"


def _not_told(cell: Sequence[Trial]) -> tuple[int, int]:
    """How many could say nothing: withheld, and without an interval."""
    withheld = sum(bool(t.withheld) for t in cell)
    return withheld, sum(not t.can_tell for t in cell) - withheld


def opposites(trials: Sequence[Trial | RankingTrial]) -> int:
    """How many pairs of repetitions contradict each other."""
    again = [t for t in trials if isinstance(t, Trial) and t.part == IDENTICAL]
    return sum(_against(couples) for _, couples in _repeated(again))


def comparable(trials: Sequence[Trial | RankingTrial]) -> int:
    """How many pairs of repetitions could be opposite: both have an interval by one clock."""
    again = [t for t in trials if isinstance(t, Trial) and t.part == IDENTICAL]
    couples = (couple for _, couples in _repeated(again) for couple in couples)
    return sum(
        any(getattr(x, clock).has_interval and getattr(y, clock).has_interval for clock in CLOCKS)
        for x, y in couples
    )


def _repeated(trials: Sequence[Trial]) -> Iterator[tuple[list[Trial], list[tuple[Trial, Trial]]]]:
    """The repetitions of each question, and their pairs, the withheld ones left out."""
    for question in dict.fromkeys(map(_question, trials)):
        cell = [t for t in trials if _question(t) == question]
        yield cell, list(combinations([t for t in cell if not t.withheld], 2))


def _question(trial: Trial) -> tuple[str, str, str | None, bool]:
    """Only trials of the same question can contradict each other."""
    return trial.client, trial.other, trial.workload, trial.disturbed


def _against(couples: Sequence[tuple[Trial, Trial]]) -> int:
    return sum(x.wall.opposes(y.wall) or x.cpu.opposes(y.cpu) for x, y in couples)


def _identical(trials: Sequence[Trial]) -> Iterator[str]:
    """Of each question: its verdicts, and which repetitions contradict each other."""
    opposite = apart = both = without = 0
    for cell, couples in _repeated(trials):
        intervals = [(getattr(x, c), getattr(y, c)) for x, y in couples for c in CLOCKS]
        there = [(x, y) for x, y in intervals if x.has_interval and y.has_interval]
        against, disjoint = _against(couples), sum(not x.overlaps(y) for x, y in there)
        opposite, apart, both = opposite + against, apart + disjoint, both + len(there)
        without += len(intervals) - len(there)
        told = ", ".join(f"{t.cpu.verdict} {t.cpu.ratio:.3f}" for t in cell)
        yield f"{_asked(cell[0])}: CPU {told}; {against} opposite, {disjoint} intervals apart"
    if trials:
        withheld = sum(bool(t.withheld) for t in trials)
        yield (
            f"{opposite} opposite; intervals apart: {apart} of {both} pairs; {without} pairs more "
            f"have none; {withheld} of {len(trials)} trials withheld"
        )


def _asked(trial: Trial) -> str:
    on = f" on {trial.workload}" if trial.workload else ""
    return f"{trial.other} ÷ {trial.client}{on}"


def _rankings(trials: Sequence[RankingTrial]) -> Iterator[str]:
    if not trials:
        return
    told = [t for t in trials if t.can_tell]
    wrong = [t for t in told if t.is_false_alarm]
    withheld = sum(bool(t.withheld) for t in trials)
    clients = statistics.median(t.clients for t in trials)
    yield (
        f"of {clients:g} clients, equals told apart in {share(wrong, told)}; withheld {withheld}, "
        f"without an interval {len(trials) - len(told) - withheld}; median half-width "
        f"{statistics.median(t.half_width for t in trials):.2%}, measured "
        f"{statistics.median(t.measured_s for t in trials):.1f} s, whole "
        f"{statistics.median(t.whole_s for t in trials):.1f} s"
    )
    yield _alone(told)
    for trial in wrong:
        yield f"seed {trial.seed}: wall {trial.wrong_wall}, CPU {trial.wrong_cpu}"


def _alone(told: Sequence[RankingTrial]) -> str:
    """Of the pairs of equals in rankings that are to be believed."""
    alone = sum(len(t.alone) for t in told)
    pairs = sum(t.pairs_to_tell for t in told)
    if not pairs:
        return "as comparisons by themselves: no pair of equals has an interval"
    low, high = bounds(alone, pairs)
    without = sum(t.pairs_of_equals - t.pairs_to_tell for t in told)
    unknown = sum(t.pairs_with_intervals is None for t in told)
    rankings = f", and of {unknown} rankings nobody kept how many" if unknown else ""
    return (
        f"as comparisons by themselves: {alone} of {pairs} pairs of equals called different "
        f"({alone / pairs:.2%}; 95 % bounds {low:.2%} to {high:.2%}; pairs of one run share its "
        f"noise); {without} pairs more have no interval{rankings}"
    )
