"""What a history says: a line for each stretch, and sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fetchoff.model.analysis import Relative
from fetchoff.model.estimate import Verdict
from fetchoff.model.history import Compared, History, Limit, OtherPackage, Stretch, StretchKind
from fetchoff.report.wording.bounds import at_most
from fetchoff.report.wording.figures import (
    MISSING,
    count,
    interval,
    level,
    number,
    percent,
    ratio,
    seconds,
    tolerance,
)

SHOWN = (Verdict.FASTER, Verdict.SLOWER)
MOST_PACKAGES = 6


@dataclass(frozen=True)
class Line:
    """A stretch as it is shown. `between`: how many releases are in it."""

    kind: StretchKind
    older: str
    newer: str
    between: str
    found: str
    wall: str
    wall_interval: str
    cpu: str
    cpu_interval: str
    peak_mb: str
    segments: str
    run: str = ""


def title(history: History) -> str:
    """`python/httpx across its releases`."""
    return f"{history.plan.client} across its releases"


def about(history: History) -> str:
    """`small-get · 0.23.0 to 0.28.1 · 17 releases, 5 of them measured`."""
    releases = history.plan.releases
    measured = {side.version for one in history.compared for side in (one.older, one.newer)}
    return (
        f"{history.plan.course.id} · {releases[0].version} to {releases[-1].version} · "
        f"{count(len(releases), 'release')}, {len(measured)} of them measured"
    )


def headline(history: History) -> str:
    """The steps in plain words, or that none was found, and where there may be one."""
    if steps := history.steps:
        told = "; ".join(_told(step) for step in steps)
        return f"{count(len(steps), 'step')}: {told}."
    if not history.stretches:
        return "Fewer than two of the releases could be measured."
    if len(history.stretches) == 1:
        return _of_only_one(history.stretches[0])
    unknown = (
        (StretchKind.UNCLEAR, "in {of} there may be one"),
        (StretchKind.OPEN, "in {of} nothing was measured"),
    )
    many = {kind: sum(one.kind is kind for one in history.stretches) for kind, _ in unknown}
    parts = [
        words.format(of=f"{many[kind]} of {len(history.stretches)} stretches")
        for kind, words in unknown
        if many[kind]
    ]
    return f"{'; '.join(('No step was found', *parts))}."


def _of_only_one(one: Stretch) -> str:
    """Of a stretch without a step."""
    between = f"between {one.older} and {one.newer}"
    match one.kind:
        case StretchKind.LEVEL:
            return f"{_no_step(one)} {between}."
        case StretchKind.UNCLEAR:
            return f"Whether there is a step {between} cannot be told."
        case _:
            return f"Nothing was measured {between}."


def lines(history: History) -> Iterator[Line]:
    """A line for each stretch, oldest first."""
    for stretch in history.stretches:
        found = stretch.compared
        yield Line(
            kind=stretch.kind,
            older=stretch.older,
            newer=stretch.newer,
            between=str(len(stretch.between)) if stretch.between else "",
            found=verdict(stretch),
            wall=ratio(found.wall.ratio.point) if found else MISSING,
            wall_interval=interval(found.wall.ratio) if found else MISSING,
            cpu=ratio(found.cpu.ratio.point) if found else MISSING,
            cpu_interval=interval(found.cpu.ratio) if found else MISSING,
            peak_mb=_change(found.older.peak_mb, found.newer.peak_mb, 1) if found else MISSING,
            segments=_change(found.older.segments, found.newer.segments, 2) if found else MISSING,
            run=found.run if found else "",
        )


def verdict(stretch: Stretch) -> str:
    """`slower`, `no step above 1.4 %`, `cannot tell: up to 9 %`, `not measured`."""
    found = stretch.compared
    if found is None:
        return stretch.kind.value
    if found.withheld:
        return "cannot tell: the comparison is withheld"
    match stretch.kind:
        case StretchKind.STEP:
            return _direction(found)
        case StretchKind.LEVEL:
            return _no_step(stretch).lower()
        case _:
            open_ = at_most(found.at_most)
            return "cannot tell" if open_ == MISSING else f"cannot tell: up to {open_}"


def mark(step: Stretch) -> str:
    """A step in the chart, by the wall clock if that shows it: `3.9.0: slower, 1.12 ×`."""
    found = step.compared
    assert found is not None
    shown = found.wall if _shows(found.wall) else found.cpu
    return f"{step.newer}: {_direction(found)}, {ratio(shown.ratio.point)} ×"


def notes(history: History) -> Iterator[str]:
    """What must be known beside the lines."""
    plan = history.plan
    for one in history.unlocated:
        yield (
            f"{one.newer.version} {_against(one)} {one.older.version}, but neither half of that "
            "stretch was shown to differ: the difference is spread over several releases, or too "
            "small for the halves"
        )
    for passed in history.passed_over:
        yield f"{passed.version} was passed over: {passed.reason}"
    if any(one.kind is StretchKind.LEVEL and one.between for one in history.stretches):
        yield (
            "of a stretch without a step, only the ends were compared: changes within it that "
            "cancel each other out are not seen"
        )
    for step in history.steps:
        if step.compared is not None and step.compared.packages:
            yield _other_packages(step, step.compared.packages)
    if history.has(StretchKind.OPEN):
        yield _why_open(history)
    if history.has(StretchKind.UNCLEAR):
        yield (
            "what cannot be told may be told by a new history with a larger --budget, or on a "
            "quieter machine"
        )
    most = count(plan.most_comparisons, "comparison")
    made = count(len(history.compared), "comparison")
    yield (
        f"all comparisons together err with at most {percent(plan.alpha)}: each has intervals of "
        f"{level(1 - plan.alpha_of_one)}, because there may be {most} on two "
        f"clocks; {made} took {seconds(history.seconds)}; margin "
        f"±{tolerance(plan.margin)}; seed {plan.seed}"
    )


def _why_open(history: History) -> str:
    match history.limit:
        case Limit.BUDGET:
            return (
                "the budget ended the search: a new history with a larger --budget would go further"
            )
        case Limit.COMPARISONS:
            return (
                "the search has made all comparisons that its error rate allows: a release failed "
                "that others had been compared with"
            )
        case None:
            return "the search was cut short: 'fetchoff resume' measures the rest"


def _other_packages(step: Stretch, packages: Sequence[OtherPackage]) -> str:
    told = [_package(step, one) for one in packages[:MOST_PACKAGES]]
    if more := len(packages) - len(told):
        told.append(f"{more} more")
    return (
        f"{step.newer} was resolved with other packages than {step.older}, so what changed may be "
        f"in one of them: {', '.join(told)}"
    )


def _package(step: Stretch, one: OtherPackage) -> str:
    """`yarl 1.9.4 → 1.17.1`, `sniffio 1.3.1 (only with 0.27.2)`."""
    if one.older and one.newer:
        return f"{one.name} {one.older} → {one.newer}"
    return (
        f"{one.name} {one.older or one.newer} (only with {step.older if one.older else step.newer})"
    )


def _told(step: Stretch) -> str:
    """`3.9.0 takes 1.12 × the wall time and 1.10 × the CPU time of 3.8.6`."""
    found = step.compared
    assert found is not None
    skipped = f" ({', '.join(step.between)} between them was passed over)" if step.between else ""
    return f"{step.newer} {_against(found)} {step.older}{skipped}"


def _against(found: Compared) -> str:
    clocks = (("wall", found.wall), ("CPU", found.cpu))
    parts = [f"{ratio(one.ratio.point)} × the {name} time" for name, one in clocks if _shows(one)]
    return f"takes {' and '.join(parts)} of"


def _shows(relative: Relative) -> bool:
    return relative.verdict in SHOWN


def _direction(found: Compared) -> str:
    told = {
        clock: one.word for clock, one in (("wall", found.wall), ("CPU", found.cpu)) if _shows(one)
    }
    if len(set(told.values())) == 2:
        return " but ".join(f"{verdict} by {clock}" for clock, verdict in told.items())
    (verdict,) = set(told.values())
    return f"{verdict}{'' if len(told) == 2 else f' by {next(iter(told))}'}"


def _no_step(stretch: Stretch) -> str:
    assert stretch.compared is not None
    return f"No step above {at_most(stretch.compared.at_most)}"


def _change(older: float, newer: float, decimals: int) -> str:
    """`45.1 → 47.2`, or one figure if it is the same."""
    before, after = number(older, decimals), number(newer, decimals)
    return before if before == after else f"{before} → {after}"
