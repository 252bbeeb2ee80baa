"""Results in plain sentences. They name ties, and never say more than the intervals do.

Client names stand in backticks; the page turns those into code, the terminal drops them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fetchoff.model.analysis import RankingRow, Relative, WorkloadResult
from fetchoff.model.course import parts_of
from fetchoff.model.estimate import Verdict
from fetchoff.model.finding import BatchesExcluded, RoundsExcluded, TurnsDisturbed
from fetchoff.report.metrics.groups import Groups, costs_of, groups_of
from fetchoff.report.wording import findings
from fetchoff.report.wording.figures import (
    count,
    factor,
    microseconds,
    names,
    times,
    tolerance,
)


def title(result: WorkloadResult) -> str:
    """`download@10M over london`; over loopback the workload alone."""
    workload, link = parts_of(result.workload)
    return f"{workload} over {link}" if result.link else workload


def verdict(result: WorkloadResult, margin: float) -> str:
    """What this workload's ranking says, in one or two sentences."""
    groups = groups_of(result)
    if result.withheld:
        return f"The ranking is withheld: {findings.reason(result.withheld)}."
    if not groups.ranked:
        return "No client could be measured on this workload."
    if len(groups.ranked) == 2 and any(s.client == result.baseline for s in groups.ranked):
        return _pair(result, groups, margin)
    if len(groups.ranked) == 1:
        return f"Only `{groups.ranked[0].client}` was measured, so there is nothing to rank."
    return _ranking(result, groups.ranked)


def least_cpu(result: WorkloadResult) -> str:
    """Who has the lowest CPU estimate; an estimate, not a verdict."""
    ranked = groups_of(result).ranked
    if result.withheld or len(ranked) < 2:
        return ""
    lowest = min(ranked, key=lambda s: costs_of(s).cpu_us.point)
    cost = microseconds(costs_of(lowest).cpu_us.point)
    return f"The lowest CPU estimate is that of `{lowest.client}`: {cost} per exchange."


def absentees(result: WorkloadResult) -> str:
    """How many clients are not in the ranking."""
    missing = len(groups_of(result).left_out)
    return f"{count(missing, 'client')} could not be measured; see below." if missing else ""


def not_counted(result: WorkloadResult) -> str:
    """What was measured and is in no figure; "" if everything is."""
    many = []
    for finding in result.findings:
        match finding.evidence:
            case TurnsDisturbed(turns=left_out, of_turns=given):
                many.append(f"{left_out:,} of {given:,} turns")
            case BatchesExcluded(batches=left_out, of_batches=given):
                many.append(f"{left_out:,} of {given:,} batches")
            case RoundsExcluded(rounds=left_out, of_rounds=given):
                many.append(f"{left_out} of {given} rounds")
    return f"Not drawn, because they do not count: {', '.join(many)}." if many else ""


def advice(result: WorkloadResult) -> tuple[str, ...]:
    """What to do about a withheld ranking."""
    return findings.advice(result.withheld) if result.withheld else ()


def notes(result: WorkloadResult) -> tuple[str, ...]:
    """What must be known of single clients beside their figures, then of the workload."""
    of_clients = (
        finding
        for row in groups_of(result).measured
        for finding in ((row.reason,) if row.reason else ()) + row.findings
    )
    return findings.remarks((*of_clients, *result.findings))


def _ranking(result: WorkloadResult, ranked: Sequence[RankingRow]) -> str:
    """Who leads three clients or more."""
    first = tuple(s for s in ranked if s.tiers is not None and s.tiers[0] == 1)
    if not first:
        return "Too few rounds were measured to rank these clients."
    placed = _placed(ranked, result.baseline)
    if not placed and len(first) > 1:
        return "Too few rounds were measured to tell which of these clients is the fastest."
    leaders = tuple(s for s in first if s in placed) or first
    unplaced = tuple(s for s in first if s not in leaders)
    if len(leaders) > 1:
        text = _tie(leaders, result.baseline)
    else:
        text = _winner(leaders[0], result.baseline, placed, of_all=not unplaced)
    return " ".join([text, *_unplaced(unplaced, result.rounds)])


def _placed(ranked: Sequence[RankingRow], baseline: str) -> tuple[RankingRow, ...]:
    """Those that could be told from others; any other client might be anywhere.

    The baseline's own interval, from 1 to 1, says nothing: that of some other client must.
    """
    telling = {
        row.client
        for row in ranked
        if row.client != baseline and row.wall is not None and row.wall.ratio.is_telling
    }
    return tuple(row for row in ranked if telling and row.client in {*telling, baseline})


