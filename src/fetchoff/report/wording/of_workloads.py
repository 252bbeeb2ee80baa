"""What is found of a workload, or of all clients on it, in words."""

from __future__ import annotations

from collections.abc import Sequence

from fetchoff.model.estimate import MINIMUM_ROUNDS, LimitAnswer
from fetchoff.model.finding import (
    AllHeldBack,
    BatchesExcluded,
    CheckFailed,
    ChecksUnclear,
    Clock,
    ContentInMemory,
    Limit,
    LinkAtFault,
    ModesMissed,
    NothingCounts,
    OrderDiffers,
    OtherBaseline,
    PlacementAsked,
    ProbesApart,
    RatioDiffers,
    RoundsExcluded,
    Throttled,
    TiersUnproven,
    TurnsDisturbed,
    WorkloadEvidence,
)
from fetchoff.report.wording import self_checks
from fetchoff.report.wording.figures import count, part, ratio

MOST_REASONS = 2
ANSWERS = {
    LimitAnswer.WITHIN: "shown",
    LimitAnswer.BEYOND: "exceeded",
    LimitAnswer.UNCLEAR: "cannot tell",
}


def sentence(found: WorkloadEvidence) -> str:
    """What the evidence says. Client names stand in backticks."""
    match found:
        case Limit():
            return _limit(found)
        case PlacementAsked():
            return f"placement asked for: {found.placement}"
        case RoundsExcluded():
            rounds = f"{found.rounds} of {found.of_rounds} rounds"
            return f"{rounds} do not count: {_listed(found.reasons)}"
        case BatchesExcluded():
            batches = f"{found.batches} of {found.of_batches} batches"
            return f"{batches} do not count: {'; '.join(found.reasons)}"
        case AllHeldBack():
            return _all_held_back(found)
        case TiersUnproven():
            return (
                f"{found.pairs} of the {found.of_pairs} pairs of clients in neighbouring tiers "
                "were not shown to differ from each other"
            )
        case ModesMissed():
            return (
                f"the processes of {count(found.clients, 'client')} fall into modes: a mode that "
                f"1 process in {found.one_in} has stays unseen in {part(found.missed_share)} of "
                f"runs with {count(found.rounds, 'round')}"
            )
        case OrderDiffers():
            more = f", and {count(found.pairs - 1, 'more pair')}" if found.pairs > 1 else ""
            return (
                f"the order depends on the placement: `{found.faster}` takes less "
                f"{_time(found.clock)} than `{found.slower}` here and more with {found.placement} "
                f"({found.workload}){more}"
            )
        case RatioDiffers():
            more = f", and {count(found.clients - 1, 'more client')}" if found.clients > 1 else ""
            return (
                f"ratios depend on the placement: `{found.client}` takes ×{ratio(found.ratio)} "
                f"the baseline's {_time(found.clock)} here and ×{ratio(found.elsewhere)} with "
                f"{found.placement} ({found.workload}){more}"
            )
        case OtherBaseline():
            few = f"`{found.asked}` has fewer than {MINIMUM_ROUNDS} rounds that count"
            return f"{few}: relative to `{found.instead}` instead"
        case ChecksUnclear():
            not_at_all = f" (not tested: {', '.join(found.not_tested)})" if found.not_tested else ""
            return f"{found.checks} of {found.of_checks} self-checks could not tell{not_at_all}"
        case TurnsDisturbed():
            share = part(found.turns / found.of_turns)
            all_of = f", in {count(found.rounds, 'round')} throughout" if found.rounds else ""
            return f"{share} of the turns do not count: something else slowed the core{all_of}"
        case ProbesApart():
            return _probes_apart(found)
        case Throttled():
            return (
                f"a CPU quota stopped processes in {count(found.periods, 'period')}, for "
                f"{1e3 * found.seconds:,.0f} ms in all, in {found.rounds} of {found.of_rounds} "
                "rounds, and wall time contains that"
            )
        case ContentInMemory():
            return (
                f"{found.bytes / 1e3:,.0f} kB of content are kept in memory, so a figure also "
                "depends on what else the program has there: when tried, up to three of twelve "
                "clients cost 18 to 48 % more than in plain loops"
            )
        case LinkAtFault():
            faults = "; ".join(found.faults)
            return f"the link {found.link} is not what was asked for: {faults}"
        case NothingCounts():
            return f"no round over {found.link} counts: {_listed(found.reasons)}"
        case CheckFailed():
            more = f", and {found.more} more" if found.more else ""
            return f"self-check failed: {self_checks.sentence(found.check)}{more}"


def _limit(found: Limit) -> str:
    told = "; ".join(
        f"{ANSWERS[answer]} in {clock} time"
        for clock, answer in (("wall", found.wall), ("CPU", found.cpu))
        if answer is not None
    )
    return f"at most {100 * found.allowed_share:g} % more time was allowed: {told}"


def _all_held_back(found: AllHeldBack) -> str:
    low, high = (f"{held / 1e3:.0f}" for held in (found.least_bytes, found.most_bytes))
    held = low if low == high else f"{low} to {high}"
    return (
        f"no client carries half of what TCP could reach here: about {held} kB are in flight in a "
        "round trip. Whether windows of the clients or of the origin hold them back, nobody in "
        "this run can show"
    )


def _probes_apart(found: ProbesApart) -> str:
    each = [f"`{c}` ×{ratio:.2f}" for c, ratio in zip(found.clients, found.ratios, strict=True)]
    return (
        "what probes of the core's speed take seems to depend on the client, relative to quick "
        f"ones: {_listed(each)}. So turns in which something else slowed the core can't be told, "
        "and all turns count"
    )


def _listed(reasons: Sequence[str]) -> str:
    """The first few reasons, and how many more there are."""
    more = len(reasons) - MOST_REASONS
    return "; ".join([*reasons[:MOST_REASONS], *([f"and {more} more"] if more > 0 else [])])


def _time(clock: Clock) -> str:
    return "CPU time" if clock is Clock.CPU else "wall time"