def _unplaced(rows: Sequence[RankingRow], rounds: int) -> Iterator[str]:
    """Why these might be anywhere; `rounds`: of the whole run."""
    if few := [row.client for row in rows if row.rounds < rounds]:
        yield f"{names(few)} took part in too few rounds to be placed."
    if wide := [row.client for row in rows if row.rounds >= rounds]:
        why = "its interval is" if len(wide) == 1 else "their intervals are"
        yield f"{names(wide)} could not be placed: {why} too wide."


def _winner(
    leader: RankingRow, baseline: str, placed: Sequence[RankingRow], *, of_all: bool
) -> str:
    fastest = "the fastest" if of_all else "the fastest that could be placed"
    if leader.client == baseline:
        text = f"`{baseline}`, the baseline, is {fastest}."
        following = next((s for s in placed if s is not leader), None)
        if following is not None:
            text += f" Next is `{following.client}`{_by(following, Verdict.SLOWER, baseline)}."
        return text
    return f"`{leader.client}` is {fastest}{_by(leader, Verdict.FASTER, baseline)}."


def _by(row: RankingRow, verdict: Verdict, baseline: str) -> str:
    """`: 2.1 × (1.9–2.3) as fast as `b`` if its own interval supports its place.

    Tiers rest on a test of all pairs, which may show what that interval is too wide for, or that
    two clients differ by less than the margin.
    """
    wall = row.wall
    if wall is None or wall.verdict is not verdict or not wall.ratio.is_telling:
        return ""
    return f": {_against(wall, baseline)}"


def _against(relative: Relative, baseline: str) -> str:
    """Of a client that is faster or slower: `2.1 × (1.9–2.3) as fast as `b``."""
    estimate = relative.ratio
    if relative.verdict is Verdict.FASTER:
        speed = factor(1 / estimate.point, 1 / estimate.high, 1 / estimate.low)
        return f"{speed} as fast as `{baseline}`"
    spent = factor(estimate.point, estimate.low, estimate.high)
    return f"{spent} the time of `{baseline}`"


def _tie(leaders: tuple[RankingRow, ...], baseline: str) -> str:
    listed = names(s.client for s in leaders)
    text = f"{listed} share the first tier: this run does not show which of them is fastest."
    if unsure := [s.client for s in leaders if s.clocks_apart]:
        text += f" Two clocks differ about {names(unsure)}."
    ratios = [
        s.wall.ratio.point
        for s in leaders
        if s.wall is not None and s.wall.verdict is Verdict.FASTER
    ]
    if len(ratios) == len(leaders):
        low, high = times(1 / max(ratios)), times(1 / min(ratios))
        span = low if low == high else f"{low} to {high}"
        text += f" By their estimates they are {span} × as fast as `{baseline}`."
    return text


def _pair(result: WorkloadResult, groups: Groups, margin: float) -> str:
    baseline = result.baseline
    other = next(s for s in groups.ranked if s.client != baseline)
    if other.wall is None or not other.wall.ratio.is_telling:
        return _too_few(other, baseline)
    estimate = other.wall.ratio
    spent = factor(estimate.point, estimate.low, estimate.high)
    match other.wall.verdict:
        case Verdict.FASTER | Verdict.SLOWER as found:
            return f"`{other.client}` is {found.value}: {_against(other.wall, baseline)}."
        case Verdict.EQUIVALENT:
            return (
                f"`{other.client}` and `{baseline}` are equivalent within ±{tolerance(margin)}: "
                f"{spent} the time."
            )
        case _:
            return (
                f"Undecided: `{other.client}` takes {spent} the time of `{baseline}`; "
                f"{_what_could_tell(result, other)}."
            )


def _too_few(other: RankingRow, baseline: str) -> str:
    """Of a pair whose interval says nothing, or no more than the direction."""
    if other.wall is not None and other.wall.verdict in (Verdict.FASTER, Verdict.SLOWER):
        return (
            f"`{other.client}` is {other.wall.word} than `{baseline}`; too few rounds were "
            "measured to tell by how much."
        )
    return f"Too few rounds were measured to compare `{other.client}` and `{baseline}`."


def _what_could_tell(result: WorkloadResult, other: RankingRow) -> str:
    if other.has_wall_withheld:
        return "two clocks differ by more than that about it"
    if not result.exhausted:
        return "more rounds could tell"
    return f"that is all that {result.rounds} rounds, the most that a run has, can tell"
